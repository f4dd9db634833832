import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import card from '../../commands/card.ts';
import { DISCORD_LIFETIMES } from '../../sandbox/discord/conversation.ts';
import { Stopping } from '../../src/model/errors.ts';
import { errorMessage, formatMessage } from '../../src/render/messages.ts';
import { owners } from '../simulate/fake-time.ts';
import { refused } from '../support/fault-forms.ts';
import { endsIn, type Row, scenes, shows } from '../support/scene-script.ts';
import {
  edits,
  finalAnswers,
  IDS,
  inWorld,
  isFinal,
  press,
  QUICK,
  said,
  startWorld,
  WITH_NAMES,
  type World,
} from '../support/world.ts';

const CARD = 'Emberwing Drake';
const MINUTE_MS = 60_000;
const SAME_SHARD = 'another process has the same shard: give each its own in DISCORD_SHARDS';
const BY_ANOTHER = 'answered by another process from bot';

/** What was done so far: requests to the card service, edits, and how each command ended. */
function done(world: World): [requests: number, edits: number, ends: string[]] {
  return [world.cardService.requests.length, edits(world), endsIn(world)];
}

const AS_DISCORD = { discord: { lifetimes: DISCORD_LIFETIMES } };
const EIGHT = IDS.slice(10, 18).join();
const OLD_MS = 7 * 60 * MINUTE_MS;
const STALE = { known: [{ id: 'base1-4', ageMs: OLD_MS }] };
const BROKEN = formatMessage('en-US', 'broken');
const SLOW = { service: { ...QUICK, requestsPerMinute: 1, burst: 1 } };

/** A first answer may have arrived, and none can be sent in time. */
const LATE = 'callback lose answer; callback limited for 10 s';
const ONE_MINUTE =
  'card base1-4; +1 min; shows; ends; log discord did not confirm the first answer: the reply is completed anyway; faults below 20';
const SEEN_BY_NOBODY = 'card base1-4; +15 min; requests; ends; shows; suggested';
/** No edit was taken, or none is known to be. */
const [CLOSED, LOST] = ['edit close x 999', 'edit lose answer x 999'];
const left = (fault: string) => `${fault}; card base1-4; +9 s; stop; Discord works; so far`;
const NEXT = 'restart; +2 min; done';
const TAKEN_OVER = 'restart; log deferred replies taken over';
const AS_IT_IS = '0, 0: ';
const FROM_MEMORY = '0, 1: answered from cache';
const WAITS = 'service takes 10 min; card base1-4; until a sentence';

