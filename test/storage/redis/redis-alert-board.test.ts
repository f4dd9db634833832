import { describe, expect, it, onTestFinished } from 'vitest';
import type { AlertBoard } from '../../../src/operations/alerts.ts';
import { redisAlertBoard } from '../../../src/storage/redis/redis-alert-board.ts';
import { RedisLink } from '../../../src/storage/redis/redis-link.ts';
import { logLines } from '../../support/log-lines.ts';
import { startRedis } from '../../support/redis.ts';

/** A board, what another process sees of it, and what makes it fail. */
type Opened = { board: AlertBoard; again: AlertBoard; fail: () => void };

async function inRedis(): Promise<Opened> {
  const { url, prefix } = await startRedis();
  const open = async () => {
    const link = new RedisLink({ url, prefix, log: logLines().log, answerTimeoutMs: 10_000 });
    onTestFinished(() => link.close());
    await link.opened(10_000);
    return link;
  };
  const [link, other] = [await open(), await open()];
  return { board: redisAlertBoard(link, prefix), again: redisAlertBoard(other, prefix), fail: () => link.close() };
}

describe('an alert board in Redis', () => {
  const LATER_MS = Date.now() + 3_600_000;

  it('lets one tell that it begins, and one that it is over', async () => {
    const { board, again } = await inRedis();
    expect(await board.raise('day80', LATER_MS)).toBe(true);
    expect(await again.raise('day80', LATER_MS)).toBe(false);
    expect(await again.raise('day95', LATER_MS)).toBe(true);
    expect(await again.clear('day80')).toBe(true);
    expect(await board.clear('day80')).toBe(false);
    expect(await board.raise('day80', LATER_MS)).toBe(true);
  });

  it('forgets an alert when its window is over', async () => {
    const { board } = await inRedis();
    await board.raise('day95', Date.now() + 1);
    await board.raise('day80', Date.now() + 1);
    await expect.poll(() => board.raise('day80', LATER_MS)).toBe(true); // the later of the two is over
    expect(await board.clear('day95')).toBe(false);
  });

  it('does not know when it cannot be reached', async () => {
    const { board, fail } = await inRedis();
    fail();
    expect([await board.raise('day80', LATER_MS), await board.clear('day80')]).toEqual([undefined, undefined]);
  });
});
