import { KNOWN_CARDS, type KnownCard } from '../../sandbox/known-cards.ts';
import { SAMPLE_MEMBERS } from '../../sandbox/sample-members.ts';
import type { Sandbox } from '../../sandbox/sandbox.ts';
import { LANGUAGES } from '../../src/render/languages.ts';
import { formatMessage } from '../../src/render/messages.ts';
import { submitted } from '../support/pasted-list.ts';
import { sandboxAs } from '../support/shaped-service.ts';
import { offered } from '../support/world.ts';
import { afterButton, lastWords, type Scene, type Shot, typeLine, wordsWith } from './stage.ts';
import { wordsOf } from './words.ts';

const HOUR_MS = 3_600_000;
const KNOWN: readonly KnownCard[] = [
  { id: 'base1-4', ageMs: 1.5 * HOUR_MS, hasHistory: true },
  { id: 'base1-1', ageMs: 2.5 * HOUR_MS, hasHistory: true },
  { id: 'base1-2', ageMs: 9.5 * HOUR_MS },
  { id: 'base1-9', ageMs: 9.5 * HOUR_MS },
];
const LIST =
  '4 Emberwing Drake (base1) 4\n2x Wick, Who Waits\n1 Soot Sprite\n1 Travelling Lamplighter\n3 Nobody Knows This';
/** Below what the bot waits for an answer, and longer than any picture takes. */
const SLOW_MS = 110_000;

/** The bot's search begins after the bot; and what is left of the day is known after the first request. */
async function begin(sandbox: Sandbox): Promise<void> {
  await sandbox.discord
    .type({ command: 'card', options: { id: 'tide-3' }, guildId: null, memberId: SAMPLE_MEMBERS[1]?.id ?? '' })
    .settled();
  await offered(sandbox, 'base1-4');
}

/** What a member looked up is kept a moment later. */
async function untilKept({ discord }: Sandbox, name: string): Promise<void> {
  const rows = () => discord.complete({ command: 'card', options: { id: '' }, focused: 'id' });
  while (!(await rows()).some((row) => row.name.startsWith(name)));
}

/** More commands at once than the bot takes in a minute. Those of direct messages are not on the page. */
async function typeTooMuch({ discord }: Sandbox): Promise<void> {
  const typed = Array.from({ length: 240 }, () =>
    discord.type({ command: 'card', options: { id: '..' }, guildId: null }),
  );
  await Promise.all(typed.map((interaction) => interaction.settled()));
}

/** @param as the index of the member */
function lookUp(as: number, ...ids: string[]): (sandbox: Pick<Sandbox, 'discord'>) => Promise<void> {
  return async ({ discord }) => {
    const memberId = discord.members[as]?.id ?? '';
    for (const id of ids) await discord.type({ command: 'card', options: { id }, memberId }).settled();
  };
}

/** The reply to a line that is typed. @param text of it, which shows that it is there */
function shot(name: string, line: string, text: string, more: Pick<Shot, 'time' | 'before'> = {}): Shot {
  return { name, ...more, show: (sandbox) => wordsWith(typeLine(sandbox, line), text) };
}

/** Some replies to a member of another locale. */
function inLocale(locale: string, language = locale): Scene {
  const members = SAMPLE_MEMBERS.map((member, at) => (at === 0 ? { ...member, locale } : member));
  return {
    options: { known: KNOWN, discord: { members } },
    isLively: true,
    shots: [
      shot(`card-${language}`, '/card id:base1-4', 'Emberwing Drake', { before: begin }),
      shot(`not-an-id-${language}`, '/card id:..', 'base1-4'),
      shot(`usage-${language}`, '/usage', formatMessage(language, 'usageTitle')),
    ],
  };
}

/** Of which pictures are taken. */
export const PICTURES: readonly string[] = [
  ...['card', 'other-printings', 'price-history', 'usage', 'cards', 'list-worth', 'in-line', 'day-used-up', 'pause'],
  ...['privacy', 'watch-told', 'settings', 'card-de', 'card-ja'],
];

