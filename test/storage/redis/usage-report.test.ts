import { expect, it } from 'vitest';
import { redisUsageReport } from '../../../src/storage/redis/usage-report.ts';
import { startRedis } from '../../support/redis.ts';
import { openedLink } from '../../support/redis-link.ts';

const FREE = { plan: 'free', period: { startMs: 1, endMs: 2 }, requests: { used: 1, limit: 1_000, remaining: 999 } };

async function open() {
  const { link, lines } = await openedLink(await startRedis());
  return { link, lines, reportOf: (account: string) => redisUsageReport(link, account) };
}

it.each([
  ['complete', FREE],
  ['with nothing in it', {}],
])('a report that is %s is shared by the processes of an account', async (_, usage) => {
  const { reportOf } = await open();
  expect(await reportOf('account').read()).toBeUndefined();
  await reportOf('account').write({ usage, atMs: 1 });
  expect(await reportOf('account').read()).toEqual({ usage, atMs: 1 });
  expect(await reportOf('other').read()).toBeUndefined();
});

it('a report of another form is none', async () => {
  const { link, reportOf } = await open();
  await link.client.set(`${link.prefix}:report:account`, '{"usage":7}');
  expect(await reportOf('account').read()).toBeUndefined();
});

it('a report that cannot be read or written is none', async () => {
  const { link, reportOf } = await open();
  link.close();
  await reportOf('account').write({ usage: FREE, atMs: 1 });
  expect(await reportOf('account').read()).toBeUndefined();
});
