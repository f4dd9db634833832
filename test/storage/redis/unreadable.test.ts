import { describe, expect, it } from 'vitest';
import { utcDay, utcHour } from '../../../src/time/utc-day.ts';
import { LIMITER_ROW } from '../../support/limiter-over-redis.ts';
import { LimiterScript } from '../../support/limiter-script.ts';
import { ERROR, WARN } from '../../support/log-lines.ts';
import { processOver, UNTIL_DEAD } from '../../support/processes-over-redis.ts';
import { clientOf, startRedis } from '../../support/redis.ts';
import { clientIn } from '../../support/redis-link.ts';
import { inRedis } from '../../support/stores.ts';

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
      expect(JSON.parse((await client.hGet(...row)) ?? '')).toMatchObject({ state: { failed: [] } });
      const logged = script.lines.filter(({ level }) => level >= ERROR);
      expect(logged.length).toBeLessThan(5); // commands that were under way together, and what was done
      expect(script.lines.filter(({ level }) => level === WARN)).toHaveLength(1);
    },
  );

  it('counts: they begin anew', async () => {
    const { ledger, link, lines } = await (await inRedis())();
    const { prefix } = link;
    const client = await clientIn(link);
    const day = `${prefix}:ledger:${utcDay(Date.now())}`;
    const hour = utcHour(Date.now());
    await client.hSet(`${day}:of:alice`, { [`${utcDay(Date.now())} guild requests`]: 'many' });
    await client.hSet(day, { [`${hour} requests`]: '1.5', [`${hour} saved`]: 'x' });
    expect(await ledger.memberToday('alice')).toEqual({ requests: 0, refused: 0, saved: 0 });
    expect(await ledger.today()).toEqual({ requests: 0, refused: 0, saved: 0 });
    expect(lines).toHaveLength(3);
    ledger.spent({ memberId: 'alice', guildId: 'guild' });
    await ledger.close();
    expect((await ledger.memberToday('alice')).requests).toBe(1);
    expect((await ledger.today()).requests).toBe(1);
    expect((await ledger.hours()).at(-1)).toEqual({ requests: 1, saved: 0 });
    expect(await ledger.keptOf('alice')).toMatchObject({ requests: 1 });
  });

  it('what processes told: nothing of nobody', async () => {
    const { link, lines, looks, processes } = await processOver(await startRedis());
    await (await clientIn(link)).hSet(`${link.prefix}:processes`, { another: 'now', third: '' });
    await looks(UNTIL_DEAD);
    expect(['another', 'third', processes.id].map((id) => processes.isDead(id))).toEqual([true, true, false]);
    expect([processes.lengths(), lines]).toEqual([[], []]);
  });
});
