import {
  type ChatInputCommandInteraction,
  type Interaction,
  type InteractionReplyOptions,
  MessageFlags,
} from 'discord.js';
import type { Page } from 'playwright-core';
import { beforeAll, expect, it, onTestFinished } from 'vitest';
import type { EmulatedDiscordOptions } from '../../sandbox/discord/emulated-discord.ts';
import { illegibleTexts } from '../support/legibility.ts';
import { openBot } from '../support/page-bot.ts';
import { composer, openPage, type PageVisit, replyTo, say } from '../support/page-visit.ts';

let page: Page;

beforeAll(async () => {
  page = await openPage();
});

type Answer = (interaction: ChatInputCommandInteraction) => Promise<unknown>;

/** Opens the page with a bot whose only command `/show` is answered by `answer`. */
function openShow(answer: Answer, options: EmulatedDiscordOptions = {}): Promise<PageVisit> {
  const handle = async (interaction: Interaction) => {
    if (interaction.isChatInputCommand()) await answer(interaction);
  };
  return openBot(page, [{ name: 'show', description: 'Show something' }], handle, options);
}

it('shows "thinking…", then the answer in its place, then "(edited)"', async () => {
  const answered = Promise.withResolvers<void>();
  const corrected = Promise.withResolvers<void>();
  const { pageErrors } = await openShow(async (interaction) => {
    await interaction.deferReply();
    await answered.promise;
    await interaction.editReply('first');
    await corrected.promise;
    await interaction.editReply('second');
  });

  await say(page, '/show');
  const reply = replyTo(page, '/show');
  await reply.getByText('cardbot is thinking…').waitFor();
  answered.resolve();
  await reply.getByText('first').waitFor();
  expect(await reply.getByText('cardbot is thinking…').count()).toBe(0);
  corrected.resolve();
  await reply.getByText('second').waitFor();
  await reply.getByText('(edited)').waitFor();
  expect(await page.locator('discord-message').count()).toBe(1);
  expect(pageErrors).toEqual([]);
});

it("shows Discord's sentence about a bot that does not answer in red, in private", async () => {
  await openShow(async () => {}, { lifetimes: { ackMs: 50, tokenMs: 60_000 } });
  await say(page, '/show');
  await page.getByText('The application did not respond').waitFor();
  await page.getByText('Only you can see this').waitFor();
});

it('shows a private reply only to its member, who can dismiss it by keyboard', async () => {
  await openShow((interaction) => interaction.reply({ content: 'a secret', flags: MessageFlags.Ephemeral }));
  await say(page, '/show');
  await page.getByText('a secret').waitFor();

  const member = page.getByRole('combobox', { name: 'Member' });
  await member.selectOption({ label: 'Björn' });
  await page.getByText('a secret').waitFor({ state: 'detached' });
  await member.selectOption({ label: 'Alice' });
  await page.getByRole('button', { name: 'Dismiss message' }).press('Enter');
  await page.getByText('a secret').waitFor({ state: 'detached' });
});

it('shows public replies to all members in the same place, and nowhere else', async () => {
  await openShow((interaction) => interaction.reply('for all'));
  await say(page, '/show');
  await page.getByText('for all').waitFor();

  await page.getByRole('combobox', { name: 'Member' }).selectOption({ label: 'Björn' });
  await page.getByText('for all').waitFor();
  await page.getByRole('button', { name: 'Trading Post' }).click();
  await page.getByText('for all').waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'cardbot' }).click();
  await expect.poll(() => page.getByText('for all').count()).toBe(0);
});

it('shows what the bot writes to a member by itself in their direct messages, with buttons that work', async () => {
  const button = { type: 2, style: 1, custom_id: 'a', label: 'Look' } as const;
  const message = { content: 'by itself', components: [{ type: 1, components: [button] }] };
  const { pageErrors } = await openBot(page, [{ name: 'show', description: 'x' }], async (interaction) => {
    if (interaction.isButton()) await interaction.reply('looked');
    if (interaction.isChatInputCommand()) await interaction.user.send(message);
  });
  await say(page, '/show');
  await page.getByRole('button', { name: 'cardbot' }).click();
  await page.getByText('by itself').waitFor();
  await page.getByRole('button', { name: 'Look' }).click();
  await page.getByText('looked').waitFor();
  await page.getByRole('combobox', { name: 'Member' }).selectOption({ label: 'Björn' });
  await page.getByText('by itself').waitFor({ state: 'detached' });
  expect(pageErrors).toEqual([]);
});

