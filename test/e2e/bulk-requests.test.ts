import { expect, it } from 'vitest';
import { SAMPLE_CARDS } from '../../src/sandbox/sample-cards.ts';
import type { ReceivedRequest } from '../../src/sandbox/service-answers.ts';
import { startAppBot } from '../support/app-bot.ts';
import { type Backends, startBackends } from '../support/backends.ts';
import { finalAnswers } from '../support/final-answers.ts';
import { hasCard, showsCard, startAppBots } from '../support/processes.ts';
import { startRedis } from '../support/redis.ts';

const IDS = SAMPLE_CARDS.map(({ id }) => id);
const FAST = { requestsPerMinute: 600, burst: 20, requestsPerDay: 10_000 };
const BULK = { CARD_SERVICE_BULK_PATH: '/cards?ids={ids}', CARD_SERVICE_TIMEOUT_MS: '60000' };
const PATIENCE = { timeout: 60_000 };
const TEST = { timeout: 120_000 };

/** The ids of each request that was answered, or is under way. */
function requestedIds({ cardService }: Pick<Backends, 'cardService'>): string[][] {
  return cardService.requests
    .filter(({ status }) => status === 200 || status === 0)
    .map(({ path, cardIds }) => [...(cardIds ?? [/^\/cards\/([^?]+)/.exec(path)?.[1] ?? ''])]);
}

it(
  'a bot that stops while one request is under way for many replies leaves each to the next, which completes it once',
  TEST,
  async () => {
    const backends = await startBackends(FAST, BULK);
    const { discord, cardService, env } = backends;
    // The pause gathers the lookups, and the lists that follow it never come.
    let listsHang = true;
    const list = ({ path }: ReceivedRequest) =>
      listsHang && path.startsWith('/cards?') ? { fault: 'hang' as const } : undefined;
    cardService.script({ status: 429, headers: { 'retry-after': '4' } }, ...Array.from({ length: 10 }, () => list));
    const first = await startAppBot(env);
    await first.wrote('gateway ready');
    const typed = IDS.slice(0, 30).map((id, index) =>
      discord.type({ command: 'card', options: { id }, memberId: discord.members[index % 4]?.id ?? '' }),
    );
    const longest = () => Math.max(0, ...requestedIds(backends).map(({ length }) => length));
    await expect.poll(longest, PATIENCE).toBeGreaterThanOrEqual(10);

    await first.stop();
    const shownBefore = typed.filter(({ message }) => hasCard(message)).length;
    const requestsBefore = cardService.counts.total;
    listsHang = false;
    await startAppBot(env);
    await Promise.all(typed.map(showsCard));

    expect(typed.map(finalAnswers)).toEqual(typed.map(() => 1));
    expect(cardService.counts.total - requestsBefore).toBeLessThan(30 - shownBefore);
  },
);

it('a card that two processes want at once is in one request of one of them', TEST, async () => {
  const processes = await startAppBots({
    redis: await startRedis(),
    service: { ...FAST, latencyMs: 300 },
    env: BULK,
  });
  const typed = IDS.slice(0, 20).flatMap((id) => [0, 1].map((shard) => processes.card(shard, id)));
  await Promise.all(typed.map(showsCard));

  const requested = requestedIds(processes);
  expect(requested.flat().toSorted()).toEqual(IDS.slice(0, 20).toSorted());
  expect(requested.length).toBeLessThan(20);
  expect(typed.map(finalAnswers)).toEqual(typed.map(() => 1));
});
