import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, it } from 'vitest';
import type { ChatMessage } from '../../src/sandbox/discord/chat.ts';
import type { TypedInteraction } from '../../src/sandbox/discord/typed-interaction.ts';
import { startWorld, type World } from '../support/world.ts';

const DAY_MS = 24 * 3_600_000;

/** What a reply shows at one moment: who sees it, each card with its note, and the sentences with their figures left out. */
function moment({ state, ephemeral, embeds, content }: ChatMessage): string {
  if (state !== 'answered') return state;
  const cards = embeds.map(({ title = '', description = '' }) => {
    const note = /^((?:Showing|No longer)[^\n]*)/m.exec(description)?.[1];
    return note ? `${title} {${note}}` : title;
  });
  const sentences = content
    .replaceAll(/<t:\d+:\w>/g, 'TIME')
    .replaceAll(/ · [\d,]+ of [\d,]+ left today/g, '')
    .replaceAll('\\', '');
  return [ephemeral && 'private:', cards.length > 0 && cards.join(', '), sentences && `"${sentences}"`]
    .filter(Boolean)
    .join(' ');
}

/** When the cards that come together are shown depends on the machine; what is known at once and what stays do not. */
const LAST_TO_COME = /One more card is on its way/;

/** Every moment of a reply, each once. */
function course({ history }: TypedInteraction): string[] {
  const moments = history.map(moment).filter((shown) => shown !== 'sent' && !LAST_TO_COME.test(shown));
  return moments.filter((shown, at) => shown !== moments[at - 1]);
}

/** Makes every kept copy a day older, so that its prices are stale. */
async function ageCopies(world: World): Promise<void> {
  await world.stopBot();
  const database = new DatabaseSync(join(world.config.dataDir, 'cards.sqlite'));
  for (const { key, value } of database.prepare('SELECT key, value FROM cards').all()) {
    const aged = String(value).replace(/"fetchedAtMs":(\d+)/, (_, at) => `"fetchedAtMs":${Number(at) - DAY_MS}`);
    database.prepare('UPDATE cards SET value = ? WHERE key = ?').run(aged, key ?? null);
  }
  database.close();
  await world.restartBot();
}

const known = async (world: World, ...ids: string[]) => {
  for (const id of ids)
    await world
      .card(id)
      .until(({ state, embeds, content }) => state === 'answered' && (embeds.length > 0 || content !== ''));
};
const stale = async (world: World, ...ids: string[]) => {
  await known(world, ...ids);
  await ageCopies(world);
};
const nonsense = (world: World, path: string) => world.cardService.script({ path, body: '"nonsense"' });

/** What a bot that is stopped had counted for its servers. */
function bookedBy({ config }: World): { requests: number; saved: number } {
  const database = new DatabaseSync(join(config.dataDir, 'state.sqlite'), { readOnly: true });
  const sums = database.prepare('SELECT total(requests) AS requests, total(saved) AS saved FROM bookings').get();
  database.close();
  return { requests: Number(sums?.requests), saved: Number(sums?.saved) };
}

interface Course {
  when: string;
  prepare?: (world: World) => unknown;
  env?: Record<string, string>;
  command: 'card' | 'cards';
  ids: string;
  options?: Record<string, boolean>;
  shows: string[];
  /** Requests that leave for it. */
  requests: number;
  /** Of the Discord server, with what made the cards known before. */
  booked: { requests: number; saved: number };
  log: object;
}

