import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { parseEnv } from 'node:util';
import {
  type ApplicationCommandDataResolvable,
  type ButtonInteraction,
  type ChatInputCommandInteraction,
  Client,
  Events,
  type Interaction,
  MessageFlags,
} from 'discord.js';
import type { Locator, Page } from 'playwright-core';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { EmulatedDiscordOptions } from '../../sandbox/discord/emulated-discord.ts';
import { type PageServerOptions, startPageServer } from '../../sandbox/page/page-server.ts';
import { SAMPLE_CATALOG } from '../../sandbox/sample-cards.ts';
import { EmbeddedCardService } from '../../sandbox/service/service.ts';
import { run } from '../cli/run.ts';
import { openDiscord, startAppBot } from '../support/backends.ts';
import { type BotProcess, startUnderNpm } from '../support/bot-process.ts';
import { launchBrowser } from '../support/browser.ts';
import { onFinished } from '../support/on-finished.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { startWorld } from '../support/world.ts';

type Size = readonly [width: number, height: number];
const PHONE: Size = [390, 844];
const DESKTOP: Size = [1_280, 800];
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

let page: Page;

beforeAll(async () => {
  page = await openPage();
});

async function openSources(sources: Omit<PageServerOptions, 'port'>) {
  const server = await startPageServer({ port: 0, ...sources });
  onTestFinished(() => server.close());
  return await visitPage(server.url);
}

/** As fast as possible: names of keys are pressed, everything else is typed. */
async function typeKeys(keys: readonly string[]): Promise<void> {
  for (const key of keys) {
    if (/^(Enter|Tab|↓|Escape)$/.test(key)) await page.keyboard.press(key === '↓' ? 'ArrowDown' : key);
    else await page.keyboard.type(key);
  }
}

/** A part of the page by its role, and by its name where there are several. */
function the(role: Parameters<Page['getByRole']>[0], name: string | RegExp = /(?:)/): Locator {
  return page.getByRole(role, { name });
}

const choose = (menu: string, label: string) => the('combobox', menu).selectOption({ label });
const press = (name: string) => page.getByRole('button', { name, exact: true }).click();
/** Resolves when it is on the page. */
const sees = (words: string | RegExp) => page.getByText(words).waitFor();
const option = (name: string) => the('option', name).first();