/** Every kind of reply. */
export const SCENES: readonly Scene[] = [
  {
    options: { known: KNOWN },
    isLively: true,
    shots: [
      {
        name: 'suggestions',
        before: begin,
        async show({ discord }) {
          const choices = await discord.complete({ command: 'card', options: { id: 'emb' }, focused: 'id' });
          return choices.map(({ name }) => name).join('\n');
        },
      },
      shot('card', '/card id:base1-4', 'days'),
      { name: 'other-printings', show: afterButton('Other printings', 'other printings') },
      { name: 'price-history', show: afterButton('Price history', 'market price') },
      shot('usage', '/usage', 'Answered from memory'),
      shot('card-private', '/card id:base1-4 private:true', 'days'),
      shot('card-without-prices', '/card id:base1-17', 'left today'),
      shot('several-cards', '/card id:drake', 'Which of these'),
      shot('many-cards', '/card id:travelling lamplighter', 'cards are called'),
      shot('unknown-name', '/card id:Emberwing Dragon', 'Did you mean'),
      shot('no-such-card', '/card id:base1-999', 'No card has'),
      shot('not-an-id', '/card id:..', 'Please type'),
      shot('cards-unclear', '/cards ids:base1-4, stilt dansor, wax golm, drake', 'left today'),
      shot('cards', '/cards ids:base1-4, base1-1, Soot Sprite, base1-999', 'left today'),
      {
        name: 'menu',
        before: ({ discord }) =>
          discord.post({ memberId: SAMPLE_MEMBERS[1]?.id ?? '', content: 'Anyone trading a Wax Golem for base1-4?' }),
        show: ({ discord }) =>
          discord
            .menuCommandsFor({})
            .map(({ name }) => name)
            .join('\n'),
      },
      {
        name: 'looked-up',
        show({ discord }) {
          const post = discord.messages().find(({ trigger }) => trigger === 'post');
          const target = { messageId: post?.messageId ?? '' };
          return wordsWith(discord.type({ command: 'Look up cards', target }), 'left today');
        },
      },
      shot('list-form', '/cards', 'worth'),
      {
        name: 'list-estimate',
        show: async (sandbox) => wordsWith(await submitted(sandbox, LIST), 'lines are clear'),
      },
      { name: 'list-worth', show: afterButton('Fetch the prices', 'new lookup used') },
      shot('saved-copy-kept', '/card id:base1-9', 'answering', {
        time: 'passes',
        before: ({ cardService }) => cardService.set({ down: true }),
      }),
    ],
  },
  {
    isLively: true,
    shots: [
      shot('down', '/card id:base1-15', 'answering right now', {
        time: 'passes',
        async before(sandbox) {
          await begin(sandbox);
          await sandbox.discord.type({ command: 'usage', manageGuild: true }).settled();
          sandbox.cardService.set({ down: true });
          // Three cards that fail may be an outage, and the fourth shows that it is one.
          await lookUp(1, 'tide-1', 'tide-2', 'tide-4', 'tide-5')(sandbox);
        },
      }),
      shot('usage-down', '/usage', 'down since', { time: 'stands' }),
      shot('too-fast', '/card id:base1-4', 'Slow down', { time: 'stands', before: typeTooMuch }),
    ],
  },
  {
    options: { known: KNOWN, env: { CARD_SERVICE_TIMEOUT_MS: '120000' } },
    shots: [
      shot('cards-on-their-way', '/cards ids:base1-4, base1-1, dusk2-12', 'on its way', {
        before({ cardService, discord }) {
          cardService.set({ latencyMs: SLOW_MS });
          discord.type({ command: 'card', options: { id: 'base1-58' } }); // its picture comes when it has waited
        },
      }),
      shot('saved-copy', '/card id:base1-2', 'while I fetch'),
      { name: 'still-asking', show: lastWords((message) => wordsOf(message).includes('Still asking')) },
    ],
  },
  {
    options: {
      service: { requestsPerMinute: 1, burst: 1, requestsPerDay: 1_000 },
      env: { CARD_SERVICE_REQUESTS_PER_MINUTE: '1', CARD_SERVICE_BURST: '1', LONGEST_WAIT_SECONDS: '150' },
    },
    shots: [
      shot('card-plain', '/card id:base1-23', 'left today'),
      shot('in-line', '/card id:base1-58', 'in line', { time: 'stands' }),
      shot('busy', '/card id:base1-70', 'busy', {
        time: 'stands',
        before: ({ discord }) => void discord.type({ command: 'card', options: { id: 'base1-71' } }),
      }),
    ],
  },
  {
    shots: [
      shot('day-used-up', '/card id:base1-44', 'used up', {
        before: ({ cardService }) => cardService.exhaustDay(),
      }),
      shot('usage-day-used-up', '/usage', 'used up until'),
    ],
  },
  {
    options: { env: { MEMBER_DAILY_REQUESTS: '3' } },
    shots: [
      shot('member-used-up', '/card id:base1-15', 'for today', {
        before: lookUp(0, 'base1-1', 'base1-2', 'base1-3'),
      }),
    ],
  },
  {
    options: { env: { MEMBER_DAILY_REQUESTS: '0', GUILD_DAILY_REQUESTS: '3' } },
    shots: [
      shot('server-used-up', '/card id:base1-15', 'This server', {
        before: lookUp(1, 'base1-1', 'base1-2', 'base1-3'),
      }),
    ],
  },
  {
    shots: [
      shot('pause', '/card id:base1-15', 'asked me to wait', {
        before: ({ cardService }) => cardService.storm(20 * 60_000),
      }),
      shot('usage-pause', '/usage', 'Waiting until'),
    ],
  },
  {
    options: { known: KNOWN },
    shots: [
      shot('watch', '/watch card:base1-4 above:45 below:30', "I'll send you", { before: begin }),
      {
        name: 'watch-form',
        before: lookUp(0, 'base1-4'),
        show: afterButton('Watch', 'Watch'),
      },
      shot('watch-beyond', '/watch card:base1-1 below:99', 'already'),
      shot('watches', '/watches', 'Prices you watch', {
        before: lookUp(0, 'base1-4', 'tide-3', 'dusk2-12'),
      }),
      shot('privacy', '/privacy', 'What I keep', {
        before: (sandbox) => untilKept(sandbox, 'Owl of Nine Windows'),
      }),
      { name: 'privacy-question', show: afterButton('Delete my data', "can't be undone") },
      { name: 'privacy-deleted', show: afterButton('Delete my data', "that's deleted") },
    ],
  },
  {
    options: { known: KNOWN_CARDS },
    shots: [
      {
        name: 'watch-told',
        async before({ discord, cardService }) {
          await discord.type({ command: 'watch', options: { card: 'base1-4', above: 38 } }).settled();
          cardService.set({ pricePercent: 10 });
          await lookUp(1, 'base1-4')({ discord });
        },
        show: lastWords(({ trigger }) => trigger === 'message'),
      },
    ],
  },
  {
    options: sandboxAs('justtcg'),
    shots: [
      shot('usage-month', '/usage', 'This month', {
        before: lookUp(
          0,
          ...sandboxAs('justtcg')
            .service.cards.slice(0, 8)
            .map(({ id }) => id),
        ),
      }),
    ],
  },
  {
    options: sandboxAs('scryfall'),
    shots: [shot('card-of-two-sides', '/card id:00000000-0000-4000-8000-000000000048', 'Cardmarket')],
  },
  { shots: [shot('settings', '/settings', 'Settings for this server')] },
  {
    options: { catalog: [] }, // then any text may be an id
    shots: [
      shot('unexpected-answer', '/card id:<base1>', 'unexpected', {
        before: ({ cardService }) =>
          cardService.script({ status: 403, headers: { 'content-type': 'text/html' }, body: '<h1>Blocked</h1>' }),
      }),
      shot('key-refused', '/card id:base1-15', "can't reach", {
        before: ({ cardService }) => cardService.set({ keyRevoked: true }),
      }),
      shot('usage-key-refused', '/usage', 'refuses'),
    ],
  },
  ...LANGUAGES.filter((language) => language !== 'en').map((language) =>
    inLocale(language === 'es' ? 'es-ES' : language, language),
  ),
];
