import { describe, expect, it } from 'vitest';
import { LimiterScript } from '../../support/limiter-script.ts';
import { ERROR } from '../../support/log-lines.ts';
import { LIMITER_ROW, processOver, UNTIL_DEAD } from '../../support/processes-over-redis.ts';
import { clientIn, clientOf, startRedis } from '../../support/redis.ts';

describe('what another program has written into Redis is left out or replaced, and each named in a line', () => {
  it.each(['{garbage', '{}', '{"state":{"fullAtMs":"9e15"},"by":{}}'])(
    'the limiter: permits are given again after %s',
    async (garbage) => {
      const redis = await startRedis();
      const script = new LimiterScript(undefined, 0, redis);
      await script.says('answered');
      const client = await clientOf(redis);
      const [part, key] = LIMITER_ROW;
      const row = [`${redis.prefix}:${part}`, key] as const;
      await client.hSet(...row, garbage);
      await expect.poll(() => script.says('+2 s; wait; ask')).toBe('1');
      expect(JSON.parse((await client.hGet(...row)) ?? '')).toMatchObject({ state: { learned: { rung: 0 } } });
      const logged = script.lines.filter(({ level }) => level >= ERROR);
      expect(logged.length).toBeLessThan(5); // commands that were under way together, and what was done
      expect(logged.filter(({ msg }) => msg.startsWith('redis holds something that cannot be read'))).toHaveLength(1);
    },
  );

  it('what processes told: nothing of nobody', async () => {
    const { link, lines, looks, processes } = await processOver(await startRedis());
    await (await clientIn(link)).hSet(`${link.prefix}:processes`, { another: 'now', third: '' });
    await looks(UNTIL_DEAD);
    expect(['another', 'third', processes.id].map((id) => processes.isDead(id))).toEqual([true, true, false]);
    expect([processes.lengths(), lines]).toEqual([[], []]);
  });
});