scenes([
  [
    'a first answer that never arrives is sent again ever more rarely, and then given up',
    AS_DISCORD,
    `callback close x 99; ${ONE_MINUTE}`,
    ' | not answered from service | 1 | yes',
  ],
  [
    'a first answer that may have arrived is completed',
    AS_DISCORD,
    `${LATE}; ${ONE_MINUTE}`,
    `${CARD} | answered from service | 1 | yes`,
  ],
  [
    'a first answer that may have arrived is not known to be there',
    AS_DISCORD,
    `card base1-4; +1 s; so far; ${LATE}; ${ONE_MINUTE}`,
    `${CARD} | not answered from bot | 0 | yes`,
  ],
  [
    'a first answer that Discord confirms is nothing to warn of',
    AS_DISCORD,
    ONE_MINUTE,
    `${CARD} | answered from service | 0 | yes`,
  ],
  [
    'a first answer that Discord refuses twice is given up, and the next command is answered',
    AS_DISCORD,
    'callback refused invalidForm x 2; card base1-4; +1 s; ends; faults; card base1-4; until its end; shows',
    `not answered from bot | 2 | ${CARD}`,
  ],
  [
    'a first answer that comes too late leaves nothing to complete, and gives its lookup back',
    { env: { MEMBER_DAILY_REQUESTS: '1' } },
    `callback refused unknownInteraction; card base1-1; +1 s; card base1-4; until its end; shows; restart; done;
      log deferred replies taken over`,
    `${CARD} | 1, 1: too late from bot, answered from service | 0`,
  ],

  [
    'a deferred reply whose edits never arrive is given up, and counts as seen by nobody',
    WITH_NAMES,
    `edit close x 9999; ${SEEN_BY_NOBODY}; edits below 151`,
    '1 | too late from bot |  |  | yes',
  ],
  [
    'a deferred reply that Discord does not know is given up, and counts as seen by nobody',
    WITH_NAMES,
    `edit refused unknownInteraction x 9; ${SEEN_BY_NOBODY}; edits below 2`,
    '1 | not answered from service |  |  | yes',
  ],
  [
    'a deferred reply whose token has expired is given up, and counts as seen by nobody',
    WITH_NAMES,
    `edit refused invalidWebhookToken x 9; ${SEEN_BY_NOBODY}; edits below 2`,
    '1 | not answered from service |  |  | yes',
  ],
  [
    'a deferred reply that can be edited too late is given up, and counts as seen by nobody',
    WITH_NAMES,
    `edit limited for 1000 s; ${SEEN_BY_NOBODY}; edits below 2`,
    '1 | not answered from service |  |  | yes',
  ],
  [
    'a deferred reply whose message is gone is dropped after one edit',
    {},
    'edit refused unknownMessage; card nothing-here; +1 min; done; log reply cannot be edited',
    '1, 1: deleted from bot | 1',
  ],
  [
    'a deferred reply that Discord refuses twice is given up after two edits',
    {},
    'edit refused missingAccess x 9; card base1-4; +1 min; done; faults',
    '1, 2: not answered from service | 2',
  ],
  [
    'a deferred reply that becomes a first answer, without word from Discord, is edited again',
    {},
    'service takes 500 ms; card base1-4; until thinking…; edit refused unknownWebhook; callback hang x 9; until its end; shows',
    CARD,
  ],
  [
    'a deferred reply that becomes a first answer, which Discord refuses, has an error instead',
    {},
    `service takes 500 ms; card base1-4; until thinking…; edit refused unknownWebhook; callback refused invalidForm x 2;
      until its end; shows; log reply cannot be sent`,
    `${BROKEN} | 1`,
  ],
  [
    'a deferred reply whose wait never arrives is not edited again after its answer',
    {},
    'service takes 5500 ms; edit hang; card base1-4; +1 min; shows; done',
    `${CARD} | 1, 2: answered from service`,
  ],
  [
    'a deferred reply whose wait Discord does not take is told of it again, ever more rarely',
    SLOW,
    "card base1-1; until its end; edit close x 999; card base1-4; +25 s; faults below 40; Discord works; until You're in line.",
    'yes',
  ],
  [
    'a deferred reply whose wait is processed after its answer, and after its process, shows the answer again by the next',
    {},
    'service takes 5500 ms; edit late by 12 s; card base1-4; until a card; stop; +5 s; shows Still asking; restart; +5 s; shows; requests',
    `yes | ${CARD} | 1`,
  ],

  [
    'a reply that its process has left is completed from memory',
    {},
    `${left(CLOSED)}; ${NEXT}; shows; ${TAKEN_OVER}`,
    `${FROM_MEMORY} | ${CARD} | 1`,
  ],
  [
    'a reply that its process has left is completed although Discord hides it at first',
    {},
    `${left(CLOSED)}; Discord hides replies x 2; ${NEXT}; shows; ${TAKEN_OVER}`,
    `${FROM_MEMORY} | ${CARD} | 1`,
  ],
  [
    'a reply that its process has left stays as it is when it shows its card',
    {},
    `${left(LOST)}; ${NEXT}; shows; ${TAKEN_OVER}`,
    `${AS_IT_IS} | ${CARD} | 1`,
  ],
  [
    'a reply that its process has left stays as it is although Discord hides it at first',
    {},
    `${left(LOST)}; Discord hides replies x 3; ${NEXT}; shows; ${TAKEN_OVER}`,
    `${AS_IT_IS} | ${CARD} | 1`,
  ],
  [
    'a reply that its process has left is dropped when it is too late',
    {},
    `${left(CLOSED)}; +15 min; ${NEXT}; shows; ${TAKEN_OVER}`,
    '0, 0: too late from bot |  | 1',
  ],
  [
    'a reply that its process has left says that it is out of date when its command is no more',
    {},
    `${left(CLOSED)}; its command is of an older version; ${NEXT}; shows; ${TAKEN_OVER}`,
    `${FROM_MEMORY} | ${formatMessage('en-US', 'unknownCommand')} | 1`,
  ],
  [
    'a reply that its process has left is logged as answered once it shows its card, though Discord has confirmed no edit',
    {},
    `${left(CLOSED)}; edit lose answer x 8; restart; +2 min; ends`,
    'answered from cache',
  ],
  [
    'a reply that its process has left is completed from memory without a request, also when its copy is old by then, which is counted as saved',
    { env: { PRICES_FRESH_SECONDS: '0' } },
    `${left(CLOSED)}; ${NEXT}; shows; saved`,
    `${FROM_MEMORY} | ${CARD} | 1 request saved`,
  ],
  [
    'a reply that its process has left stays as it is when it shows each of its cards',
    {},
    `${LOST}; cards base1-4 base1-1; +9 s; stop; Discord works; so far; shows; ${NEXT}`,
    `${CARD},Wick, Who Waits | ${AS_IT_IS}`,
  ],
  [
    'a reply that its process has left stays as it is when it shows the one embed of a pasted list',
    WITH_NAMES,
    `paste; until its end; ${LOST}; use Fetch the prices; +9 s; stop; Discord works; so far; ${NEXT}; reads at market (7 cards)`,
    `${AS_IT_IS} | yes`,
  ],
  [
    'a reply that its process has left costs no request when it is taken back while Discord is asked what it shows',
    {},
    'service takes 10 min; card base1-4; +9 s; stop; Discord hides replies x 1; restart; press Delete; +1 min; done; gone 1',
    '1, 1: answered from bot, deleted from bot | yes',
  ],

  [
    'a reply that is taken back is not corrected by a renewal',
    STALE,
    'service takes 5 s; card base1-4; until its end; press Delete; +1 min; done',
    '1, 0: answered from stale, answered from bot',
  ],
  [
    'a reply that is taken back while its first answer is on its way is not corrected by a renewal',
    STALE,
    'service takes 5 s; callback lose answer; card base1-4; until its end; press Delete; +1 min; done',
    '1, 0: answered from bot, answered from stale',
  ],
  [
    'a reply that is taken back keeps no process from stopping, whatever its renewal waits for',
    STALE,
    'service takes 10 min; card base1-4; until its end; press Delete; +500 ms; stop; log stopped before everything was done',
    '0',
  ],
  [
    'a reply that is taken back has ended at once, whatever its lookup waits for',
    {},
    `${WAITS}; press Delete; +500 ms; done`,
    '1, 1: answered from bot, deleted from bot',
  ],
  [
    'a reply that is taken back that is gone is not deleted again',
    {},
    `${WAITS}; delete refused unknownMessage x 9; press Delete; +5 min; faults; ${TAKEN_OVER}`,
    '1 | 0',
  ],
  [
    'a reply that is taken back whose token has expired is not deleted again',
    {},
    `${WAITS}; delete refused invalidWebhookToken x 9; press Delete; +5 min; faults; ${TAKEN_OVER}`,
    '1 | 0',
  ],
  [
    'a reply that is taken back once it has ended is left to its button, which may be pressed again',
    {},
    'card base1-4; until its end; delete refused missingAccess; press Delete; +1 min; gone 1; faults; press Delete; +1 min; gone 1',
    'no | 1 | yes',
  ],
  ...Object.entries({ '2': {}, '1': { CARD_SERVICE_BULK_PATH: '/cards?ids={ids}' } }).map(
    ([most, env]): Row => [
      `a reply that its process has left costs no more than was said of a pasted list, of which one card is known by then: ${most}`,
      { ...WITH_NAMES, env },
      `paste; until its end; service takes 10 min; press Fetch the prices; +9 s; stop; so far;
      another process has base1-1 of 0 ms ago; service takes 0 ms; service is down; ${NEXT}`,
      `${most}, 3: answered from service`,
    ],
  ),
  [
    'a menu that is used again is handled once, also while its first answer is not known to be there',
    WITH_NAMES,
    `card base1-4; until its end; use Other printings; until its end; +1 s; so far; ${LATE}; choose promo-7; +100 ms;
      choose promo-7; +1 min; ends`,
    'answered from service, pressed twice from bot',
  ],

  [
    'a wait is taken back by who may manage messages; the request under way is kept, and costs what it costs',
    {},
    `service takes 7 s; card base1-4; until Still asking; buttons; a moderator deletes it; +100 ms; gone 1;
      bob: card base1-4; until a card; +10 s; shows; requests; shows of 1; gone 1`,
    `Delete | yes | ${CARD} | 1 |  | yes`,
  ],
  ...['delete close x 99', 'callback refused unknownInteraction'].map(
    (fault): Row => [
      `a reply goes on when its deletion fails, until somebody else presses its button: ${fault}`,
      { service: { requestsPerMinute: 60, burst: 2, requestsPerDay: 1_000 } },
      `cards ${EIGHT}; until a card; ${fault}; press Delete; until 3 cards; gone 1; Discord works;
        a moderator deletes it; +1 min; gone 1; log command with outcome deleted; requests below 8`,
      'no | yes | 1 | yes',
    ],
  ),
  [
    'whoever presses a message that is gone by the time of the answer reads of no fault',
    {},
    `card base1-4; until its end; +100 ms; so far; callback late by 300 ms; callback late by 1 s; press Delete;
      a moderator deletes it; +10 s; presses that show something; ends`,
    '0 | answered from bot, answered from bot',
  ],
]);

