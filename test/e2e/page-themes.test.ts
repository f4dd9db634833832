import {
  type ChatInputCommandInteraction,
  type Interaction,
  type InteractionReplyOptions,
  MessageFlags,
} from 'discord.js';
import type { Page } from 'playwright-core';
import { beforeAll, expect, it, onTestFinished } from 'vitest';
import { illegibleTexts } from '../support/legibility.ts';
import { openBot } from '../support/page-bot.ts';
import { composer, openPage, replyTo, say } from '../support/page-visit.ts';

let page: Page;

beforeAll(async () => {
  page = await openPage();
});

/** One of everything that a reply may show. */
const EVERYTHING: Pick<InteractionReplyOptions, 'content' | 'embeds' | 'components'> = {
  content: '**bold** [link](https://cards.example/) <@1> `code` <t:1700000000:R>\n> quote\n-# small print',
  embeds: [
    {
      author: { name: 'author' },
      title: 'title',
      url: 'https://cards.example/',
      description: 'description [link](https://cards.example/)\n-# small print',
      fields: [{ name: 'name', value: 'value `code`', inline: true }],
      footer: { text: 'footer' },
      timestamp: '2026-01-01T00:00:00Z',
    },
  ],
  components: [
    {
      type: 1,
      components: [1, 2, 3, 4].map((style) => ({ type: 2, style, label: `button ${style}`, custom_id: `${style}` })),
    },
    {
      type: 1,
      components: [{ type: 3, custom_id: 'menu', options: [{ label: 'option', value: 'option' }] }],
    },
  ],
};

const COMMANDS = ['public', 'private', 'thinking', 'silent'].map((name) => ({ name, description: `Is ${name}` }));

async function answer(interaction: ChatInputCommandInteraction): Promise<void> {
  if (interaction.commandName === 'public') {
    await interaction.reply(EVERYTHING);
    await interaction.editReply(EVERYTHING);
  }
  if (interaction.commandName === 'private') await interaction.reply({ ...EVERYTHING, flags: MessageFlags.Ephemeral });
  if (interaction.commandName === 'thinking') await interaction.deferReply();
}

it('every text is legible in the dark and in the light theme', async () => {
  onTestFinished(() => page.emulateMedia({ colorScheme: null }));
  const handle = async (interaction: Interaction) => interaction.isChatInputCommand() && answer(interaction);
  await openBot(page, COMMANDS, handle, { lifetimes: { ackMs: 3_000, tokenMs: 600_000 } });
  await say(page, '/public');
  await replyTo(page, '/public').getByText('(edited)').waitFor();
  await say(page, '/private');
  await replyTo(page, '/private').getByText('Dismiss message').waitFor();
  await say(page, '/thinking');
  await replyTo(page, '/thinking').getByText('is thinking').waitFor();
  await say(page, '/silent');
  await page.getByText('The application did not respond').waitFor();
  await say(page, '/nothing'); // a problem beside the composer
  await composer(page).fill('/'); // the list of commands
  await page.getByRole('option', { name: 'Is public' }).waitFor();

  for (const colorScheme of ['dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme });
    await expect.poll(() => paleTexts(colorScheme)).toEqual([]);
  }
});

/** Polled, because the components take over a theme one after another. */
async function paleTexts(colorScheme: 'dark' | 'light'): Promise<string[]> {
  const isLight = (await page.locator('discord-messages').getAttribute('light-theme')) !== null;
  const { count, pale } = await illegibleTexts(page);
  expect(count).toBeGreaterThan(80);
  return isLight === (colorScheme === 'light') ? pale : ['another theme'];
}
