import { expect, it } from 'vitest';
import { LimiterScript, saysUnder } from '../../support/limiter-script.ts';
import { ERROR } from '../../support/log-lines.ts';
import { LIMITER_ROW } from '../../support/processes-over-redis.ts';
import { clientOf, startRedis } from '../../support/redis.ts';
import { expectSaid, table } from '../../table.ts';

async function overRedis() {
  const redis = await startRedis();
  return { script: new LimiterScript(undefined, 0, redis), client: await clientOf(redis), prefix: redis.prefix };
}

/** How many have left in all. */
function sum(said: string): number {
  return said.split(' | ').reduce((sum, each) => sum + Number.parseInt(each, 10), 0);
}

it.each(table`
  get the burst together, and not one permit more | 19
    | a: send 20 & b: send 20 & c: send 20 & d: send 20; a: send 20
  keep to a window together, however often they ask, and one that joins later, too | 10
    | under free of isWindow 1: a: send 9 & b: send 9; a: send 9 & b: send 9 & c: send 9; c: send 9
  never overdraw together a month that nobody states, nor when they begin again | 12
    | under pro with requestsPerMonth 13: a: answered; a: states 900 of 1000 for 12 h; +2 s; a: send 4 & b: send 4;
      a: restart; b: restart; a: send 9 & b: send 9
`)('processes %s: %i', async (_, most, row) => {
  expect(sum(await saysUnder(row, 'free', 0, await startRedis()))).toBe(Number(most));
});

const LOST = 'under free of requestsPerDay 99: a: answered; a: ask 2; a loses an answer; a: answered';

it.each(table`
  learn once from 429s that all of them get at the same time
    | 3 x a: answered; 3 x b: answered; a: ask & b: ask; a: 429 30 s & b: 429 30 s; +2 s; a: breaker; c: learned
    | 1 | 1 | pause 28 s, 1 in a row | burst 6
  learn a window together: what one is answered and another refused
    | 6 x a: answered; 2 x b: answered; a: ask & b: ask; a: 429 1 s; b: answered; +2 s; a: learned; b: learned; log
    | 1 | 1 | 9 a minute | 9 a minute | the card service asked, the card service takes
  lose no change when they change at once
    | a: ask; b: ask; a: states 9 of 99 a month & b: states 90 of 99 for 2 h; a: answered & b: answered; +2 s; a: left
    | 1 | 1 | 90 of 99 a day 7198 s, 9 of 99 a month 907198 s, 18 of 20 a day? 43198 s
  tell one another what they were answered, before anybody asks
    | a: ask; a: states 0 of 1000 for 1 h; b: told; a: answered; b: why; +2 s; b: told; b: why; b: least
    | 1 | told | nothing | told | day 3598 s | 0 of 1000 a day 3598 s
  read what ends a refusal before they refuse
    | a: ask; a: states 0 of 1000 for 1 h; a: answered; +2 s; b: why; a: ask 1 report; a: states 9 of 1000;
      a: answered; b: ask
    | 1 | day 3598 s | 1 probe | 1
  send another probe when the process that sent the first died
    | a: send 1; b: send 1; a: 429 7 s; a: wait; a: ask; a dies; b: ask; +6 s; b: ask
    | 1 | 1 | 1 probe | 0, then 1 s | 1 probe
  work with clocks that differ by minutes
    | b is 5 min ahead; c is -5 min ahead; c: 429 20 s; a: ask; b: ask; c: ask; +20 s; c: ask; a: ask
    | 0, then 20 s | 0, then 20 s | 0, then 20 s | 1 probe | 0, then 100 ms
  have no more under way than remain, together
    | a: send 9; a: states 4 of 1000 for 1 h; +2 s; a: ask 3; b: ask 3; c: ask 3; a: abandoned; c: ask 2
    | 9 | 3 | 1, then 100 ms | 0, then 100 ms | 1, then 100 ms
  count what a process had under way when it died as spent
    | a: states 4 of 1000 for 1 h; a: ask 2; b: ask; a dies; b: ask; +6 s; b: ask; b: least
    | 2 | 0, then 100 ms | 0, then 100 ms | 1 | 2 of 1000 a day 3594 s
  have no new burst when Redis forgets, not even one that started since, and write what they know again
    | a: send 19; a: states 700 of 1000 for 1 h; b: ask; Redis forgets; c: send 20; a: ask; b: ask; c: ask; c: least
    | 19 | 0, then 6 s | 0, then 6 s | 0, then 6 s | 0, then 6 s | 0, then 6 s | 700 of 1000 a day 1 h
  know a spent day when Redis forgets, before one of them asks
    | a: ask; a: states 0 of 1000 for 1 h; a: answered; Redis forgets; a: ask; b: why | 1 | 0, then day 1 h | day 1 h
  know the newer of two figures when Redis forgets
    | a: ask; a: states 700 of 1000 for 1 h; a: answered; +1 ms; Redis forgets; c: ask; c: states 0 of 1000 for 1 h;
      a: ask; c: why
    | 1 | 0, then 6 s | 0, then day 1 h | day 1 h
  tell operators what happens while Redis is away
    | a: ask; a leaves Redis; a: 429 20 s; breaker; log; a is back; +2 s; log
    | 1 | pause 20 s, 1 in a row | nothing | the card service asked, the card service takes
  pause no longer when Redis's clock is set back
    | a: 429 20 s; b: why; Redis's clock -1 h; +2 s; a: ask; b: ask | paused | 0, then 19 s | 0, then 19 s
  wait for Redis half a minute, and then say so
    | a: ask; b: told; b leaves Redis; b: ask; +29999 ms; b: why; +1 ms; b: why; b: told; b is back; b: ask; b: told
    | 1 | told | 0, then 30 s | nothing | store now | told | 1 | told
  tell the others what has ended meanwhile
    | a: ask; b: ask; b leaves Redis; b: 429 1 min; a: why; b is back; +2 s; a: why | 1 | 1 | nothing | paused
  forget a probe that could not be noted
    | a: ask; a: 429 2 s; a: wait; a: ask & a leaves Redis; a is back; b: ask; a: ask
    | 1 | 0, then 30 s | 1 probe | 0, then 1 s
  tell operators what others have changed
    | b: breaker; a: 429 20 s; b: breaker; +2 s; b: breaker
    | closed now, 0 in a row | closed now, 0 in a row | pause 18 s, 1 in a row
  keep to a pause that those who joined an empty Redis do not know
    | a: ask; a: 429 1 min; Redis forgets; c: why; +2 s; a: why; c: why | 1 | nothing | paused | paused
  keep to the longer of two pauses when Redis has forgotten one
    | a: ask; c: ask; a: 429 10 s; Redis forgets; c: 429 1 min; +2 s; a: breaker; c: breaker
    | 1 | 1 | pause 58 s, 1 in a row | pause 58 s, 1 in a row
  store what headers state at once when none is under way
    | a: answered; a: states 9 of 99 for 2 h; b: left | 9 of 99 a day 2 h
  pause as long when their clocks are set ahead
    | a: ask; a: 429 20 s; clock 1 h; Redis's clock -1 h; a: ask; b: ask | 1 | 0, then 20 s | 0, then 20 s
  lose no permit that is just being stored when their clocks are set
    | a: send 9; a: ask & clock 1 h & a: ask & Redis's clock -1 h & +2 s | 9 | 1 | 1
  keep to a pause that a failover has lost, although others have written more since, and tell them
    | a: told; b: send 3; Redis is kept; a: 429 1 min; Redis goes back; 3 x b: answered; b: why; +2 s; a: why;
      b: breaker
    | told | 3 | nothing | paused | pause 58 s, 1 in a row
  keep to it where they find it gone as they write
    | a: ask; b: send 3; Redis is kept; a: 429 1 min; Redis goes back; 3 x b: answered; a: states 9 of 99 for 2 h;
      +2 s; a: why; b: left; b: why
    | 1 | 3 | paused | 9 of 99 a day 7198 s | paused
  know that others have ended a pause meanwhile
    | a: ask; a: 429 9 s; b: breaker; b leaves Redis; a: wait; a: answered; b is back; b: breaker
    | 1 | pause 9 s, 1 in a row | closed now, 0 in a row
  write a state again that went back, which gives no tokens
    | a: ask; Redis is kept; a: states 700 of 1000 for 1 h; a: answered; Redis goes back; +1 s; b: least; b: ask
    | 1 | 700 of 1000 a day 3599 s | 0, then 6 s
  count once what ended, although the answer of Redis was lost, when nobody writes meanwhile
    | ${LOST}; a is back; +2 s; a: left | 2 | 97 of 99 a day? 43198 s
  count once what ended, although the answer of Redis was lost, when others write meanwhile
    | ${LOST}; b: answered; a is back; +2 s; b: left | 2 | 96 of 99 a day? 43198 s
  count once what ended, although the answer of Redis was lost, when more ends here and there meanwhile
    | ${LOST}; a: answered; b: answered; a is back; +2 s; b: left | 2 | 95 of 99 a day? 43198 s
`)(
  'processes %s',
  expectSaid(async (row) => saysUnder(row, 'free', 0, await startRedis())),
);