it('shows what a member brings the bot to say in a group, and in a foreign server only as far as it is allowed', async () => {
  const show = { name: 'show', description: 'Show something', integration_types: [0, 1] };
  await openBot(page, [show], async (interaction) => {
    if (interaction.isChatInputCommand()) await interaction.reply('for all');
  });
  const go = (name: string) => page.getByRole('button', { name }).click();

  await go('Library');
  await page.getByText('Library · no external apps').waitFor();
  await say(page, '/show');
  await page.getByText('Only you can see this').waitFor();

  await go('Friends');
  await say(page, '/show');
  await page.getByRole('combobox', { name: 'Member' }).selectOption({ label: 'Björn' });
  await page.getByText('for all').waitFor();
  await go('Book Club');
  await page.getByText('for all').waitFor({ state: 'detached' });
});

it('renders Markdown in titles, descriptions and field values, and none in footers and authors', async () => {
  const { pageErrors } = await openShow((interaction) =>
    interaction.reply({
      embeds: [
        {
          author: { name: '**author**' },
          title: 'a *title*',
          url: 'https://cards.example/a',
          description: '[link](https://cards.example/b) `code` ||hidden|| \\*literally\\*',
          fields: [{ name: 'when', value: '<t:1700000000:R> **bold**', inline: true }],
          footer: { text: '**footer** <t:5:R>' },
        },
      ],
    }),
  );

  await say(page, '/show');

  const embed = page.locator('discord-embed');
  await embed.waitFor();
  expect(await embed.locator('.embed-author').innerHTML()).toBe('**author**');
  expect(await embed.locator('.embed-title em').textContent()).toBe('title');
  expect(await embed.locator('.embed-title a').getAttribute('href')).toBe('https://cards.example/a');
  expect(await embed.getByRole('link', { name: 'link' }).getAttribute('rel')).toBe('noopener noreferrer');
  expect(await embed.locator('discord-code').textContent()).toBe('code');
  expect(await embed.locator('discord-embed-description').textContent()).toContain('*literally*');
  expect(await embed.locator('discord-embed-field discord-time').textContent()).toMatch(/^\d+ years ago$/);
  expect(await embed.locator('discord-embed-field strong').textContent()).toBe('bold');
  expect(await embed.locator('discord-embed-footer').textContent()).toBe('**footer** <t:5:R>');

  const spoiler = embed.getByRole('button', { name: 'Spoiler' });
  await spoiler.press('Enter');
  await expect.poll(() => spoiler.getAttribute('activated')).toBe('');
  expect(pageErrors).toEqual([]);
});

it('shows hostile text as text, links only to http and https, and loads nothing from outside', async () => {
  const hostile = '<img src=x onerror="document.title=1"> [a](javascript:alert(1)) 12345678901234567';
  const { externalUrls, pageErrors } = await openShow((interaction) =>
    interaction.reply({
      content: hostile,
      embeds: [
        {
          title: hostile,
          author: { name: hostile },
          fields: [{ name: hostile, value: hostile }],
          footer: { text: hostile },
          image: { url: 'https://cards.example/nowhere.png' },
        },
      ],
    }),
  );

  await say(page, '/show');

  const reply = replyTo(page, '/show');
  await reply.locator('discord-embed').waitFor();
  expect((await reply.textContent())?.split(hostile)).toHaveLength(7);
  expect(await reply.getByRole('link').count()).toBe(0);
  expect(await page.title()).toBe('cardbot sandbox');
  expect(externalUrls).toEqual([]);
  // The emulated Discord has no such picture
  expect(pageErrors.filter((text) => !text.includes('404'))).toEqual([]);
});

it('shows the top of a message higher than the view, also when its image loads late, and scrolls to the answer of a reader who had scrolled up', async () => {
  const picture = '<svg xmlns="http://www.w3.org/2000/svg" width="300" height="500"/>';
  await openShow(
    (interaction) =>
      interaction.reply({
        content: 'a line\n'.repeat(40),
        embeds: [{ image: { url: 'https://cards.example/tall.svg', description: 'A tower' } }],
      }),
    { image: () => ({ contentType: 'image/svg+xml', body: picture }) },
  );
  const released = Promise.withResolvers<void>();
  await page.route('**/external/**', async (route) => {
    await released.promise;
    await route.continue();
  });
  const chat = page.getByRole('log');
  const newestIsOnTop = async () => {
    const [newest, view] = await Promise.all([
      page.locator('discord-message').last().boundingBox(),
      chat.boundingBox(),
    ]);
    return Math.abs((newest?.y ?? Number.NaN) - (view?.y ?? Number.NaN)) < 30;
  };

  await say(page, '/show');
  const images = page.getByRole('img', { name: 'A tower' }); // read out so
  await images.first().waitFor({ state: 'attached' });
  await expect.poll(newestIsOnTop).toBe(true);
  released.resolve();
  await expect
    .poll(() => images.first().evaluate((image: { clientHeight: number }) => image.clientHeight))
    .toBeGreaterThan(99);
  await expect.poll(newestIsOnTop).toBe(true);

  await chat.press('Home');
  // At the very top: the browser scrolls there by and by, and a scroll under way would go on after the command
  await expect.poll(() => chat.evaluate((it: { scrollTop: number }) => it.scrollTop)).toBe(0);
  await say(page, '/show');
  await images.nth(1).waitFor({ state: 'attached' });
  await expect.poll(newestIsOnTop).toBe(true);
});

