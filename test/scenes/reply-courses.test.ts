import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, it } from 'vitest';
import type { ChatMessage } from '../../sandbox/discord/chat.ts';
import type { TypedInteraction } from '../../sandbox/discord/conversation.ts';
import { isFinal, startWorld, type World } from '../support/world.ts';

const DAY_MS = 24 * 3_600_000;

/** What a reply shows at one moment: who sees it, each card with its note, and the sentences with their figures left out. */
function moment({ state, ephemeral, embeds, content }: ChatMessage): string {
  if (state !== 'answered') return state;
  const cards = embeds.map(({ title = '', description = '' }) => {
    const note = /^((?:Showing|No longer)[^\n]*)/m.exec(description)?.[1];
    return note ? `${title} {${note}}` : title;
  });
  const sentences = content.replaceAll(/<t:\d+:\w>/g, 'TIME').replaceAll('\\', '');
  const cost = / · (\d+ new lookups? used)/.exec(embeds.at(-1)?.footer?.text ?? '')?.[1];
  return [ephemeral && 'private:', cards.length > 0 && cards.join(', '), sentences && `"${sentences}"`, cost]
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

async function known(world: World, ids: readonly string[]): Promise<void> {
  for (const id of ids) await world.card(id).until(isFinal);
}

/** What makes cards what a course begins with. */
const STATES: Record<string, (world: World, ids: readonly string[]) => unknown> = {
  known,
  async stale(world, ids) {
    await known(world, ids);
    await ageCopies(world);
  },
  unreadable: (world, [path = '']) => world.cardService.script({ path, body: '"nonsense"' }),
  async 'just failed'(world, ids) {
    await STATES.unreadable?.(world, ids);
    await world.card(ids[0] ?? '').until((shown) => isFinal(shown) && !moment(shown).includes(RENEWING));
  },
  'slowly denied': (world, [path = '']) => {
    const body = { _tag: 'CardNotFound', message: 'none' };
    return world.cardService.script({ path: `${path}?`, delayMs: 3_000, status: 404, body, counted: true });
  },
};

/** What a bot that is stopped had counted for its servers. */
function bookedBy({ config }: World): { requests: number; saved: number } {
  const database = new DatabaseSync(join(config.dataDir, 'state.sqlite'), { readOnly: true });
  const ofDays = "SELECT total(value) AS sum FROM rows WHERE part GLOB 'ledger:????-??-??' AND key GLOB ?";
  const [requests, saved] = ['* requests', '* saved'].map((key) => Number(database.prepare(ofDays).get(key)?.sum));
  database.close();
  return { requests: requests ?? 0, saved: saved ?? 0 };
}

const DRAKE = 'Emberwing Drake';
const RENEWING = '{Showing a saved copy while I fetch the latest.}';
const NOT_ONE = '{Showing a saved copy: the card service sent something unexpected.}';
const UNREADABLE = 'The card service sent something unexpected. Please try again later.';
const SPENT =
  "You've used your one new lookup for today. Cards I already know still work. New ones work again after TIME.";
const MANY = 'stale: base1-1 base1-2; known: base1-3 nobody-1; unreadable: base1-5; slowly denied: base1-6';
const TEN = 'base1-1,base1-2,base1-3,nobody-1,base1-4,base1-5,base1-6,base1-7,base1-8,nobody-2';
const SHOWN_FIRST = `Wick, Who Waits ${RENEWING}, Moth Cartographer ${RENEWING}, Candle Hare`;
const SHOWN_LAST = `Wick, Who Waits, Moth Cartographer, Candle Hare, ${DRAKE}`;
const NONE = '**nobody-1**, **base1-6**, **base1-7**, **base1-8**, and **nobody-2**';

/**
 * What is so before | what is typed | its requests, of how many the server is booked with in all, what that saved, and the line
 * in the log | each moment of the reply.
 */
const COURSES = [
  `known: base1-4 | /card base1-4 | 0 of 1, 1 saved: answered from cache | ${DRAKE}`,
  `stale: base1-4 | /card base1-4 | 1 of 2, 0 saved: answered from stale | ${DRAKE} ${RENEWING} | ${DRAKE}`,
  `stale: base1-4 | /cards base1-4 | 1 of 2, 0 saved: answered from stale | ${DRAKE} ${RENEWING} | ${DRAKE} 1 new lookup used`,
  `stale: base1-4; unreadable: base1-4 | /card base1-4 | 1 of 2, 0 saved: answered from stale | ${DRAKE} ${RENEWING} | ${DRAKE} ${NOT_ONE}`,
  `nothing | /card base1-4 | 1 of 1, 0 saved: answered from service | thinking | ${DRAKE}`,
  `nothing | /card base1-4 in private | 1 of 1, 0 saved: answered from service | thinking | private: ${DRAKE}`,
  'nothing | /card nobody-1 | 1 of 1, 0 saved: answered from service | thinking | "No card has the id **nobody-1**. Try typing its name."',
  'nothing | /cards nobody-1 | 1 of 1, 0 saved: answered from service | thinking | "Not found: **nobody-1**"',
  'known: base1-4 | /card base1-4 in private | 0 of 1, 1 saved: answered from cache | private: Emberwing Drake',
  `known: base1-1 nobody-1 | /cards base1-1,nobody-1 | 0 of 2, 2 saved: answered from cache | Wick, Who Waits "Not found: **nobody-1**"`,
  'known: nobody-1 nobody-2 | /cards nobody-1,nobody-2 | 0 of 2, 2 saved: answered from cache | private: "Not found: **nobody-1** and **nobody-2**"',
  'known: nobody-1 | /card nobody-1 | 0 of 1, 1 saved: answered from cache | private: "No card has the id **nobody-1**. Try typing its name."',
  `unreadable: base1-4 | /card base1-4 | 1 of 1, 0 saved: UnexpectedAnswer from service | thinking | "${UNREADABLE}"`,
  `just failed: base1-4 | /card base1-4 | 0 of 1, 0 saved: UnexpectedAnswer from bot | private: "${UNREADABLE}"`,
  `just failed: base1-4 | /cards base1-1,base1-2,base1-4 | 2 of 3, 0 saved: answered from service | thinking | Wick, Who Waits, Moth Cartographer "Not shown: **base1-4**. ${UNREADABLE}" 2 new lookups used`,
  `stale: base1-4; just failed: base1-4 | /card base1-4 | 0 of 2, 0 saved: answered from stale | ${DRAKE} ${RENEWING} | ${DRAKE} ${NOT_ONE}`,
  `known: base1-1 | /cards base1-4 on a budget | 0 of 1, 0 saved: BudgetSpent from bot | private: "Not shown: **base1-4**. ${SPENT}"`,
  `${MANY} | /cards ${TEN} | 8 of 12, 2 saved: answered from service | thinking | ${SHOWN_FIRST} "6 more cards are on their way." | ${SHOWN_LAST} "Not found: ${NONE}\nNot shown: **base1-5**. ${UNREADABLE}" 8 new lookups used`,
].map((course) => course.split(' | '));

it.each(COURSES)('(%s) %s shows each moment once, and costs %s', async (states = '', line = '', costs, ...shows) => {
  const [, command = '', ids = '', how] = /^\/(\w+) (\S+)(?: (.+))?/.exec(line) ?? [];
  const world = await startWorld(how === 'on a budget' ? { env: { MEMBER_DAILY_REQUESTS: '1' } } : {});
  for (const [, state = '', cards = ''] of states.matchAll(/([a-z ]+): ([^;]+)/g)) {
    await STATES[state.trim()]?.(world, cards.split(' '));
  }
  await world.commandLines(world.discord.messages().length);
  const before = world.cardService.requests.length;

  const options = { [command === 'card' ? 'id' : 'ids']: ids, ...(how === 'in private' && { private: true }) };
  const typed = world.type(command, options);
  await typed.until((now) => moment(now) === shows.at(-1));
  const { outcome, source } = (await world.commandLines(world.discord.messages().length)).at(-1) ?? {};

  const requests = world.cardService.requests.length - before;
  await world.stopBot();
  const booked = bookedBy(world);
  expect(course(typed)).toEqual(shows);
  expect(`${requests} of ${booked.requests}, ${booked.saved} saved: ${outcome} from ${source}`).toBe(costs);
});
