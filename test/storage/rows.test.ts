import { setImmediate as nextLoopIteration, setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { type Row, type Rows, readJson, update } from '../../src/model/rows.ts';
import { fakeTimers } from '../support/fake-timers.ts';
import { ERROR, WARN } from '../support/log-lines.ts';
import { clientOf, noRealRedis, startRealRedis } from '../support/redis.ts';
import { inFiles, inRedis, keptMs, PLACES } from '../support/stores.ts';

const HOUR = { keepMs: 3_600_000 };
const row = (key: string, value?: string, part = 'a'): Row => ({ part, key, value });

describe.each(PLACES)('rows %s', (_, place) => {
  /** What three processes share. */
  const processes = async (): Promise<[Rows, Rows, Rows]> => {
    const opened = await place();
    return [(await opened()).rows, (await opened()).rows, (await opened()).rows];
  };
  const open = async () => (await (await place())()).rows;

  it('are read as they were written, in any process: all of a part, or some', async () => {
    const [one, other] = await processes();
    expect(await one.write([row('x', '1'), row('y', 'ü "2"\n'), row('x', '3', 'b')], HOUR)).toBe(true);
    expect(await other.read('a')).toEqual(new Map(Object.entries({ x: '1', y: 'ü "2"\n' })));
    expect(await other.read('a', ['y', 'z'])).toEqual(new Map([['y', 'ü "2"\n']]));
    expect(await other.read('b')).toEqual(new Map([['x', '3']]));
    for (const keys of [[], undefined]) expect(await other.read('c', keys)).toEqual(new Map());
    await one.write([row('x'), row('y', '')], HOUR);
    expect(await other.read('a')).toEqual(new Map([['y', '']]));
  });

  it.each<[string, Row[], boolean]>([
    ['a row is as expected', [row('x', '1')], true],
    ['a row is not there, as expected', [row('z')], true],
    ['a row is another', [row('x', '1'), row('y', '1')], false],
    ['a row is there', [row('y')], false],
    ['a row is gone', [row('z', '1')], false],
    ['one of another part is another', [row('x', '1', 'b')], false],
  ])('are written where %s: all or none', async (_, ifStill, isWritten) => {
    const rows = await open();
    await rows.write([row('x', '1'), row('y', '2')], HOUR);
    expect(await rows.write([row('x', '8'), row('new', '9', 'b')], { ...HOUR, ifStill })).toBe(isWritten);
    expect([...((await rows.read('a', ['x'])) ?? []), ...((await rows.read('b')) ?? [])]).toEqual(
      isWritten ? [['x', '8'], ['new', '9']] : [['x', '1']], // biome-ignore format: one line each
    );
  });

  it('are written while the part has fewer', async () => {
    const rows = await open();
    const write = (key: string) => rows.write([row(key, '1')], { ...HOUR, ifFewer: { part: 'a', than: 2 } });
    const written = await Promise.all(['x', 'y', 'z'].map(write));
    expect(written).toEqual([true, true, false]);
    await rows.write([row('x')], HOUR);
    expect(await write('z')).toBe(true);
  });

  it('are added to, by several at once, and go when they are 0', async () => {
    const [one, other] = await processes();
    const add = (rows: Rows, by: number, key = 'x') => rows.write([{ part: 'a', key, add: by }], HOUR);
    await Promise.all([add(one, 2), add(other, 3), add(one, -1), add(other, -4, 'y')]);
    expect(await one.read('a')).toEqual(new Map(Object.entries({ x: '4', y: '-4' })));
    await add(other, -4);
    expect(await one.read('a')).toEqual(new Map([['y', '-4']]));
  });

  it('are changed by several at once without losing a change', async () => {
    const both = await processes();
    const counted = (before = '0') => ({ changes: [row('x', String(Number(before) + 1))], result: before });
    const changed = await Promise.all(
      Array.from({ length: 10 }, (_, at) => update(both[at % 2 === 0 ? 0 : 1], row('x'), counted, HOUR)),
    );
    expect(changed.map(Number).toSorted((a, b) => a - b)).toEqual(Array.from({ length: 10 }, (_, at) => at));
    expect(await both[0].read('a')).toEqual(new Map([['x', '10']]));
    expect(await update(both[0], row('x'), () => ({ changes: [], result: 'kept' }), HOUR)).toBe('kept');
  });

  it('are changed by a slow process, too, beside quick ones', async () => {
    const [quick, other, slow] = await processes();
    const counted = (before = '0') => ({ changes: [row('x', String(Number(before) + 1))], result: true });
    let isOver = false;
    const loops = [quick, other].map(async (rows) => {
      for (; !isOver; await nextLoopIteration()) await update(rows, row('x'), counted, HOUR);
    });
    const late: Rows = {
      ...{ isShared: true, isReachable: true, aheadMs: 0, drop: () => {}, write: slow.write.bind(slow) },
      read: async (...given) => slow.read(...given).finally(() => sleep(30)),
    };
    const changed = await update(late, row('x'), counted, HOUR);
    isOver = true;
    await Promise.all(loops);
    expect(changed).toBe(true);
  });

  it('that their owner cannot read are dropped, with a line that names them, and begin anew', async () => {
    const { rows, lines } = await (await place())();
    await rows.write([row('x', '{"a":1}'), row('y', '{"a"'), row('z', '{"a":"b"}')], HOUR);
    const Read = z.object({ a: z.number() });
    expect(await readJson(rows, Read, 'a')).toEqual(new Map([['x', { a: 1 }]]));
    expect(await rows.read('a')).toEqual(new Map([['x', '{"a":1}']]));
    expect(lines.map((line) => JSON.stringify(line))).toEqual(['y', 'z'].map((key) => expect.stringContaining(key)));
    for (const { level } of lines) expect([WARN, ERROR]).toContain(level);
    await rows.write([row('y', 'many')], HOUR);
    await rows.write([{ part: 'a', key: 'y', add: 2 }], HOUR);
    expect((await rows.read('a', ['y']))?.get('y')).toBe('2');
  });

  it('that cannot be reached are neither read nor written, without an error', async () => {
    const { rows, database, link } = await (await place())();
    database?.close();
    link?.close();
    expect(await rows.read('a')).toBeUndefined();
    expect(await readJson(rows, z.number(), 'a')).toBeUndefined();
    expect(await rows.write([row('x', '1')], HOUR)).toBeUndefined();
    expect(await update(rows, row('x'), () => ({ changes: [row('x', '1')], result: 1 }), HOUR)).toBeUndefined();
    rows.drop('a', 'x');
  });

  it('are gone together when the time of their part is over, which each write begins anew', async () => {
    const stores = await (await place())();
    const { rows } = stores;
    const [leastMs, mostMs] = [HOUR.keepMs - 60_000, HOUR.keepMs];
    await rows.write([row('x', '1'), row('x', '1', 'b')], HOUR);
    await rows.write([row('y', '2')], { keepMs: 2 * HOUR.keepMs });
    await rows.write([row('z', '2', 'b')], { keepMs: 2 * HOUR.keepMs, ifStill: [row('x', '2', 'b')] });
    expect(Math.max(...(await keptMs(stores, 'a')))).toBeGreaterThan(mostMs); // whose the data are stays for good
    for (const ms of await keptMs(stores, 'b')) expect(ms).toSatisfy((ms: number) => ms > leastMs && ms <= mostMs);
    await rows.write([row('x', '3', 'c')], { keepMs: 1 });
    await expect.poll(() => rows.read('c', ['x'])).toEqual(new Map());
    expect(await rows.write([row('z', '3', 'c')], { ...HOUR, ifStill: [row('x', undefined, 'c')] })).toBe(true);
    expect(await rows.read('c')).toEqual(new Map([['z', '3']]));
  });
});

it('a part in Redis that is of another type is empty, and replaced by the next row, with a line that names it', async () => {
  const { rows, link, lines } = await (await inRedis())();
  const { prefix } = link;
  for (const part of ['a', 'b']) await link.run((client) => client.set(`${prefix}:${part}`, 'text'));
  expect(await rows.read('a')).toEqual(new Map());
  expect(await rows.write([row('x', '1'), row('x', '1', 'b')], HOUR)).toBe(true);
  expect(await rows.read('a')).toEqual(new Map([['x', '1']]));
  expect(await rows.read('b')).toEqual(new Map([['x', '1']]));
  expect(lines.map(({ key }) => key)).toEqual([`${prefix}:a`, `${prefix}:b`]);
});

it.skipIf(noRealRedis('a Redis that refuses writes'))('a Redis that refuses writes is read still', async () => {
  const redis = await startRealRedis();
  const { rows, link } = await (await inRedis(redis))();
  await rows.write([row('x', '1')], HOUR);
  await (await clientOf(redis)).configSet('maxmemory', '1');
  await expect.poll(() => link.health).toBe('readable');
  expect([await rows.read('a'), await rows.write([row('x', '2')], HOUR)]).toEqual([new Map([['x', '1']]), undefined]);
});

it('what is over leaves the file within a minute', async () => {
  fakeTimers({ toFake: ['Date', 'setInterval', 'clearInterval'] });
  const { rows, database } = await (await inFiles())();
  await rows.write([row('x', '1')], HOUR);
  await rows.write([row('x', '1', 'b')], { keepMs: 2 * HOUR.keepMs });
  vi.advanceTimersByTime(HOUR.keepMs);
  expect(database.prepare('SELECT part FROM rows').all()).toEqual([{ part: 'b' }]);
});