const OF_ANOTHER = { type: 4, data: { embeds: [{ title: CARD }] } };
it.each<[string, known: boolean, body: object, ReturnType<typeof done>]>([
  ['"thinking…" is completed from here', false, { type: 5 }, [1, 1, [BY_ANOTHER, 'answered from service']]],
  ['the card stays as it is', false, OF_ANOTHER, [1, 0, [BY_ANOTHER]]],
  ['the card is not shown again from memory', true, OF_ANOTHER, [0, 0, [BY_ANOTHER]]],
])('of a process with the same shard that was quicker %s', async (_, isKnown, body, expected) => {
  const world = await startWorld(isKnown ? { known: [{ id: 'base1-4', ageMs: 0 }] } : {});
  const { answer } = world.discord;
  world.discord.answer = async (request) => {
    if (request.url.endsWith('/callback')) await answer(new Request(request, { body: JSON.stringify(body) }));
    return answer(request);
  };
  const typed = world.card('base1-4');
  await world.pass(MINUTE_MS);
  expect([done(world), shows(typed), finalAnswers(typed)]).toEqual([expected, CARD, 1]);
  world.card('base1-4');
  await world.pass(MINUTE_MS);
  expect(said(world, SAME_SHARD)).toBe(1);
});

inWorld(
  'a deferred reply is logged with how long it waited for its first request',
  { service: { ...QUICK, requestsPerMinute: 6, burst: 1 } },
  async (world) => {
    world.cardService.set({ latencyMs: 2_000 });
    await world.card('base1-1').until(isFinal);
    world.cards('base1-2 base1-4');
    const [, list] = await world.commandLines(2);
    expect(list).toMatchObject({ outcome: 'answered', source: 'service', shown: 2, asked: 2 });
    expect(Number(list?.waitMs)).toBeLessThan(Number(list?.tookMs) - 10_000);
  },
);

