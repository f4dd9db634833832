import { describe, expect, it } from 'vitest';
import { finalAnswer, finalAnswers } from '../support/final-answers.ts';
import { askedIds, startFleet } from '../support/fleet.ts';
import { noRealRedis } from '../support/redis/no-real-redis.ts';
import { startRealRedis } from '../support/redis.ts';

const PATIENTLY = { timeout: 30_000 };

describe.skipIf(noRealRedis('a process that dies before Redis hears what it has paid'))('a process', () => {
  it('that dies before Redis hears what it has paid leaves one answer and one request', {
    timeout: 90_000,
  }, async () => {
    const redis = await startRealRedis({ appendonly: true, settings: { appendfsync: 'always' } });
    const processesAlive = await startFleet({ redis, size: 1, env: { PRICES_FRESH_SECONDS: '1' } });
    processesAlive.cardService.set({ latencyMs: 1_500 });
    const typed = processesAlive.card(0, 'base1-4');
    await typed.until(({ state }) => state === 'thinking', 15_000);
    await expect.poll(() => askedIds(processesAlive)).toHaveLength(1);
    await redis.kill();
    await finalAnswer(typed);
    processesAlive.bots[0]?.child.kill('SIGKILL');
    await redis.start();

    const heir = await processesAlive.start(0);
    await heir.wrote('debts taken over');
    const last = processesAlive.card(0, 'base1-5');
    await finalAnswer(last);
    await expect.poll(() => heir.output(), PATIENTLY).toContain('"outcome":"answered"');

    expect(finalAnswers(typed)).toBe(1);
    expect(askedIds(processesAlive)).toEqual(['base1-4', 'base1-5']);
  });
});
