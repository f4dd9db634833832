import { expect, it } from 'vitest';
import type { PlanSetting } from '../../../src/model/plan.ts';
import { LIMITER_KEY } from '../../support/limiter-over-redis.ts';
import { LimiterScript } from '../../support/limiter-script.ts';
import { WARN } from '../../support/log-lines.ts';
import { clientOf, startRedis } from '../../support/redis.ts';

async function overRedis(setting?: PlanSetting) {
  const redis = await startRedis();
  const script = new LimiterScript(setting, 0, redis);
  return { script, client: await clientOf(redis), prefix: redis.prefix, key: `${redis.prefix}:${LIMITER_KEY}` };
}

/** How many have left in all. */
function sum(said: string): number {
  return said.split(' | ').reduce((sum, each) => sum + Number.parseInt(each, 10), 0);
}

it('processes get the burst together, and not one permit more', async () => {
  const { script } = await overRedis();
  expect(sum(await script.says('a: send 20 & b: send 20 & c: send 20 & d: send 20; a: send 20'))).toBe(19);
});

it('processes keep to a window together, however often they ask, and one that joins later, too', async () => {
  const { script } = await overRedis({
    plan: 'free',
    plans: { free: { requestsPerMinute: 10, burst: 20, isWindow: true } },
  });
  expect(sum(await script.says('a: send 9 & b: send 9; a: send 9 & b: send 9 & c: send 9'))).toBe(10);
});

it.each([
  [
    'learn once from 429s that all of them get at the same time',
    '3 x a: answered; 3 x b: answered; a: ask & b: ask; a: 429 30 s & b: 429 30 s; +2 s; a: breaker; c: learned',
    '1 | 1 | pause 28 s, 1 in a row | burst 9',
  ],
  [
    'learn a window together: what one is answered and another refused',
    '6 x a: answered; 2 x b: answered; a: ask & b: ask; a: 429 1 s; b: answered; +2 s; a: learned; b: learned; log',
    '1 | 1 | 9 a minute | 9 a minute | the card service asked',
  ],
  [
    'lose no change when they change at once',
    'a: ask; b: ask; a: states 9 of 99 a month & b: states 90 of 99 for 2 h; a: answered & b: answered; +2 s; a: left',
    '1 | 1 | 90 of 99 a day 7198 s, 9 of 99 a month 907198 s, 18 of 20 a day? 43198 s',
  ],
  [
    'tell one another what they were answered, before anybody asks',
    'a: states 0 of 1000 for 1 h; b: told; a: answered; b: why; +2 s; b: told; b: why; b: least',
    'told | nothing | told | day 3598 s | 0 of 1000 a day 3598 s',
  ],
  [
    'read what ends a refusal before they refuse',
    'a: states 0 of 1000 for 1 h; a: answered; +2 s; b: why; a: ask 1 report; a: states 9 of 1000; a: answered; b: ask',
    'day 3598 s | 1 probe | 1',
  ],
  [
    'send another probe when the process that sent the first died',
    'a: send 1; b: send 1; a: 429 7 s; a: wait; a: ask; a dies; b: ask; +6 s; b: ask',
    '1 | 1 | 1 probe | 0, then 7 s | 1 probe',
  ],
  [
    'work with clocks that differ by minutes',
    'b is 5 min ahead; c is -5 min ahead; b: 429 20 s; a: ask; b: ask; c: ask; +20 s; c: ask; a: ask',
    '0, then 20 s | 0, then 20 s | 0, then 20 s | 1 probe | 0, then 100 ms',
  ],
  [
    'have no more under way than remain, together',
    'a: send 9; a: states 4 of 1000 for 1 h; +2 s; a: ask 3; b: ask 3; c: ask 3; a: abandoned; c: ask 2',
    '9 | 3 | 1, then 100 ms | 0, then 100 ms | 1, then 100 ms',
  ],
  [
    'count no request of a process that has died',
    'a: states 2 of 1000 for 1 h; a: ask 2; b: ask; a dies; b: ask; +6 s; b: ask',
    '2 | 0, then 100 ms | 0, then 100 ms | 1',
  ],
  [
    'take turns, and each is told when it is its turn',
    'a: send 19; a: ask; +1 ms; b: ask; +1 ms; c: ask; +6 s; c: ask; b: ask; a: ask',
    '19 | 0, then 6 s | 0, then 11999 ms | 0, then 17998 ms | 0, then 11998 ms | 0, then 5998 ms | 1',
  ],
  [
    'come behind the others once they had their turn',
    'a: send 19; a: ask; +1 ms; b: ask; +6 s; a: ask 2; +6 s; a: ask; b: ask',
    '19 | 0, then 6 s | 0, then 11999 ms | 1, then 11999 ms | 0, then 5999 ms | 1',
  ],
  [
    'leave no token to a process that has died',
    'a: send 19; a: ask; +1 ms; b: ask; a dies; b: ask; +5999 ms; b: ask',
    '19 | 0, then 6 s | 0, then 11999 ms | 0, then 11999 ms | 1',
  ],
  [
    'have no new burst when Redis forgets, not even one that started since, and write what they know again',
    'a: send 19; a: states 700 of 1000 for 1 h; b: ask; Redis forgets; c: answered; a: ask; b: ask; c: ask; c: least',
    '19 | 0, then 6 s | 0, then 6 s | 0, then 6 s | 0, then 6 s | 700 of 1000 a day 1 h',
  ],
  [
    'know a spent day when Redis forgets, before one of them asks',
    'a: states 0 of 1000 for 1 h; a: answered; Redis forgets; a: ask; b: why',
    '0, then day 1 h | day 1 h',
  ],
  [
    'know a spent day when Redis forgets, and nothing happens',
    'a: states 0 of 1000 for 1 h; a: answered; Redis forgets; +2 s; b: why',
    'day 3598 s',
  ],
  [
    "pause no longer when Redis's clock is set back",
    "a: 429 20 s; b: why; Redis's clock -1 h; +2 s; a: ask; b: ask",
    'paused | 0, then 21 s | 0, then 21 s',
  ],
  [
    'wait for Redis half a minute, and then say so',
    'a: ask; b: told; b leaves Redis; b: ask; +29999 ms; b: why; +1 ms; b: why; b: told; b is back; b: ask; b: told',
    '1 | told | 0, then 30 s | nothing | store now | told | 1 | told',
  ],
  [
    'tell the others what has ended meanwhile',
    'a: ask; b: ask; b leaves Redis; b: 429 1 min; a: why; b is back; +2 s; a: why',
    '1 | 1 | nothing | paused',
  ],
])('processes %s', async (_, steps, said) => {
  const { script } = await overRedis();
  expect(await script.says(steps)).toBe(said);
});

