import { expect, it } from 'vitest';
import type { ChatMessage } from '../../sandbox/discord/chat.ts';
import type { TypedInteraction } from '../../sandbox/discord/conversation.ts';
import { SAMPLE_CARDS } from '../../sandbox/sample-cards.ts';
import { utcDay } from '../../src/time.ts';
import { cardRequests, IDS, inWorld, isFinal, startWorld, storedRows, type World } from '../support/world.ts';

const HOUR_MS = 3_600_000;

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

async function known(world: World, ids: readonly string[]): Promise<void> {
  for (const id of ids) await world.card(id).until(isFinal);
}

/** What makes cards what a course begins with. */
const STATES: Record<string, (world: World, ids: readonly string[]) => unknown> = {
  known,
  async stale(world, ids) {
    await known(world, ids);
    await world.pass(7 * HOUR_MS);
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

/** What a bot that is stopped had counted for its servers, today and the day before. */
function bookedBy({ config }: World, kind: 'requests' | 'saved'): number {
  const days = [0, 24 * HOUR_MS].map((ageMs) => `ledger:${utcDay(Date.now() - ageMs)}`);
  const counts = days.flatMap((day) => Object.entries(storedRows(config.dataDir, day)));
  return counts.reduce((sum, [key, count]) => sum + (key.endsWith(` ${kind}`) ? Number(count) : 0), 0);
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
  expect(course(typed)).toEqual(shows);
  expect(
    `${requests} of ${bookedBy(world, 'requests')}, ${bookedBy(world, 'saved')} saved: ${outcome} from ${source}`,
  ).toBe(costs);
});

function about(atMs: number): string {
  const leftMs = atMs - Date.now();
  return leftMs < 8_000 ? 'soon' : `in ${10 * Math.round(leftMs / 10_000)} s`;
}

/** What a reply shows after "thinking…": since when, in seconds, how many cards, and the first sentence. */
async function timed(typed: TypedInteraction): Promise<string> {
  const [fromMs, moments] = [Date.now(), [] as string[]];
  await typed.until((message) => {
    const since = ((Date.now() - fromMs) / 1_000).toFixed(1);
    const [line = ''] = message.content.split('\n');
    const sentence = line.replace(/<t:(\d+):\w>/, (_, at) => about(1_000 * at));
    if (message.state === 'answered') moments.push(`${since} ${message.embeds.length} ${sentence}`.trim());
    return isFinal(message) && !line.includes('more card');
  }, 600_000);
  return moments.join(' | ');
}

inWorld('cards that come one after the other are shown every 1.5 s, and not once for each', async (world) => {
  for (const [at, body] of SAMPLE_CARDS.slice(0, 10).entries()) {
    world.cardService.script({ path: `/${body.id}?`, delayMs: 400 * (at + 1), body });
  }
  const typed = world.cards(IDS.slice(0, 10).join());
  const shown = ['0.4 1 9', '1.9 3 7', '3.4 6 4', '4.9 8 2'].map((moment) => `${moment} more cards are on their way.`);
  expect(await timed(typed)).toBe([...shown, '6.0 10'].join(' | '));
});

const IN_LINE = "You're in line. Your card should be here around";
const BOTH = '0.0 0 2 more cards should be here around in 20 s.';

it.each<[rule: string, requestsPerMinute: number, delayMs: number, newcomers: number, ids: string, shown: string]>([
  ['of 2 s for a permit is not told', 20, 0, 0, 'base1-2', '2.0 1'],
  ['of 4 s for a permit is told', 12, 0, 0, 'base1-2', `0.0 0 ${IN_LINE} soon. | 4.0 1`],
  ['for an answer is told after 5 s', 600, 9_000, 0, 'base1-1', '5.0 0 Still asking the card service… | 8.0 1'],
  [
    'for several permits is told as that for the last, which other members make longer',
    ...([6, 0, 1, 'base1-2,base1-3'] as const),
    `${BOTH} | 9.0 1 One more card should be here around in 20 s. | 29.0 2`,
  ],
  [
    'is told anew where it becomes longer by more than 15 s',
    ...([6, 0, 2, 'base1-2,base1-3'] as const),
    `${BOTH} | 1.5 0 2 more cards should be here around in 40 s. | 9.0 1 One more card should be here around in 30 s. | 39.0 2`,
  ],
])('a wait %s', async (_, requestsPerMinute, delayMs, newcomers, ids, shown) => {
  const world = await startWorld({ service: { requestsPerMinute, burst: 2, requestsPerDay: 1_000 } });
  world.cardService.script({ path: '/base1-1?', body: SAMPLE_CARDS[0], delayMs });
  world.card('base1-1');
  await world.pass(1_000);
  const typed = ids.includes(',') ? world.type('cards', { ids }) : world.card(ids);
  const told = timed(typed);
  await world.pass(100);
  const others = world.discord.members.slice(1, 1 + newcomers);
  for (const [at, { id }] of others.entries()) world.card(IDS[10 + at] ?? '', {}, { memberId: id });
  expect(await told).toBe(shown);
});

const RARELY = { service: { requestsPerMinute: 1, burst: 2, requestsPerDay: 1_000 } };

it('stale copies are renewed behind all cards that members wait for, and for five minutes at most', async () => {
  const stale = IDS.slice(0, 8).map((id) => ({ id, ageMs: 7 * HOUR_MS }));
  const world = await startWorld({ ...RARELY, known: stale });
  const typed = stale.map(({ id }) => world.card(id));
  await world.pass(100);
  for (const id of IDS.slice(10, 12)) world.card(id, {}, { memberId: world.bob });
  await world.pass(HOUR_MS / 6);
  const asked = cardRequests(world).map((path) => path.split(/[/?]/)[2]);
  const notes = typed.map(({ message }) => /Showing.*/.exec(message.embeds[0]?.description ?? '')?.[0] ?? 'renewed');
  const busy = "Showing a saved copy: it's busy right now.";
  expect(asked).toEqual([IDS[0], IDS[10], IDS[11], IDS[1], IDS[2], IDS[3]]);
  expect(notes).toEqual([...Array(4).fill('renewed'), ...Array(4).fill(busy)]);
});

inWorld('a card that a member was let wait for is waited for longer where others come first', RARELY, async (world) => {
  const typed = world.cards(IDS.slice(0, 5).join());
  await world.pass(100);
  const others = world.discord.members.slice(1, 3);
  for (const [at, { id: memberId }] of others.entries()) world.card(IDS[10 + at] ?? '', {}, { memberId });
  await world.pass(HOUR_MS / 8);
  expect([cardRequests(world).length, typed.message.embeds.length]).toEqual([7, 5]);
});

inWorld(
  'a list in which the process stops says of no card that it will not come, and another process brings it',
  { service: { requestsPerMinute: 6, burst: 4, requestsPerDay: 1_000 } },
  async (world) => {
    for (const [at, body] of SAMPLE_CARDS.slice(0, 3).entries()) {
      world.cardService.script({ path: `/${body.id}?`, delayMs: [0, 4_000, 6_000][at] ?? 0, body });
    }
    const told = timed(world.cards(IDS.slice(0, 4).join()));
    await world.pass(3_200);
    await world.restartBot();
    expect(await told).toBe(
      [
        '0.0 1 3 more cards are on their way.',
        '1.5 1 3 more cards should be here around in 10 s.',
        '4.0 2 2 more cards are on their way.',
        '6.0 3 One more card is on its way.',
        '10.0 4',
      ].join(' | '),
    );
  },
);
