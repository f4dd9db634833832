import { once } from 'node:events';
import {
  type ApplicationCommandDataResolvable,
  type ButtonInteraction,
  type ChatInputCommandInteraction,
  Client,
  Events,
  type Interaction,
  MessageFlags,
} from 'discord.js';
import { beforeAll, describe, expect, it } from 'vitest';
import type { EmulatedDiscordOptions } from '../../sandbox/discord/emulated-discord.ts';
import { EmbeddedCardService } from '../../sandbox/service/service.ts';
import { openDiscord, PATIENT } from '../support/backends.ts';
import { onFinished } from '../support/on-finished.ts';
import {
  AXE,
  composer,
  openPage,
  openSources,
  option,
  page,
  press,
  replyTo,
  say,
  sees,
  the,
  typeKeys,
} from '../support/page.ts';

beforeAll(openPage);

describe('messages of any bot', () => {
  type Handle = (interaction: Interaction) => Promise<unknown>;
  const SHOW = { name: 'show', description: 'Show something', integration_types: [0, 1] };
  const SHOW_ID = {
    ...SHOW,
    options: [{ type: 3, name: 'id', description: 'x', required: true, autocomplete: true }],
  };

  /** Opens the page with a bot of these commands: an unmodified client of discord.js. */
  async function openBot(
    commands: readonly ApplicationCommandDataResolvable[],
    handle: Handle,
    options: EmulatedDiscordOptions = {},
  ) {
    const discord = await openDiscord({ lifetimes: PATIENT, ...options });
    const client = new Client({ intents: 0, rest: { api: discord.apiUrl } });
    onFinished(() => client.destroy());
    client.on(Events.Error, () => {});
    client.on(Events.InteractionCreate, (interaction) => void handle(interaction));
    await Promise.all([once(client, Events.ClientReady), client.login(discord.botToken)]);
    await client.application?.commands.set(commands);
    return await openSources({ discord, cardService: new EmbeddedCardService() });
  }

  /** With a bot whose only command `/show` is answered so. */
  function openShow(answer: (interaction: ChatInputCommandInteraction) => Promise<unknown>) {
    return openBot([SHOW], async (interaction) => interaction.isChatInputCommand() && answer(interaction));
  }

  const EMBED = {
    author: { name: '**author**' },
    title: 'a *title*',
    url: 'https://cards.example/a',
    fields: [{ name: 'when', value: '<t:1700000000:R> **bold** `code`', inline: true }],
    footer: { text: '**footer** <t:5:R>' },
  };

  it('have Markdown in titles, descriptions and field values, and none in footers and authors', async () => {
    const faults = await openShow((interaction) =>
      interaction.reply({ embeds: [{ ...EMBED, description: '[link](https://cards.example/b) ||hidden||' }] }),
    );
    await say('/show');

    const embed = page.locator('.embed');
    await embed.waitFor();
    const parts = {
      author: '**author**',
      'title em': 'title',
      'field strong': 'bold',
      footer: '**footer** &lt;t:5:R&gt;',
    };
    for (const [part, shown] of Object.entries(parts))
      expect(await embed.locator(`.embed-${part}`).innerHTML()).toBe(shown);
    expect(await embed.locator('.embed-title a').getAttribute('href')).toBe('https://cards.example/a');
    expect(await embed.getByRole('link', { name: 'link' }).getAttribute('rel')).toBe('noopener noreferrer');
    expect(await embed.locator('.embed-field time').textContent()).toMatch(/^\d+ years ago$/);
    const spoiler = embed.getByRole('button', { name: 'Spoiler' });
    await spoiler.press('Enter');
    await expect.poll(() => spoiler.count()).toBe(0);
    expect(faults).toEqual([]);
  });

  it('that are hostile are text, link only to http and https, and load nothing from outside', async () => {
    const hostile = '<img src=x onerror="document.title=1"> [a](javascript:alert(1)) 12345678901234567';
    const faults = await openShow((interaction) =>
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
    await say('/show');

    const reply = replyTo('/show');
    await reply.locator('.embed').waitFor();
    expect((await reply.textContent())?.split(hostile)).toHaveLength(7);
    expect(await reply.getByRole('link').count()).toBe(0);
    expect(await page.title()).toBe('cardbot sandbox');
    // The emulated Discord has no such picture
    expect(faults.filter((text) => !/^[^:]*Failed to load.*404/.test(text))).toEqual([]);
  });

  const PICTURE = Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAAAoAAAAKCAYAAACNMs+9AAAAFUlEQVR42mNk+M9Qz0AEYBxVSF+FABJADveWkH6oAAAAAElFTkSuQmCC',
    'base64',
  );
  const MENU = {
    type: 3,
    custom_id: 'pick',
    options: ['a', 'b', 'c'].map((value) => ({ label: `Pick ${value}`, value })),
  } as const;
  const ROWS = [
    {
      type: 1,
      components: [
        { type: 2, style: 1, label: 'Next', custom_id: 'next' },
        { type: 2, style: 2, label: 'Rename', custom_id: 'name' },
      ],
    },
    { type: 1, components: [MENU] },
  ] as const;

  const FILES = [
    { attachment: PICTURE, name: 'small.png' },
    { attachment: Buffer.from('a,b'), name: 'list.csv' },
  ];

  function pressed(interaction: ButtonInteraction): Promise<unknown> {
    if (interaction.customId !== 'name') return interaction.update({ content: 'changed' });
    const field = { type: 18, label: 'New name', component: { type: 4, custom_id: 'name', style: 1 } };
    return interaction.showModal({ customId: 'form', title: 'Rename', components: [field] as never });
  }

  /** What somebody has sent with a form, a menu or the menu of a message. */
  function wordOf(interaction: Interaction): string | undefined {
    if (interaction.isModalSubmit()) return `named: ${interaction.fields.getTextInputValue('name')}`;
    if (interaction.isStringSelectMenu()) return `chosen: ${interaction.values}`;
    return interaction.isMessageContextMenuCommand() ? `quoted: ${interaction.targetMessage.content}` : undefined;
  }

  it('have files, buttons, menus by keyboard too, forms and context menus, in direct messages as well', async () => {
    const chosen: string[] = [];
    const answer: Handle = async (interaction) => {
      if (interaction.isAutocomplete()) {
        const typed = interaction.options.getFocused();
        return interaction.respond([{ name: `Card ${typed}`, value: `id-${typed}` }]);
      }
      if (interaction.isChatInputCommand())
        return interaction.reply({ content: 'at first', components: ROWS, files: FILES });
      if (interaction.isButton()) return pressed(interaction);
      if (interaction.isStringSelectMenu()) chosen.push(...interaction.values);
      return interaction.isRepliable() && interaction.reply(wordOf(interaction) ?? 'nothing');
    };
    const faults = await openBot([SHOW_ID, { type: 3, name: 'Quote it' }], answer);
    await press('cardbot');
    await composer().focus();
    await page.keyboard.type('/show');
    await option('/show').waitFor();
    await typeKeys(['Enter', 'dra']);
    await option('Card dra').waitFor();
    await typeKeys(['Enter', 'Enter']);

    const reply = replyTo('/show id:id-dra');
    await reply.getByText('at first').waitFor();
    await reply.getByRole('link', { name: 'list.csv' }).waitFor();
    const picture = reply.getByRole('img', { name: 'small.png' });
    await expect.poll(() => picture.evaluate((it: { naturalWidth: number }) => it.naturalWidth)).toBe(10);

    await reply.getByRole('button', { name: 'Next' }).click();
    await reply.getByText('changed').waitFor();
    expect(await page.locator('.message').count()).toBe(1);
    // Enter sends what is chosen by keyboard, and nothing is sent on the way to it
    const menu = reply.getByRole('combobox', { name: 'Make a selection' });
    for (const key of ['ArrowDown', 'ArrowDown', 'ArrowDown', 'ArrowUp', 'Enter']) await menu.press(key);
    await sees('chosen: b');
    for (const key of ['Space', 'ArrowDown', 'Enter']) await menu.press(key); // in the open list
    await sees('chosen: c');
    expect(chosen).toEqual(['b', 'c']);
    await reply.getByText('Apps').click();
    await reply.getByRole('button', { name: 'Quote it' }).click();
    await sees('quoted: changed');

    await reply.getByRole('button', { name: 'Rename' }).click();
    await page.getByLabel('New name').fill('Drake');
    await press('Submit');
    await sees('named: Drake');
    expect(await page.getByLabel('New name').count()).toBe(0);
    expect(faults).toEqual([]);
  });

  it('are suggested for what is typed last, whatever arrives late, Enter takes the first of them once, and what was closed is sent as typed', async () => {
    let late = Promise.withResolvers<void>();
    const seen: string[] = [];
    await openBot([SHOW_ID], async (interaction) => {
      if (interaction.isChatInputCommand()) return interaction.reply(`shown: ${interaction.options.getString('id')}`);
      if (!interaction.isAutocomplete()) return undefined;
      const typed = interaction.options.getFocused();
      seen.push(typed);
      if (typed === 'a' || typed === 'ef') await late.promise;
      return interaction.respond([{ name: `Card ${typed || 'asked for last'}`, value: `id-${typed}` }]);
    });
    const open = async () => {
      await say('/show');
      await option('Card asked for last').waitFor();
    };
    const rows = the('listbox', 'Choices for id').getByRole('option');

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
    await typeKeys(['d', 'Enter', 'Enter']); // the row that is shown is for another text
    await sees('shown: id-abcd');
    expect(await page.locator('.message').count()).toBe(1);

    const lines = ['g', 'h'].flatMap((id) => [...'/show', 'Enter', id, 'Enter', 'Enter']);
    await typeKeys(lines); // the second command before the first is sent
    await sees('shown: id-g');
    await sees('shown: id-h');

    await open();
    await page.keyboard.type('e');
    await rows.filter({ hasText: 'Card e' }).waitFor();
    await page.keyboard.type('f');
    await expect.poll(() => seen).toContain('ef');
    await page.keyboard.press('Escape');
    const arrived = page.waitForResponse('**/api/complete');
    late.resolve();
    await (await arrived).finished();
    await page.evaluate('new Promise((drawn) => requestAnimationFrame(() => setTimeout(drawn)))');
    expect(await rows.count()).toBe(0);
    await page.keyboard.press('Enter');
    await sees('shown: ef');
  });

  /**
   * For the browser: of the visible texts how many axe-core finds legible, and which it does not, or cannot tell. Large ones are
   * held to the contrast of others, and short ones are not left out; disabled controls may be pale.
   */
  const LEGIBLE = `(async () => {
    axe.configure({ checks: [{ id: 'color-contrast', options: {
      ignoreUnicode: false, ignoreLength: true, contrastRatio: { large: { expected: 4.5 } },
    } }] });
    const { passes, violations, incomplete } = await axe.run({ runOnly: ['color-contrast'] });
    const nodesOf = (results) => results.flatMap(({ nodes }) => nodes);
    const pale = nodesOf([...violations, ...incomplete]).map(({ html, any }) => any[0].message + ' ' + html);
    return { legible: nodesOf(passes).length, pale };
  })()`;

  it('are legible, every text of them, in the dark and in the light theme', async () => {
    const link = '[link](https://cards.example/)';
    const everything = {
      content: `**bold** ${link} <@1> \`code\` <t:1700000000:R>\n> quote\n-# small print`,
      embeds: [{ ...EMBED, description: `description ${link}\n-# small print`, timestamp: '2026-01-01T00:00:00Z' }],
      components: [
        {
          type: 1,
          components: [1, 2, 3, 4].map((style) => ({
            type: 2,
            style,
            label: `button ${style}`,
            custom_id: `${style}`,
          })),
        },
        { type: 1, components: [MENU] },
      ],
    } as const;
    const answers: Record<string, (interaction: ChatInputCommandInteraction) => Promise<unknown>> = {
      async public(interaction) {
        await interaction.reply(everything as never);
        await interaction.editReply(everything as never);
      },
      private: (interaction) => interaction.reply({ ...everything, flags: MessageFlags.Ephemeral } as never),
      thinking: (interaction) => interaction.deferReply(),
      silent: async () => {},
    };
    await openBot(
      Object.keys(answers).map((name) => ({ name, description: `Is ${name}` })),
      async (interaction) => interaction.isChatInputCommand() && answers[interaction.commandName]?.(interaction),
      { lifetimes: { ...PATIENT, ackMs: 6_000 } }, // whoever answers does so in time on a busy machine
    );
    const shown = {
      public: '(edited)',
      private: 'Dismiss message',
      thinking: 'is thinking',
      silent: 'The application did not respond',
    };
    for (const [name, words] of Object.entries(shown)) {
      await say(`/${name}`);
      await replyTo(`/${name}`).getByText(words).waitFor();
    }
    await say('/nothing'); // a problem beside the composer
    // The line comes back with it: between the two steps of a fill it would be added to, not replaced
    await sees('There is no command /nothing here.');
    await composer().fill('/'); // the list of commands
    await option('Is public').waitFor();

    await page.evaluate(AXE);
    for (const colorScheme of ['dark', 'light'] as const) {
      await page.emulateMedia({ colorScheme });
      const { legible, pale } = (await page.evaluate(LEGIBLE)) as { legible: number; pale: string[] };
      expect(pale).toEqual([]);
      expect(legible).toBeGreaterThan(80);
    }
  });
});