it('gives no permit to one who asked a moment before a probe had ended in a 429, nor after', async () => {
  const { script } = await overRedis();
  const said = await script.says('429 300 ms; wait; ask; ask & 429 1 min & ask');
  expect(said).toMatch(/^1 probe \| 0, .+ \| 0, then 1 min$/);
});

it('a process that died is forgotten after a minute, and not before', async () => {
  const { script, client, prefix } = await overRedis();
  const known = () => client.hLen(`${prefix}:processes`);
  await script.says('a: ask; b: ask; a dies; +58 s');
  expect(await known()).toBe(2);
  await script.says('+4 s');
  expect(await known()).toBe(1);
});

it.each(['{garbage', '{}', '{"state":{"fullAtMs":"9e15"},"by":{}}'])(
  'what another program has written into Redis is replaced, and named in a line: permits are given again after %s',
  async (garbage) => {
    const { script, client, prefix } = await overRedis();
    await script.says('answered');
    const [part, key] = LIMITER_ROW;
    const row = [`${prefix}:${part}`, key] as const;
    await client.hSet(...row, garbage);
    await expect.poll(() => script.says('+2 s; wait; ask')).toBe('1');
    expect(JSON.parse((await client.hGet(...row)) ?? '')).toMatchObject({ state: { learned: { rung: 0 } } });
    const logged = script.lines.filter(({ level }) => level >= ERROR);
    expect(logged.length).toBeLessThan(5); // commands that were under way together, and what was done
    expect(logged.filter(({ msg }) => msg.startsWith('redis holds something that cannot be read'))).toHaveLength(1);
  },
);
