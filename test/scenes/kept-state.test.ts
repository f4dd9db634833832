import { expect } from 'vitest';
import { LIST } from '../support/pasted-list.ts';
import { scenes } from '../support/scene-script.ts';
import { cardRequests, IDS, inWorld, QUICK, WITH_NAMES } from '../support/world.ts';

// What the bot keeps, in files or in Redis: over-redis.test.ts runs these again.

inWorld('a card is stored under the id that it carries, too', async (world) => {
  world.cardService.script({
    path: '/cards/old-id',
    body: { id: 'new-id', name: 'Moved', tcg: 'Game', set: { id: 's', name: 'Set' } },
  });

  await world.card('old-id').settled();
  const { embeds } = await world.card('new-id').settled();

  expect(embeds[0]?.title).toBe('Moved');
  expect(cardRequests(world).length).toBe(1);
});

/** Two cards a second after a burst, and one a second after the first, so that a list waits in line. */
const [FAST, SLOW] = [
  { ...QUICK, requestsPerMinute: 120, burst: 4 },
  { ...QUICK, requestsPerMinute: 60, burst: 2 },
];
/** Cards that were asked for at once, with a step for each. */
const each = (from: number, to: number, step: (id: string, at: number) => string) =>
  IDS.slice(from, to).map(step).join('; ');
const LIST_WAITS = `cards ${IDS.slice(10, 18).join()}; until a card`;
const ALONE = 'reads Only you can see this';
const PUBLIC = 'lacks Only you can see this';
const NO_LONGER = 'I no longer have that list';

scenes([
  [
    'a card costs one request and then none, in direct messages and after a restart; what it cost and saved is still known',
    { env: { MEMBER_DAILY_REQUESTS: '1' } },
    `card base1-4; until its end; card base1-4 in a DM; until its end; shows; reads \nbase1-4 · 999 of 1,000; restart; card base1-4;
      until its end; shows; card base1-5; until its end; shows You've used your one new lookup for today.; routes; 4 ends;
      saved`,
    [
      ...['Emberwing Drake', 'yes', 'Emberwing Drake', 'yes', 'GET /cards/base1-4?includePrices=true'],
      'answered from service, answered from cache, answered from cache, BudgetSpent from bot',
      '2 requests saved',
    ].join(' | '),
  ],
  [
    'what is set in a server holds for everyone in it, also after a restart',
    {},
    `bob: card base1-4; until its end; ${PUBLIC}; settings; until its end; ${ALONE}; choose private as a manager;
      until an answer; choose public; until its end; ${ALONE}; reads Manage Server; bob: card base1-4; until its end; ${ALONE};
      restart; bob: card base1-4; until its end; ${ALONE}; bob: card base1-4 in public; until its end; ${PUBLIC};
      bob: card base1-4 in a DM; until its end; ${PUBLIC}`,
    Array(8).fill('yes').join(' | '),
  ],
  [
    'lists are shown by /privacy and gone with it, also for what is under way',
    WITH_NAMES,
    `paste; until its end; privacy; until its end; reads At the moment: 1 list.;
      ${[0, 1, 2].map((at) => `paste ${LIST}\n${at}1 base1-5; until its end`).join('; ')};
      privacy; until its end; reads At the moment: 3 lists.; use Fetch the prices of 1; until its end; reads ${NO_LONGER};
      paste; until its end; service takes 60 s; use Fetch the prices; until thinking…; use Delete my data of 2;
      until its end; use Delete my data; until its end; use Fetch the prices of 5; until its end; reads ${NO_LONGER};
      stop; service takes 0 ms; restart; until its end of 9; shows of 9`,
    `yes | yes | yes | yes | ${NO_LONGER}: I keep one for an hour. Please paste it again, with \`/cards\` and nothing else.`,
  ],
  [
    'a list whose bot stops in the middle is completed by the next, at the cost that was said',
    WITH_NAMES,
    `paste; until its end; service takes 60 s; use Fetch the prices; until a wait; stop; service takes 0 ms; restart;
      until its end; reads **164.07** at market (7 cards); different requests`,
    'yes | 3',
  ],
  [
    'a spent day is remembered over a restart, and ends with one request of /usage once the plan is larger',
    {},
    `the day is spent; card base1-4; until its end; restart; card base1-5; until its end;
      shows Today's new lookups are used up; requested; the plan is larger; usage; until its end; lacks refreshed again;
      card base1-4; until a card; shows; requests`,
    'yes | base1-4 | yes | Emberwing Drake | 3',
  ],
  [
    'a restart grants no new burst', // what got a 429 would be requested again
    { service: FAST },
    `${each(0, 3, (id) => `card ${id}; until its end`)}; restart; ${each(10, 14, (id) => `card ${id}`)};
      ${each(10, 14, (_, at) => `until a card of ${4 + at}`)}; requests`,
    '7',
  ],
  [
    'a list that waits in line is taken back by who asked for it: its place is free, nothing more is requested or shown',
    { service: SLOW },
    `${LIST_WAITS}; buttons; bob uses Delete; until its end; ${ALONE}; gone 1; press Delete of 1; until it is gone of 1;
      bob: card ${IDS[0]}; until its end; so far; ${each(1, 4, (id) => `bob: card ${id}; until its end`)}; card ${IDS[10]}; until its end; how many cards; new requests;
      restart; card ${IDS[10]}; until its end; how many cards; gone 1; log command with outcome deleted; calls of what is gone`,
    'Delete | yes | no | 1 | 3 | 1 | yes | 1 | 0',
  ],
  [
    "a reply that somebody deletes by Discord's own means ends with the next edit, and is not completed after a restart",
    { service: SLOW },
    `${LIST_WAITS}; somebody deletes it; 1 ends; requests below 8; so far; restart; card base1-4;
      until its end; new requests; gone 1; log deferred replies taken over`,
    'deleted from bot | yes | 1 | yes | 0',
  ],
]);

inWorld(
  '/usage says what answers have taught of how the service limits requests, over a restart too',
  { service: { ...QUICK, requestsPerMinute: 10, burst: 20 } },
  async (world) => {
    world.cardService.set({ limiter: 'fixed window' });
    for (let index = 0; index < 12; index++) world.card(`unknown-${index}`);
    await expect.poll(() => world.cardService.counts.byStatus[429]).toBeGreaterThan(0);

    const state = async () => (await world.usage().settled()).embeds[0]?.description;
    const learned =
      /^Waiting until <t:\d+:[tT]>, as the card service asked\.\nThe card service takes 10 requests a minute/;
    await expect.poll(state).toMatch(learned);

    await world.restartBot();
    expect(await state()).toMatch(learned);
  },
);