it('keeps what is typed while an earlier command is being sent', async () => {
  await openShow((interaction) => interaction.reply('done'));
  for (let sent = 0; sent < 5; sent++) await say(page, '/show');
  await expect.poll(() => page.getByText('done').count()).toBe(5);
  expect(await composer(page).inputValue()).toBe('');
});

const PICTURE = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAoAAAAKCAYAAACNMs+9AAAAFUlEQVR42mNk+M9Qz0AEYBxVSF+FABJADveWkH6oAAAAAElFTkSuQmCC',
  'base64',
);
const ROWS = [
  {
    type: 1,
    components: [
      { type: 2, style: 1, label: 'Next', custom_id: 'next' },
      { type: 2, style: 2, label: 'Rename', custom_id: 'name' },
    ],
  },
  {
    type: 1,
    components: [
      { type: 3, custom_id: 'pick', options: ['a', 'b'].map((value) => ({ label: `Pick ${value}`, value })) },
    ],
  },
] as const;

/** Handles every kind of interaction besides plain slash commands. */
async function playEverything(interaction: Interaction): Promise<unknown> {
  if (interaction.isAutocomplete()) {
    const typed = interaction.options.getFocused();
    return interaction.respond([{ name: `Card ${typed}`, value: `id-${typed}` }]);
  }
  if (interaction.isChatInputCommand()) {
    const files = [
      { attachment: PICTURE, name: 'small.png' },
      { attachment: Buffer.from('a,b'), name: 'list.csv' },
    ];
    return interaction.reply({ content: 'at first', components: ROWS, files });
  }
  if (interaction.isModalSubmit()) return interaction.reply(`named: ${interaction.fields.getTextInputValue('name')}`);
  if (interaction.isButton() && interaction.customId === 'name') {
    const field = { type: 18, label: 'New name', component: { type: 4, custom_id: 'name', style: 1 } };
    return interaction.showModal({ customId: 'form', title: 'Rename', components: [field] as never });
  }
  if (interaction.isButton()) return interaction.update({ content: 'changed' });
  if (interaction.isStringSelectMenu()) return interaction.reply({ content: `chosen: ${interaction.values}` });
  if (interaction.isMessageContextMenuCommand())
    return interaction.reply(`quoted: ${interaction.targetMessage.content}`);
  return undefined;
}

it('supports suggestions, files, buttons, select menus and context menus in direct messages', async () => {
  const { externalUrls, pageErrors } = await openBot(
    page,
    [
      {
        name: 'deck',
        description: 'Show a deck',
        options: [{ type: 3, name: 'id', description: 'x', required: true, autocomplete: true }],
      },
      { type: 3, name: 'Quote it' },
    ],
    playEverything,
  );
  await page.getByRole('button', { name: 'cardbot' }).click();

  await composer(page).focus();
  await page.keyboard.type('/deck');
  await page.getByRole('option', { name: '/deck' }).waitFor();
  await page.keyboard.press('Enter');
  await page.keyboard.type('dra');
  await page.getByRole('option', { name: 'Card dra' }).waitFor();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await page.keyboard.press('Enter');

  const reply = replyTo(page, '/deck id:id-dra');
  await reply.getByText('at first').waitFor();
  await reply.getByRole('link', { name: 'list.csv' }).waitFor();
  const picture = reply.getByRole('img', { name: 'small.png' });
  await expect.poll(() => picture.evaluate((it: { naturalWidth: number }) => it.naturalWidth)).toBe(10);

  await reply.getByRole('button', { name: 'Next' }).click();
  await reply.getByText('changed').waitFor();
  expect(await page.locator('discord-message').count()).toBe(1);
  await reply.getByRole('combobox', { name: 'Make a selection' }).selectOption('b');
  await page.getByText('chosen: b').waitFor();
  await reply.getByText('Apps').click();
  await reply.getByRole('button', { name: 'Quote it' }).click();
  await page.getByText('quoted: changed').waitFor();

  await reply.getByRole('button', { name: 'Rename' }).click();
  await page.getByLabel('New name').fill('Drake');
  await page.getByRole('button', { name: 'Submit' }).click();
  await page.getByText('named: Drake').waitFor();
  expect(await page.getByLabel('New name').count()).toBe(0);
  expect({ externalUrls, pageErrors }).toEqual({ externalUrls: [], pageErrors: [] });
});