const COURSES: Course[] = [
  {
    when: 'a fresh card',
    prepare: (world) => known(world, 'base1-4'),
    command: 'card',
    ids: 'base1-4',
    shows: ['Emberwing Drake'],
    requests: 0,
    booked: { requests: 1, saved: 1 },
    log: { outcome: 'answered', source: 'cache' },
  },
  {
    when: 'a stale card',
    prepare: (world) => stale(world, 'base1-4'),
    command: 'card',
    ids: 'base1-4',
    shows: ['Emberwing Drake {Showing a saved copy while I fetch the latest.}', 'Emberwing Drake'],
    requests: 1,
    booked: { requests: 2, saved: 0 },
    log: { outcome: 'answered', source: 'stale' },
  },
  {
    when: 'one stale card',
    prepare: (world) => stale(world, 'base1-4'),
    command: 'cards',
    ids: 'base1-4',
    shows: ['Emberwing Drake {Showing a saved copy while I fetch the latest.}', 'Emberwing Drake "1 request"'],
    requests: 1,
    booked: { requests: 2, saved: 0 },
    log: { outcome: 'answered', source: 'stale' },
  },
  {
    when: 'a stale card that cannot be renewed',
    prepare: async (world) => {
      await stale(world, 'base1-4');
      nonsense(world, 'base1-4');
    },
    command: 'card',
    ids: 'base1-4',
    shows: [
      'Emberwing Drake {Showing a saved copy while I fetch the latest.}',
      'Emberwing Drake {Showing a saved copy: the card service sent something unexpected.}',
    ],
    requests: 1,
    booked: { requests: 2, saved: 0 },
    log: { outcome: 'answered', source: 'stale' },
  },
  {
    when: 'a missing card',
    command: 'card',
    ids: 'base1-4',
    shows: ['thinking', 'Emberwing Drake'],
    requests: 1,
    booked: { requests: 1, saved: 0 },
    log: { outcome: 'answered', source: 'service' },
  },
  {
    when: 'a missing card, in private',
    command: 'card',
    ids: 'base1-4',
    options: { private: true },
    shows: ['thinking', 'private: Emberwing Drake'],
    requests: 1,
    booked: { requests: 1, saved: 0 },
    log: { outcome: 'answered', source: 'service' },
  },
  {
    when: 'an id that the service does not know',
    command: 'card',
    ids: 'nobody-1',
    shows: ['thinking', '"No card has the id **nobody-1**."'],
    requests: 1,
    booked: { requests: 1, saved: 0 },
    log: { outcome: 'answered', source: 'service' },
  },
  {
    when: 'one id that the service does not know',
    command: 'cards',
    ids: 'nobody-1',
    shows: ['thinking', '"Not found: **nobody-1**"'],
    requests: 1,
    booked: { requests: 1, saved: 0 },
    log: { outcome: 'answered', source: 'service' },
  },
  {
    when: 'an id that it is known not to know',
    prepare: (world) => known(world, 'nobody-1'),
    command: 'card',
    ids: 'nobody-1',
    shows: ['private: "No card has the id **nobody-1**."'],
    requests: 0,
    booked: { requests: 1, saved: 1 },
    log: { outcome: 'answered', source: 'cache' },
  },
  {
    when: 'a card whose answer cannot be read',
    prepare: (world) => nonsense(world, 'base1-4'),
    command: 'card',
    ids: 'base1-4',
    shows: ['thinking', '"The card service sent something unexpected. Please try again later."'],
    requests: 1,
    booked: { requests: 1, saved: 0 },
    log: { outcome: 'UnexpectedAnswer', source: 'service' },
  },
  {
    when: 'one missing card beyond the budget',
    prepare: (world) => known(world, 'base1-1'),
    env: { MEMBER_DAILY_REQUESTS: '1' },
    command: 'cards',
    ids: 'base1-4',
    shows: [
      'private: "Not shown: **base1-4**. You\'ve used your one new lookup for today. Cards I already know still work. New ones work again after TIME."',
    ],
    requests: 0,
    booked: { requests: 1, saved: 0 },
    log: { outcome: 'BudgetSpent', source: 'bot' },
  },
  {
    when: 'ten cards: fresh, stale, missing, unknown and unreadable ones',
    prepare: async (world) => {
      await stale(world, 'base1-1', 'base1-2');
      await known(world, 'base1-3', 'nobody-1');
      nonsense(world, 'base1-5');
      world.cardService.script({
        path: 'base1-6?',
        delayMs: 3_000,
        status: 404,
        body: { _tag: 'CardNotFound', message: 'none' },
        counted: true,
      });
    },
    command: 'cards',
    ids: 'base1-1,base1-2,base1-3,nobody-1,base1-4,base1-5,base1-6,base1-7,base1-8,nobody-2',
    shows: [
      'thinking',
      'Wick, Who Waits {Showing a saved copy while I fetch the latest.}, Moth Cartographer {Showing a saved copy while I fetch the latest.}, Candle Hare "6 more cards are on their way."',
      'Wick, Who Waits, Moth Cartographer, Candle Hare, Emberwing Drake "Not found: **nobody-1**, **base1-6**, **base1-7**, **base1-8**, and **nobody-2**\nNot shown: **base1-5**. The card service sent something unexpected. Please try again later.\n8 requests"',
    ],
    requests: 8,
    booked: { requests: 12, saved: 2 },
    log: { outcome: 'answered', source: 'service' },
  },
];

it.each(COURSES)(
  '/$command of $when shows each moment once, and costs what it says',
  { timeout: 60_000 },
  async ({ when: _, prepare, env, command, ids, options = {}, ...expected }) => {
    const world = await startWorld(env && { env });
    await prepare?.(world);
    await world.commandLines(world.discord.messages().length);
    const before = world.cardService.requests.length;

    const typed = world.discord.type({ command, options: { [command === 'card' ? 'id' : 'ids']: ids, ...options } });
    await typed.until((now) => moment(now) === expected.shows.at(-1));
    const lines = await world.commandLines(world.discord.messages().length);

    const requests = world.cardService.requests.length - before;
    const { outcome, source } = lines.at(-1) ?? {};
    await world.stopBot();
    const booked = bookedBy(world);
    expect({ shows: course(typed), requests, booked, log: { outcome, source } }).toEqual(expected);
  },
);
