import { KNOWN_CARDS, type KnownCard } from '../../sandbox/known-cards.ts';
import { SAMPLE_MEMBERS } from '../../sandbox/sample-members.ts';
import type { Sandbox } from '../../sandbox/sandbox.ts';
import { LANGUAGES } from '../../src/render/languages.ts';
import { formatMessage } from '../../src/render/messages.ts';
import { sandboxAs } from '../support/shaped-service.ts';
import { press } from '../support/world.ts';
import { afterButton, formOf, lastMessage, reply, replyTyped, type Scene, typeLine, wordsWith } from './stage.ts';
import { formWords, wordsOf } from './words.ts';

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
async function begin({ discord }: Sandbox): Promise<void> {
  await discord
    .type({ command: 'card', options: { id: 'tide-3' }, guildId: null, memberId: SAMPLE_MEMBERS[1]?.id ?? '' })
    .settled();
  while ((await discord.complete({ command: 'card', options: { id: 'emb' }, focused: 'id' })).length === 0);
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

/** Some replies to a member of another locale. */
function inLocale(locale: string, language = locale): Scene {
  const members = SAMPLE_MEMBERS.map((member, at) => (at === 0 ? { ...member, locale } : member));
  return {
    options: { known: KNOWN, discord: { members } },
    isLively: true,
    shots: [
      { name: `card-${language}`, before: begin, show: reply('/card id:base1-4', 'Emberwing Drake') },
      { name: `not-an-id-${language}`, show: reply('/card id:..', 'base1-4') },
      { name: `usage-${language}`, show: reply('/usage', formatMessage(language, 'usageTitle')) },
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
      { name: 'card', show: reply('/card id:base1-4', 'days') },
      { name: 'other-printings', show: afterButton('Other printings', 'other printings') },
      { name: 'price-history', show: afterButton('Price history', 'market price') },
      { name: 'usage', show: reply('/usage', 'Answered from memory') },
      { name: 'card-private', show: reply('/card id:base1-4 private:true', 'days') },
      { name: 'card-without-prices', show: reply('/card id:base1-17', 'left today') },
      { name: 'several-cards', show: reply('/card id:drake', 'Which of these') },
      { name: 'many-cards', show: reply('/card id:travelling lamplighter', 'cards are called') },
      { name: 'unknown-name', show: reply('/card id:Emberwing Dragon', 'Did you mean') },
      { name: 'no-such-card', show: reply('/card id:base1-999', 'No card has') },
      { name: 'not-an-id', show: reply('/card id:..', 'Please type') },
      { name: 'cards-unclear', show: reply('/cards ids:base1-4, stilt dansor, wax golm, drake', 'left today') },
      { name: 'cards', show: reply('/cards ids:base1-4, base1-1, Soot Sprite, base1-999', 'left today') },
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
      { name: 'list-form', show: async (sandbox) => formWords(await formOf(typeLine(sandbox, '/cards'))) },
      {
        name: 'list-estimate',
        async show(sandbox) {
          const typed = typeLine(sandbox, '/cards');
          const [field] = (await formOf(typed)).components;
          const values = { [field?.component.custom_id ?? '']: LIST };
          return await wordsWith(sandbox.discord.submit({ interactionId: typed.id, values }), 'lines are clear');
        },
      },
      { name: 'list-worth', show: afterButton('Fetch the prices', 'new lookup used') },
      {
        name: 'saved-copy-kept',
        time: 'passes',
        before: ({ cardService }) => cardService.set({ down: true }),
        show: reply('/card id:base1-9', 'answering'),
      },
    ],
  },
  {
    isLively: true,
    shots: [
      {
        name: 'down',
        time: 'passes',
        async before(sandbox) {
          await begin(sandbox);
          await sandbox.discord.type({ command: 'usage', manageGuild: true }).settled();
          sandbox.cardService.set({ down: true });
          // Three cards that fail may be an outage, and the fourth shows that it is one.
          await lookUp(1, 'tide-1', 'tide-2', 'tide-4', 'tide-5')(sandbox);
        },
        show: reply('/card id:base1-15', 'answering right now'),
      },
      { name: 'usage-down', time: 'stands', show: reply('/usage', 'down since') },
      { name: 'too-fast', time: 'stands', before: typeTooMuch, show: reply('/card id:base1-4', 'Slow down') },
    ],
  },
  {
    options: { known: KNOWN, env: { CARD_SERVICE_TIMEOUT_MS: '120000' } },
    shots: [
      {
        name: 'cards-on-their-way',
        before({ cardService, discord }) {
          cardService.set({ latencyMs: SLOW_MS });
          discord.type({ command: 'card', options: { id: 'base1-58' } }); // its picture comes when it has waited
        },
        show: reply('/cards ids:base1-4, base1-1, dusk2-12', 'on its way'),
      },
      { name: 'saved-copy', show: reply('/card id:base1-2', 'while I fetch') },
      { name: 'still-asking', show: replyTyped('/card id:base1-58', 'Still asking') },
    ],
  },
  {
    options: {
      service: { requestsPerMinute: 1, burst: 1, requestsPerDay: 1_000 },
      env: { CARD_SERVICE_REQUESTS_PER_MINUTE: '1', CARD_SERVICE_BURST: '1', LONGEST_WAIT_SECONDS: '150' },
    },
    shots: [
      { name: 'card-plain', show: reply('/card id:base1-23', 'left today') },
      { name: 'in-line', time: 'stands', show: reply('/card id:base1-58', 'in line') },
      {
        name: 'busy',
        time: 'stands',
        before: ({ discord }) => void discord.type({ command: 'card', options: { id: 'base1-71' } }),
        show: reply('/card id:base1-70', 'busy'),
      },
    ],
  },
  {
    shots: [
      {
        name: 'day-used-up',
        before: ({ cardService }) => cardService.exhaustDay(),
        show: reply('/card id:base1-44', 'used up'),
      },
      { name: 'usage-day-used-up', show: reply('/usage', 'used up until') },
    ],
  },
  {
    options: { env: { MEMBER_DAILY_REQUESTS: '3' } },
    shots: [
      {
        name: 'member-used-up',
        before: lookUp(0, 'base1-1', 'base1-2', 'base1-3'),
        show: reply('/card id:base1-15', 'for today'),
      },
    ],
  },
  {
    options: { env: { MEMBER_DAILY_REQUESTS: '0', GUILD_DAILY_REQUESTS: '3' } },
    shots: [
      {
        name: 'server-used-up',
        before: lookUp(1, 'base1-1', 'base1-2', 'base1-3'),
        show: reply('/card id:base1-15', 'This server'),
      },
    ],
  },
  {
    shots: [
      {
        name: 'pause',
        before: ({ cardService }) => cardService.storm(20 * 60_000),
        show: reply('/card id:base1-15', 'asked me to wait'),
      },
      { name: 'usage-pause', show: reply('/usage', 'Waiting until') },
    ],
  },
  {
    options: { known: KNOWN },
    shots: [
      { name: 'watch', before: begin, show: reply('/watch card:base1-4 above:45 below:30', "I'll send you") },
      {
        name: 'watch-form',
        async show(sandbox) {
          await reply('/card id:base1-4', 'days')(sandbox);
          const card = await lastMessage(sandbox, ({ commandLine }) => commandLine.startsWith('/card'));
          return formWords(await formOf(press(sandbox, card, 'Watch')));
        },
      },
      { name: 'watch-beyond', show: reply('/watch card:base1-1 below:99', 'already') },
      {
        name: 'watches',
        before: lookUp(0, 'base1-4', 'tide-3', 'dusk2-12'),
        show: reply('/watches', 'Prices you watch'),
      },
      {
        name: 'privacy',
        before: (sandbox) => untilKept(sandbox, 'Owl of Nine Windows'),
        show: reply('/privacy', 'What I keep'),
      },
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
        show: async (sandbox) => wordsOf(await lastMessage(sandbox, ({ trigger }) => trigger === 'message')),
      },
    ],
  },
  {
    options: sandboxAs('justtcg'),
    shots: [
      {
        name: 'usage-month',
        before: lookUp(
          0,
          ...sandboxAs('justtcg')
            .service.cards.slice(0, 8)
            .map(({ id }) => id),
        ),
        show: reply('/usage', 'This month'),
      },
    ],
  },
  { shots: [{ name: 'settings', show: reply('/settings', 'Settings for this server') }] },
  {
    options: { catalog: [] }, // then any text may be an id
    shots: [
      {
        name: 'unexpected-answer',
        before: ({ cardService }) =>
          cardService.script({ status: 403, headers: { 'content-type': 'text/html' }, body: '<h1>Blocked</h1>' }),
        show: reply('/card id:<base1>', 'unexpected'),
      },
      {
        name: 'key-refused',
        before: ({ cardService }) => cardService.set({ keyRevoked: true }),
        show: reply('/card id:base1-15', "can't reach"),
      },
      { name: 'usage-key-refused', show: reply('/usage', 'refuses') },
    ],
  },
  ...LANGUAGES.filter((language) => language !== 'en').map((language) =>
    inLocale(language === 'es' ? 'es-ES' : language, language),
  ),
];
