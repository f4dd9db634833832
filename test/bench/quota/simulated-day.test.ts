import { expect, it } from 'vitest';
import { DAY_MS, type Lookup } from './day-of-lookups.ts';
import { simulateDay } from './simulated-day.ts';
import type { Outcome, StartStrategy } from './strategy.ts';

const MINUTE_MS = 60_000;
const CARD: Outcome = { card: true, stale: false };

function lookupAt(atMs: number): Lookup {
  return { atMs, cardId: 'bench-1', requester: { memberId: 'one', guildId: 'here' } };
}

/** Answers with these outcomes, one after another. */
function saying(...answers: (() => Promise<Outcome>)[]): StartStrategy {
  return async () => ({
    lookUp: async () => (await answers.shift()?.()) ?? { card: false, stale: false },
    close: async () => {},
  });
}

async function after(ms: number, outcome: Outcome): Promise<Outcome> {
  await new Promise((resolve) => setTimeout(resolve, ms));
  return outcome;
}

const comeBackIn = (ms: number) => async () => ({ card: false, stale: false, comeBackAtMs: Date.now() + ms });

it('measures the wait from the command to its answer', async () => {
  const { lived } = await simulateDay(
    saying(() => after(2_500, CARD)),
    [lookupAt(5_000)],
  );
  expect(lived).toMatchObject([{ outcome: CARD, waitMs: 2_500, comebacks: 0, seenAfterMs: 2_500 }]);
});

it('counts an answer that comes after 15 minutes as none', async () => {
  const late = saying(() => after(15 * MINUTE_MS + 1, CARD));
  const { lived } = await simulateDay(late, [lookupAt(0)]);
  expect(lived).toMatchObject([{ outcome: { card: false }, seenAfterMs: undefined }]);
});

it('lets a member come back within a minute after the stated time until they see the card', async () => {
  const twice = saying(comeBackIn(10 * MINUTE_MS), comeBackIn(5 * MINUTE_MS), async () => CARD);
  const { lived } = await simulateDay(twice, [lookupAt(0)]);
  expect(lived).toMatchObject([{ outcome: { card: false }, waitMs: 0, comebacks: 2 }]);
  expect(lived[0]?.seenAfterMs).toBeGreaterThanOrEqual(15 * MINUTE_MS);
  expect(lived[0]?.seenAfterMs).toBeLessThan(17 * MINUTE_MS);
});

it('counts the requests of the day by its own clock', async () => {
  const start: StartStrategy = async ({ url, fetch }) => ({
    lookUp: async () => {
      const { status } = await fetch(`${url}/cards/bench-1`);
      return { card: status === 200, stale: false };
    },
    close: async () => {},
  });
  const { lived, requests } = await simulateDay(start, [lookupAt(1_000), lookupAt(DAY_MS - 1)]);
  expect(requests).toMatchObject([
    { sentAtMs: 1_000, answeredAtMs: 1_200, path: '/cards/bench-1', cardIds: [], status: 200 },
    { sentAtMs: DAY_MS - 1, status: 200 },
  ]);
  expect(lived.map(({ waitMs }) => waitMs)).toEqual([200, 200]);
});
