import { expect, it } from 'vitest';
import { dayReport } from './day-report.ts';
import { simulateDays } from './simulated-day.ts';
import type { Outcome } from './strategy.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const CARD: Outcome = { card: true, stale: false };
const NONE: Outcome = { card: false, stale: false };

const lookupAt = (atMs: number, cardId: string) => ({ atMs, cardId, requester: { memberId: 'one', guildId: 'here' } });

async function after(ms: number, outcome: Outcome): Promise<Outcome> {
  await new Promise((resolve) => setTimeout(resolve, ms));
  return outcome;
}

it('counts each lookup once, by its first command, and follows a member who comes back until they see the card', async () => {
  const backIn = (ms: number) => ({ ...NONE, comeBackAtMs: Date.now() + ms });
  const answers: Record<string, (() => Outcome | Promise<Outcome>)[]> = {
    'at once': [() => ({ ...CARD, stale: true })],
    soon: [() => after(3_000, CARD)],
    later: [() => after(3_001, CARD)],
    'too late': [() => after(15 * MINUTE_MS + 1, CARD)],
    'told when': [() => backIn(20 * MINUTE_MS), () => backIn(5 * MINUTE_MS), () => CARD],
  };
  const lookUp = async (id: string) => (await answers[id]?.shift()?.()) ?? NONE;
  const lookups = Object.keys(answers).map((id) => lookupAt(5_000, id));
  const report = dayReport(await simulateDays(async () => ({ lookUp, close: async () => {} }), [lookups]));
  expect(report).toMatchObject({ lookups: 5, atOnce: 1, shortWait: 1, longWait: 1, withoutCard: 2, staleCopies: 1 });
  expect(report.firstLookups).toMatchObject({ cards: 5, seen: 4 });
  expect(report.firstLookups.longestMs).toBeGreaterThanOrEqual(25 * MINUTE_MS);
  expect(report.firstLookups.longestMs).toBeLessThan(27 * MINUTE_MS); // within a minute after each stated time
});

it('counts requests, and those for a card whose price is still fresh as needless', async () => {
  const lookups = [0, 1_000, 7 * HOUR_MS].map((atMs) => lookupAt(atMs, 'bench-1'));
  const { requests, lived } = await simulateDays(
    async ({ url, fetch }) => ({
      lookUp: async (id) => ({ ...NONE, card: (await fetch(`${url}/cards/${id}`)).ok }),
      close: async () => {},
    }),
    [lookups],
  );
  expect(requests[1]).toMatchObject({ sentAtMs: 1_000, answeredAtMs: 1_200, path: '/cards/bench-1', status: 200 });
  expect(dayReport({ requests, lived })).toMatchObject({ spent: 3, refused: 0, needless: 1, shortWait: 3 });
});
