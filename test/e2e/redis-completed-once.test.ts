import { describe, expect, it } from 'vitest';
import { finalAnswer, finalAnswers } from '../support/final-answers.ts';
import { requestedIds, startProcesses } from '../support/processes.ts';
import { noRealRedis } from '../support/redis/no-real-redis.ts';
import { startRealRedis } from '../support/redis.ts';

const PATIENTLY = { timeout: 60_000 };

describe.skipIf(noRealRedis('a process that dies before it can record a completed reply'))('a process', () => {
  it('that dies before it can record a completed reply in Redis leaves one answer and one request', {
    timeout: 120_000,
  }, async () => {
    const redis = await startRealRedis({ appendonly: true, settings: { appendfsync: 'always' } });
    const processes = await startProcesses({ redis, size: 1, env: { PRICES_FRESH_SECONDS: '1' } });
    processes.cardService.set({ latencyMs: 1_500 });
    const typed = processes.card(0, 'base1-4');
    await typed.until(({ state }) => state === 'thinking', 60_000);
    await expect.poll(() => requestedIds(processes)).toHaveLength(1);
    await redis.kill();
    await finalAnswer(typed);
    processes.bots[0]?.child.kill('SIGKILL');
    await redis.start();

    const next = await processes.start(0);
    await next.wrote('deferred replies taken over');
    const last = processes.card(0, 'base1-5');
    await finalAnswer(last);
    await expect.poll(() => next.output(), PATIENTLY).toContain('"outcome":"answered"');

    expect(finalAnswers(typed)).toBe(1);
    expect(requestedIds(processes)).toEqual(['base1-4', 'base1-5']);
  });
});