inWorld(
  'a reply that its process has left and that no other can take over says that its process stops',
  async (world) => {
    world.cardService.set({ latencyMs: 600_000 });
    await rm(join(world.config.dataDir, 'state.sqlite'));
    await world.pass(MINUTE_MS);
    const typed = world.card('base1-4');
    await typed.until(({ content }) => content !== '');
    await world.stopBot();
    expect(shows(typed)).toBe(errorMessage('en-US', new Stopping()));
  },
);

it.each([
  ['answers with a sentence', 0, 0, BROKEN, 'broken from cache'],
  ['completes its reply with a sentence', undefined, 0, BROKEN, 'answered from service'],
  ['leaves a saved copy as it is', OLD_MS, 1, CARD, 'answered from stale'],
  ['ends no process when the copy comes too late', OLD_MS, 1, '', 'too late from bot'],
])('a command with a fault of its own %s, and says it in the log', async (_, ageMs, showsFirst, shown, end) => {
  const world = await startWorld({ known: ageMs === undefined ? [] : [{ id: 'base1-4', ageMs }] });
  const { show } = card;
  let left = showsFirst;
  onTestFinished(() => void Object.assign(card, { show }));
  Object.assign(card, {
    show(...given: Parameters<typeof show>) {
      if (left-- <= 0) throw new TypeError('a bug');
      return show(...given);
    },
  });
  if (shown === '') world.discord.faults.script(refused('callback', 'unknownInteraction'));
  const typed = world.card('base1-4');
  await world.pass(MINUTE_MS);
  expect([shows(typed), endsIn(world)]).toEqual([shown, [end]]);
  expect(world.lines.filter(({ err }) => JSON.stringify(err ?? '').includes('a bug'))).toHaveLength(
    shown === '' ? 0 : 1,
  );
});