it('what a process had under way when it died counts as spent of a month that nobody states', async () => {
  const { script } = await overRedis({ plan: 'free', requestsPerMonth: 1_100 });
  const said = await script.says('a: ask 2; b: least; a dies; +6 s; b: least; b: answered; c: least');
  expect(said).toBe('2 | 200 of 200 a day? 12 h | 198 of 200 a day? 43194 s | 197 of 200 a day? 43194 s');
});

it('no key is left in Redis without an expiry', async () => {
  const { script, client, prefix } = await overRedis();
  await script.says('answered; +2 s');
  const ttls = await Promise.all((await client.keys(`${prefix}:*`)).map((key) => client.pTTL(key)));
  expect(ttls.length).toBeGreaterThanOrEqual(3);
  expect(Math.min(...ttls)).toBeGreaterThan(0);
});

it('a process that died is forgotten after a minute, and not before', async () => {
  const { script, client, prefix } = await overRedis();
  const known = () => client.hLen(`${prefix}:processes`);
  await script.says('a: ask; b: ask; a dies; +58 s');
  expect(await known()).toBe(2);
  await script.says('+4 s');
  expect(await known()).toBe(1);
});

it('a state that is invalid is replaced, which is logged once', async () => {
  const { script, client, key } = await overRedis();
  await script.says('answered');
  await client.hSet(key, { state: '{"breaker":"nonsense"}', version: '9e15', terms: '9e15' });
  expect(await script.says('ask; ask')).toBe('1 | 1');
  expect(JSON.parse((await client.hGet(key, 'state')) ?? '')).toMatchObject({ breaker: { state: 'closed' } });
  expect(script.lines.filter(({ level }) => level === WARN)).toHaveLength(1);
});

it('a state of another type is replaced, and what a process knows is written again', async () => {
  const { script, client, key } = await overRedis();
  await script.says('a: answered; b: answered');
  await client.unlink(key);
  await client.lPush(key, 'of another type');
  expect(await script.says('a: 429 20 s; +2 s; b: why')).toBe('paused');
});