describe('the whole app', () => {
  async function openSandbox() {
    const world = await startWorld({ catalog: SAMPLE_CATALOG });
    return { world, faults: await openSources(world) };
  }

  it('gives a newcomer a card with one request by the first instruction, however fast it is followed', async () => {
    const { world, faults } = await openSandbox();
    const keys = await the('region', 'Welcome').locator('kbd').allTextContents();
    expect(keys.join(' ')).toBe('/card Enter ember Enter Enter');
    await typeKeys(keys);

    const reply = replyTo('/card id:base1-4');
    const picture = reply.locator('.embed-image');
    await picture.waitFor();
    expect(await reply.textContent()).toMatch(/Emberwing Drake.*36\.33 market.*999 of 1,000 new lookups left today/s);
    await expect.poll(() => picture.evaluate((it: { naturalWidth: number }) => it.naturalWidth)).toBeGreaterThan(0);
    expect(world.cardService.requests).toHaveLength(1);
    // What was asked for last is the first suggestion now
    await typeKeys(['/card', 'Enter']);
    await option('Emberwing Drake').waitFor();
    expect(faults).toEqual([]);
  });

  it('takes a whole line, and completes an option with Tab: what it adds begins with what differs from the default', async () => {
    await openSandbox();
    await typeKeys(['/card', 'Tab', 'ember']);
    await option('Emberwing Drake · 4/102 · First Light').waitFor();
    await typeKeys(['Tab', 'Tab', 'Enter', 'Tab', 'Enter', 'Enter']); // adds each of the other options, then sends
    await replyTo('/card id:base1-4 prices:false private:true').waitFor();

    await page.keyboard.type('/card');
    await option('/card id').waitFor();
    // As if typed faster than the list of commands loads
    await page.route('**/api/commands', () => {});
    await typeKeys([' deep-2 private:True prices:no', 'Enter']);
    await replyTo('/card id:deep-2 prices:false private:true').getByText('Only you can see this').waitFor();
  });

  it('answers /usage for its member alone, and offers it with Manage Server only, not in direct messages', async () => {
    await openSandbox();
    await say('/usage');
    await replyTo('/usage').locator('.embed').getByText('@Alice').waitFor();
    await choose('Member', 'Björn');
    await replyTo('/usage').waitFor({ state: 'detached' });
    await choose('Member', 'Alice');
    await replyTo('/usage').waitFor();
    await the('button', 'Dismiss message').press('Enter');
    await replyTo('/usage').waitFor({ state: 'detached' });

    await the('checkbox', 'with Manage Server').uncheck();
    await composer().fill('/');
    await option('/card id').waitFor();
    expect(await the('option', '/usage').count()).toBe(0);
    await press('cardbot');
    await say('/usage');
    await sees('There is no command /usage here.');
  });

  it('has switches that the card service obeys', async () => {
    const { world } = await openSandbox();
    const state = () => world.cardService.state();
    for (const [menu, label, switches] of [
      ['Outage', '503, wait 30 s', { down: true, downRetryAfterSeconds: 30 }],
      ['Outage', 'none', { down: false, downRetryAfterSeconds: 0 }],
      ['Speed', '2 s', { latencyMs: 2_000 }],
      ['Prices', '−10 %', { pricePercent: -10 }],
    ] as const) {
      await choose(menu, label);
      await expect.poll(() => state().switches, { message: label }).toMatchObject(switches);
    }
    await sees(/come back every minute/);
    await sees('The bot hears of it when it asks again');
    await press('429 storm for 30 s');
    const end = page.getByText(/Every request gets a 429/).locator('time');
    const atFirst = await end.textContent();
    await expect.poll(() => end.textContent()).not.toBe(atFirst); // relative times keep counting
    await press('End the 429 storm');
    await end.waitFor({ state: 'hidden' });
    for (const [button, left] of [
      ['Use up the day', 0],
      ['Refill the day', state().dayLimit],
    ] as const) {
      await press(button);
      await expect.poll(() => state().dayRemaining).toBe(left);
    }
  });

  it('shows the requests that reached it, those for several cards with their ids; a dropped connection loses no command', async () => {
    const { world } = await openSandbox();
    await say('/card nothing-1');
    const row = the('row').filter({ hasText: '/cards/nothing-1' });
    await row.getByRole('cell', { name: '404' }).waitFor();
    await world.cardService.fetch('http://cards.test/cards?ids=base1-4,base1-1');
    await the('cell', '2 cards: base1-4, base1-1').waitFor();

    await press('Drop the gateway connection');
    await expect.poll(() => world.discord.gateway.resumes).toBe(1);
    await say('/card base1-4');
    await page.locator('.embed').waitFor();
  });

  it('explains a mistake beside the composer, sends nothing and keeps the command', async () => {
    const { world } = await openSandbox();
    const isTold = (words: string) => the('alert').filter({ hasText: words }).waitFor();
    await say('/nope');
    await isTold('There is no command /nope here.');
    await world.stop(); // without a bot no command can be sent
    await say('/card base1-4');
    await isTold('No bot is connected');
    const id = the('combobox', 'id');
    await expect.poll(() => id.inputValue()).toBe('base1-4');
    await id.press('Escape');
    await say('/card a private:maybe');
    await isTold('The option "private" of /card must be true or false.');
    await page.context().setOffline(true);
    await press('Drop the gateway connection');
    await isTold('The sandbox does not answer.');
    expect(world.discord.messages()).toEqual([]);
  });

  it('opens a form for missing options; Escape closes its suggestions, and once more the form', async () => {
    await openSandbox();
    await say('/card private:True');
    await sees('/card needs the option "id".');
    await typeKeys(['deep-2', 'Enter', 'Enter']);
    await replyTo('/card id:deep-2 private:true').waitFor();

    await say('/card');
    await the('combobox', 'id').waitFor();
    // A busy machine may suggest the card that was looked up only after the first of them.
    await typeKeys(['Escape', 'Escape']);
    await expect.poll(() => page.locator('.suggestions').getByRole('option').count()).toBe(0);
    await expect.poll(() => composer().inputValue()).toBe('/card');
  });
});

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
    const discord = await openDiscord(options);
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

  it('have Markdown in titles, descriptions and field values, and none in footers and authors', async () => {
    const faults = await openShow((interaction) =>
      interaction.reply({
        embeds: [
          {
            author: { name: '**author**' },
            title: 'a *title*',
            url: 'https://cards.example/a',
            description: '[link](https://cards.example/b) ||hidden||',
            fields: [{ name: 'when', value: '<t:1700000000:R> **bold**', inline: true }],
            footer: { text: '**footer** <t:5:R>' },
          },
        ],
      }),
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
      embeds: [
        {
          author: { name: 'author' },
          title: 'title',
          url: 'https://cards.example/',
          description: `description ${link}\n-# small print`,
          fields: [{ name: 'name', value: 'value `code`', inline: true }],
          footer: { text: 'footer' },
          timestamp: '2026-01-01T00:00:00Z',
        },
      ],
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
      { lifetimes: { ackMs: 3_000, tokenMs: 600_000 } },
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

describe('npm run sandbox', () => {
  const FOUND = '“ember” found 3 cards with 0 requests. The card itself took 1 request for Alice, and 0 for Björn.';
  /** Three, if the machine is not too busy to take the members one after the other. */
  const CROWD = /^30 members asked, 30 got their card, and the card service received [1-3] requests?\.$/;
  const TOLD =
    "The watch took 0 requests. Amara's lookup renewed the card with 1 request, its price had crossed Alice's line, and the bot wrote to her.";
  /** Of the height of a phone. */
  const LEAST_CHAT = 0.6;
  const LOWEST_PORT = 20_000;
  /** A phone, an iPhone SE, a desktop at 200 %, and the least that WCAG 2 asks for: 1280 pixels at 400 %. */
  const SMALL: readonly Size[] = [PHONE, [320, 640], [640, 480], [320, 256]];
  /** For the browser: what axe-core finds wrong, and where. */
  const VIOLATIONS = `axe.run({ resultTypes: ['violations'] }).then(({ violations }) =>
    violations.flatMap(({ id, nodes }) => nodes.map(({ target }) => id + ': ' + target.join(' '))))`;
  /** For the browser: the menus with a choice that is wider than the menu, and placeholders wider than their field. */
  const CUT = `[...document.querySelectorAll('select, input')].flatMap((field) => {
    if (field.closest('.message') || !field.checkVisibility()) return []; // a menu in a reply may cut, as Discord's
    const { font, paddingLeft, paddingRight } = getComputedStyle(field);
    const arrow = field.matches('select') ? 20 : 0;
    const pen = Object.assign(document.createElement('canvas').getContext('2d'), { font });
    const texts = field.matches('select') ? [...field.options].map(({ text }) => text) : [field.placeholder];
    return texts.filter((text) => {
      if (field.matches('select')) field.value = [...field.options].find((option) => option.text === text).value;
      return pen.measureText(text).width + parseFloat(paddingLeft) + parseFloat(paddingRight) + arrow > field.offsetWidth;
    });
  })`;
  /** For the browser: the lower edge of the composer, and how far the page can be scrolled. */
  const EDGES = `({
    composer: Math.round(document.querySelector('.row').getBoundingClientRect().bottom),
    right: document.documentElement.scrollWidth,
    bottom: document.documentElement.scrollHeight,
  })`;

  let url: string;
  beforeAll(async () => {
    const sandbox = startSandboxProgram('--quick');
    await sandbox.wrote('and type: /card');
    url = urlOf(sandbox);
  });

  function startSandboxProgram(...options: string[]): ReturnType<typeof startUnderNpm> {
    return startUnderNpm(['run', 'sandbox', '--', '--port', '0', ...options]);
  }

  function urlOf(program: BotProcess): string {
    return /http:\/\/127\S+/.exec(program.output())?.[0] ?? expect.fail(program.output());
  }

  const guide = () => the('region', 'A guided minute');

  /** Resolves when the line below what to watch says it. */
  async function happened(text: string | RegExp): Promise<void> {
    const said = guide().getByRole('status').locator('p.good');
    await expect.poll(() => said.textContent()).toMatch(text);
  }

  /** Everything is as when the sandbox was started: it is reset when another test has used it. */
  async function beginAnew(): Promise<void> {
    await visitPage(url);
    const count = the('heading', 'Requests that reached it');
    if ((await count.textContent())?.endsWith(': 0')) return;
    const isReset = page.waitForResponse((response) => response.url().endsWith('/api/reset')); // what follows may hold before
    await press('Reset sandbox');
    await isReset;
    await sees('Requests that reached it: 0');
    await expect.poll(() => page.locator('.message').count()).toBe(1);
    await page.getByText('The bot (connected)').waitFor();
  }

  async function expectInView(part: Locator): Promise<void> {
    const isInView = async () => {
      const [box, log] = await Promise.all([part.boundingBox(), the('log').boundingBox()]);
      return box && log && box.y >= log.y && box.y + box.height <= log.y + log.height;
    };
    await expect.poll(isInView, { message: String(part) }).toBe(true);
  }

  async function expectNoViolation(state: string): Promise<void> {
    if (!(await page.evaluate("'axe' in globalThis"))) await page.evaluate(AXE);
    await expect.poll(() => page.evaluate(VIOLATIONS), { message: state }).toEqual([]); // once messages are drawn
  }

  async function expectComposerInSight(state: string): Promise<void> {
    for (const size of SMALL) {
      await resize(size);
      const [right, bottom] = size;
      for (const name of ['Chat', 'Card service']) {
        await the('tab', name).click();
        const edges = (await page.evaluate(EDGES)) as { composer: number };
        expect({ state, name, ...edges }).toMatchObject({ right, bottom });
        expect(edges.composer, `${state}, ${name}`).toBeLessThanOrEqual(bottom);
      }
    }
    await resize(DESKTOP);
  }

  it('has a page with which axe-core finds nothing wrong, dark or light, and whose composer is in sight on every screen', async () => {
    await beginAnew();
    await page.emulateMedia({ colorScheme: 'dark' });
    await expectComposerInSight('empty');
    await typeKeys(['/card', 'Enter', 'ember']);
    await option('Emberwing Drake · 4/102 · First Light').waitFor();
    await expectNoViolation('suggestions');
    await typeKeys(['Tab', 'Tab', 'Enter']);
    await page.getByRole('combobox', { name: 'prices', exact: true }).waitFor();
    await expectNoViolation('form');
    await typeKeys(['Escape', 'Escape']); // the form, and its name
    await say('/card base1-4');
    await say('/cards base1-4,tide-27 private:True');
    await say('/card first light');
    await expect.poll(() => page.locator('.embed').count()).toBe(3);
    await sees('Which of these cards do you mean?');
    await page.getByText('Apps').first().press('Enter');
    await expectNoViolation('used, dark');
    await expectComposerInSight('used');
    await press('The day runs out');
    await happened('The day stays used up');
    await press('Kill the process');
    await sees('cardbot is gone.');
    await page.emulateMedia({ colorScheme: 'light' });
    await expectNoViolation('without a bot, light');
    await press('Start the process');
    await page.reload();
    await page.locator('.embed').first().waitFor();
    await expectComposerInSight('opened again after use');
  });

  it('leaves the chat three fifths of a phone, whatever the guide says; tabs change by arrow keys, and with a command', async () => {
    await beginAnew();
    await resize(PHONE);
    expect(await guide().getByRole('list').innerText()).toMatch(/Find a card\s+Thirty ask/);
    await press('The day runs out');
    await happened('The day stays used up');
    for (const size of [PHONE, [320, 568]] as const) {
      await resize(size);
      const [chat, steps, text] = await Promise.all(
        [the('log'), guide().getByRole('list'), guide().getByRole('status')].map((part) => part.boundingBox()),
      );
      if (!chat || !steps || !text) throw new Error('something is not there');
      expect(chat.height / size[1]).toBeGreaterThan(LEAST_CHAT - 0.005); // pixels are whole
      expect(text.y).toBeGreaterThanOrEqual(steps.y + steps.height);
      expect(text.y + text.height).toBeLessThanOrEqual(chat.y);
      await expectInView(page.getByText("Today's new lookups are used up.").last());
    }
    await the('tab', 'Chat').press('ArrowRight');
    await the('heading', 'The card service').waitFor();
    expect(await the('log').isVisible()).toBe(false);
    await say('/card base1-4');
    await the('log').waitFor();
  });

  /** As low as the window of any desktop in use, and a phone. */
  it.each([[1366, 625], [...PHONE]])(
    'has the first card in view at %s × %s, the steps in one row, and no choice is cut',
    async (width, height) => {
      await beginAnew();
      await resize([width, height]);
      const steps = await guide().getByRole('button').all();
      const rows = await Promise.all(steps.map(async (step) => (await step.boundingBox())?.y));
      expect(new Set(rows).size).toBe(1);
      await typeKeys(['/card', 'Enter', 'ember']);
      await option('Emberwing Drake').waitFor();
      await typeKeys(['Enter', 'Enter']);
      const embed = page.locator('.embed');
      await embed.locator('img').last().waitFor();
      for (const text of ['Emberwing Drake', 'market']) await expectInView(embed.getByText(text).first());
      if (width > 800) {
        for (const part of [embed.locator('img'), the('button', 'Watch')]) await expectInView(part);
        const kill = await the('button', 'Kill the process').boundingBox();
        expect(kill?.y).toBeLessThan(height - 30); // what is worth trying needs no scrolling
      }
      if (width < 800) await the('tab', 'Card service').click();
      await expect.poll(() => page.evaluate(CUT)).toEqual([]); // once it is laid out
    },
  );

  it('has a guided minute, each step of which says what happened, in figures, at any time', async () => {
    await beginAnew();
    const faults = await visitPage(url);
    // Whoever one was, and wherever
    await choose('Member', 'Zoe');
    await press('cardbot');
    await press('Find a card by name');
    await the('heading', '#card-talk').waitFor();
    await happened(FOUND);
    expect(await page.getByText('Alice types “ember”').isVisible()).toBe(true);
    await the('row').filter({ hasText: '/cards/promo-7' }).getByText('for Alice').waitFor();

    // Each begins with everything as at the start: with a bot, although there is none
    await press('Kill the process');
    await page.getByText('The bot (stopped)').waitFor();
    await sees('cardbot is gone.');
    await press('Find a card by name');
    // With another, although that is killed while it starts
    await page.getByText('The bot (starting)').waitFor();
    await press('Kill the process');
    await press('Kill the bot while members wait');
    await happened(/^3 replies said “thinking…” .* and 3 of 3 got their cards, with \d requests in all\.$/);
    await press('Thirty ask at once');
    await happened(CROWD);
    await sees(/Requests that reached it: [1-3]$/);
    await expect.poll(() => page.locator('.askers .card').count()).toBe(30);
    // Although the card that is watched has been renewed meanwhile
    await say('/card base1-4');
    await replyTo('/card id:base1-4').getByText('(edited)').waitFor();
    await press('A price moves');
    await happened(TOLD);
    await expectInView(page.getByText('Emberwing Drake is at $39.96, above your target of $38.00.'));
    // With a switch that was used
    const outage = the('combobox', 'Outage');
    await outage.selectOption('503, wait 2 min');
    await press('The day runs out');
    await happened(
      /^1 request found the day used up\. 1 known card still appeared, and 5 of 5 members .* were told .* with 0 requests\./,
    );
    expect(await outage.inputValue()).toBe('none');
    await expectInView(page.getByText("Today's new lookups are used up.").last());
    // After a day that was used up
    await press('The service says 429');
    await happened(
      /^1 request got a 429 that said to wait 2 s, and 0 more arrived in that time\. Then (\d requests? answered 3 of 3 members\.|2 requests answered 3 of 3 members: cards that waited together left as one list, which counts as one request\.)$/,
    );
    expect(faults).toEqual([]);
  });

  it('is stopped by Ctrl-C after the lookup in progress is answered', async () => {
    const program = startSandboxProgram();
    await program.wrote('and type: /card');
    await visitPage(urlOf(program));
    const isSlow = page.waitForResponse('**/api/set');
    await choose('Speed', '2 s');
    await isSlow;
    await say('/card tide-18');
    await sees('cardbot is thinking…');
    program.ctrlC();
    expect(await program.ended).toBe(0);
    expect(program.output()).toContain('"outcome":"answered"');
  });

  it('leaves no process behind when it is killed', async () => {
    const program = startSandboxProgram();
    await program.wrote('"msg"'); // the bot's first line
    const [pid = expect.fail('npm runs nothing')] = childrenOf(program.child.pid);
    const children = childrenOf(pid);
    expect(children.length).toBeGreaterThan(0);
    process.kill(pid, 'SIGKILL');
    await expect.poll(() => children.filter(isAlive)).toEqual([]);
  });

  it('prints without its bot the lines for the .env of another, the same at each start, and how to import its cards', async () => {
    const port = String(LOWEST_PORT + 3 * (process.pid % 3_000)); // below those that the system gives to others
    const before = startSandboxProgram('--no-bot', '--port', port);
    await before.wrote('catalog -- import');
    before.ctrlC();
    expect(await before.ended).toBe(0);
    const program = startSandboxProgram('--no-bot', '--port', port);
    await program.wrote('catalog -- import');
    const envLines = ({ output }: BotProcess) => output().split(/For your .env, while this runs:|The names/)[1] ?? '';
    expect(envLines(program)).toBe(envLines(before));
    const env = parseEnv(envLines(program)) as Record<string, string>;
    expect(Object.keys(env).sort()).toEqual([
      'CARD_SERVICE_API_KEY',
      'CARD_SERVICE_URL',
      'DISCORD_API_URL',
      'DISCORD_TOKEN',
    ]);
    const own: Record<string, string> = { ...env, DATA_DIR: temporaryFolder() };
    expect(await run(['commands', 'register'], { env: own })).toMatchObject({ code: 0 });
    const [, list = ''] = /npm run catalog -- import (\S+)/.exec(program.output()) ?? [];
    expect(await run(['catalog', 'import', list], { env: own })).toMatchObject({ code: 0 });
    const bot = await startAppBot(own);
    await bot.wrote('gateway ready');
    await visitPage(urlOf(program));
    await say('/card wick who waits');
    await page.locator('.embed').getByText('Wick, Who Waits').first().waitFor();
    expect(await guide().isVisible()).toBe(false);
  });

  function childrenOf(pid = 0): number[] {
    return execFileSync('pgrep', ['-P', String(pid)], { encoding: 'utf8' })
      .trim()
      .split('\n')
      .map(Number);
  }

  function isAlive(pid: number): boolean {
    try {
      return process.kill(pid, 0);
    } catch {
      return false;
    }
  }
});

const WAIT_MS = 60_000;

// Logged by the browser when the server answers 4xx, which some tests expect
const EXPECTED_ERROR = /^Failed to load resource: the server responded with a status of 422/;

/** One page for all tests of a file: a page per test would cost a browser process each. */
async function openPage(): Promise<Page> {
  const browser = await launchBrowser();
  onFinished(() => browser.close());
  // Each frame of a movement costs CPU time.
  const context = await browser.newContext({ timezoneId: 'UTC', reducedMotion: 'reduce' });
  // Shorter than the test's timeout, so that a failure names the missing element
  context.setDefaultTimeout(WAIT_MS);
  return await context.newPage();
}

const resize = ([width, height]: Size) => page.setViewportSize({ width, height });

/** Opens the sandbox's page until the test ends, and then resets `page`. */
async function visitPage(url: string) {
  onTestFinished(async () => {
    page.removeAllListeners();
    await page.unrouteAll({ behavior: 'ignoreErrors' });
    await page.context().setOffline(false);
    await page.emulateMedia({ colorScheme: null });
    await page.goto('about:blank');
  });
  /**
   * Requested addresses that are not on this machine, uncaught errors, and errors and warnings on the console, such as
   * violations of the page's policies.
   */
  const faults: string[] = [];
  page.on('request', (request) => {
    const { protocol, hostname } = new URL(request.url());
    if (protocol !== 'data:' && hostname !== '127.0.0.1') faults.push(request.url());
  });
  page.on('console', (message) => {
    const isUnexpected = ['error', 'warning'].includes(message.type()) && !EXPECTED_ERROR.test(message.text());
    if (isUnexpected) faults.push(message.text());
  });
  page.on('pageerror', (error) => faults.push(error.message));

  await resize(DESKTOP);
  await page.goto(url);
  await the('button', 'Send').waitFor();
  await composer().waitFor();
  return faults;
}

/** The input line, which has the focus when the page opens. */
function composer(): Locator {
  return the('combobox', /^Message /);
}

/** Types a whole line and presses Enter. */
async function say(line: string): Promise<void> {
  await composer().fill(line);
  await composer().press('Enter');
}

/** The reply to a command, by the line as the emulated Discord writes it. */
function replyTo(commandLine: string): Locator {
  return page.locator('.message').filter({ has: page.locator(`[title=${JSON.stringify(commandLine)}]`) });
}