inWorld('what answers an interaction is sent by its token alone, without the token of the bot', async (world) => {
  const { answer } = world.discord;
  const tokens: unknown[] = [];
  world.discord.answer = async (request) => {
    tokens.push(request.headers.get('Authorization'));
    return answer(request);
  };
  press(world, await world.card('base1-4').until(isFinal), 'Delete');
  await world.pass(1_000);
  expect(tokens).toEqual([null, null, null, null]);
});

describe('when the clock is set', () => {
  /** @returns what is done on its machine, and the clock of that */
  async function worldWithClock() {
    const clock = { skewMs: 0 };
    const machine = { isAlive: true, clock, open: new Set<never>(), deferred: new Set<never>(), number: 0, slot: 0 };
    const here = <T>(work: () => T) => owners.run(machine, work);
    return { world: await here(() => startWorld()), clock, here };
  }

  it('back, an edit is given up after ten seconds all the same, which the log says', async () => {
    const { world, clock, here } = await worldWithClock();
    world.discord.faults.script({ route: 'edit', answer: 'hang', times: 9 });
    here(() => world.card('base1-4'));
    await world.pass(5_000);
    clock.skewMs = -10 * MINUTE_MS;
    await world.pass(7_000);
    expect(said(world, 'discord accepts no edits: they are repeated until it does')).toBe(1);
  });

  it('forward, a press whose acknowledgement is still on its way has not deleted its message', async () => {
    const { world, clock, here } = await worldWithClock();
    world.cardService.set({ latencyMs: 600_000 });
    const wait = await here(() => world.card('base1-4')).until(({ content }) => content !== '');
    world.discord.faults.script({ route: 'callback', answer: 'hang', times: 9 }, refused('delete', 'unknownWebhook'));
    here(() => press(world, wait, 'Delete'));
    await world.pass(100);
    clock.skewMs = MINUTE_MS;
    await world.pass(MINUTE_MS);
    expect(endsIn(world)).toContain('not answered from bot');
    expect(endsIn(world)).not.toContain('deleted from bot');
  });
});