it('sends what is chosen in a menu by keyboard with Enter, and nothing on the way to it', async () => {
  const chosen: string[] = [];
  await openBot(page, [{ name: 'show', description: 'Show something' }], async (interaction) => {
    if (interaction.isChatInputCommand()) {
      const options = ['a', 'b', 'c'].map((value) => ({ label: `Pick ${value}`, value }));
      return interaction.reply({ components: [{ type: 1, components: [{ type: 3, custom_id: 'pick', options }] }] });
    }
    if (!interaction.isStringSelectMenu()) return undefined;
    chosen.push(...interaction.values);
    return interaction.reply(`chosen: ${interaction.values}`);
  });
  await say(page, '/show');
  const menu = replyTo(page, '/show').getByRole('combobox', { name: 'Make a selection' });

  for (const key of ['ArrowDown', 'ArrowDown', 'ArrowDown', 'ArrowUp', 'Enter']) await menu.press(key);
  await page.getByText('chosen: b').waitFor();
  for (const key of ['Space', 'ArrowDown', 'Enter']) await menu.press(key); // in the open list
  await page.getByText('chosen: c').waitFor();

  expect(chosen).toEqual(['b', 'c']);
});

it('suggests for what is typed last, whatever arrives late, and Enter sends the text unless a row is chosen', async () => {
  let late = Promise.withResolvers<void>();
  const seen: string[] = [];
  await openBot(
    page,
    [
      {
        name: 'show',
        description: 'Show something',
        options: [{ type: 3, name: 'id', description: 'x', required: true, autocomplete: true }],
      },
    ],
    async (interaction) => {
      if (interaction.isChatInputCommand()) return interaction.reply(`shown: ${interaction.options.getString('id')}`);
      if (!interaction.isAutocomplete()) return undefined;
      const typed = interaction.options.getFocused();
      seen.push(typed);
      if (typed === 'a' || typed === 'ef') await late.promise;
      return interaction.respond([{ name: `Card ${typed || 'asked for last'}`, value: `id-${typed}` }]);
    },
  );
  const open = async () => {
    await composer(page).fill('/show');
    await composer(page).press('Enter');
    await page.getByRole('option', { name: 'Card asked for last' }).waitFor();
  };
  const rows = page.getByRole('listbox', { name: 'Choices for id' }).getByRole('option');

  await open();
  await page.keyboard.type('a');
  await expect.poll(() => seen).toContain('a');
  await page.keyboard.type('b');
  await rows.filter({ hasText: 'Card ab' }).waitFor();
  late.resolve();
  late = Promise.withResolvers<void>();
  await page.keyboard.type('c');
  await rows.filter({ hasText: 'Card abc' }).waitFor();
  expect(await rows.allTextContents()).toEqual([expect.stringContaining('Card abc')]);

  await page.keyboard.press('ArrowDown');
  await page.keyboard.type('d'); // what was chosen was for another text
  await page.keyboard.press('Enter');
  await page.getByText('shown: abcd').waitFor();

  await open();
  await page.keyboard.type('e');
  await rows.filter({ hasText: 'Card e' }).waitFor();
  await page.keyboard.type('f');
  await expect.poll(() => seen).toContain('ef');
  await page.keyboard.press('Escape');
  const arrived = page.waitForResponse('**/api/choices');
  late.resolve();
  await (await arrived).finished();
  await page.evaluate('new Promise((drawn) => requestAnimationFrame(() => setTimeout(drawn)))');
  expect(await rows.count()).toBe(0);
  await page.keyboard.press('Enter');
  await page.getByText('shown: ef').waitFor();
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

async function answerWithEverything(interaction: ChatInputCommandInteraction): Promise<void> {
  if (interaction.commandName === 'public') {
    await interaction.reply(EVERYTHING);
    await interaction.editReply(EVERYTHING);
  }
  if (interaction.commandName === 'private') await interaction.reply({ ...EVERYTHING, flags: MessageFlags.Ephemeral });
  if (interaction.commandName === 'thinking') await interaction.deferReply();
}

it('every text is legible in the dark and in the light theme', async () => {
  onTestFinished(() => page.emulateMedia({ colorScheme: null }));
  const handle = async (interaction: Interaction) =>
    interaction.isChatInputCommand() && answerWithEverything(interaction);
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
  // The line comes back with it: between the two steps of a fill it would be added to, not replaced
  await page.getByText('There is no command /nothing here.').waitFor();
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
