import { setImmediate as nextLoopIteration, setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { type Row, type Rows, readJson, update } from '../../src/model/store/rows.ts';
import { fakeTimers } from '../support/fake-timers.ts';
import { ERROR, WARN } from '../support/log-lines.ts';
import { clientOf, noRealRedis, startRealRedis } from '../support/redis.ts';
import { inFiles, inRedis, keptMs, PLACES } from '../support/stores.ts';
import { expectSaid, table } from '../table.ts';

const HOUR = { keepMs: 3_600_000 };
const row = (key: string, value?: string, part = 'a'): Row => ({ part, key, value });

describe.each(PLACES)('rows %s', (_, place) => {
  /** What three processes share. */
  const processes = async (): Promise<[Rows, Rows, Rows]> => {
    const opened = await place();
    return [(await opened()).rows, (await opened()).rows, (await opened()).rows];
  };

  /**
   * Steps of processes: `write a.x=1 a.y`, of which the second is deleted, `if a.x=1` or `while a<2`; `read a`, `read a x -`;
   * `add a.x 2`. Those with ` & ` between them begin at once, and what they tell is sorted. `_` is a blank, `\n` a line break.
   */
  async function says(script: string): Promise<string> {
    const [a, b] = await processes();
    const text = (value: string) => value.replaceAll(' ', '_').replaceAll('\n', '\\n');
    const rowsIn = (steps = '') =>
      [...steps.matchAll(/(\w)\.(\w+)(?:=(\S*))?/g)].map(([, part = '', key = '', value]) =>
        row(key, value?.replaceAll('_', ' ').replaceAll('\\n', '\n'), part),
      );
    const verbs: Record<string, (rows: Rows, what: string) => Promise<string | undefined>> = {
      async read(rows, what) {
        const [part = '', ...keys] = what.split(' ');
        const found = await rows.read(part, keys.length > 0 ? keys.filter((key) => key !== '-') : undefined);
        if (!found) return 'unreachable';
        const texts = [...found].map((each) => text(each.join('=')));
        return texts.sort().join(' ') || 'none';
      },
      async add(rows, what) {
        const [, part = '', key = '', add] = /(\w)\.(\w) (.+)/.exec(what) ?? [];
        await rows.write([{ part, key, add: Number(add) }], HOUR);
        return undefined;
      },
      async write(rows, what) {
        const [given, condition] = what.split(' if ');
        const [, part, than] = /while (\w)<(\d)/.exec(what) ?? [];
        const ifFewer = part && { ifFewer: { part, than: Number(than) } };
        const isWritten = await rows.write(rowsIn(given), { ...HOUR, ifStill: rowsIn(condition), ...ifFewer });
        return String(isWritten);
      },
    };
    const take = (step: string) => {
      const [, name, verb = '', what = ''] = /^(?:([ab]): )?(\w+) (.*)$/.exec(step) ?? [];
      return verbs[verb]?.(name === 'b' ? b : a, what);
    };
    const told: (string | undefined)[] = [];
    for (const moment of script.split('; ')) told.push(...(await Promise.all(moment.split(' & ').map(take))).sort());
    return told.filter(Boolean).join(' / ');
  }

  const BOTH = 'write a.x=1 a.y=2; write a.x=8 b.new=9';
  it.each(table`
    read as they were written, in any process: all of a part, or some | a: write a.x=1 a.y=ü_"2"\n b.x=3; b: read a; b: read a y z; b: read b; b: read c; b: read c -; a: write a.x a.y=; b: read a | true / x=1 y=ü_"2"\n / y=ü_"2"\n / x=3 / none / none / true / y=
    written where a row is as expected | ${BOTH} if a.x=1; read a x; read b | true / true / x=8 / new=9
    written where a row is not there, as expected | ${BOTH} if a.z; read a x; read b | true / true / x=8 / new=9
    not written, none of them, where a row is another | ${BOTH} if a.x=1 a.y=1; read a x; read b | true / false / x=1 / none
    not written where a row is there | ${BOTH} if a.y; read a x; read b | true / false / x=1 / none
    not written where a row is gone | ${BOTH} if a.z=1; read a x; read b | true / false / x=1 / none
    not written where one of another part is another | ${BOTH} if b.x=1; read a x; read b | true / false / x=1 / none
    written while the part has fewer | write a.x=1 while a<2 & write a.y=1 while a<2 & write a.z=1 while a<2; write a.x; write a.z=1 while a<2 | false / true / true / true / true
    added to, by several at once, and gone when they are 0 | a: add a.x 2 & b: add a.x 3 & a: add a.x -1 & b: add a.y -4; read a; b: add a.x -4; read a | x=4 y=-4 / y=-4
  `)('are %s', expectSaid(says));

  const counted = (before = '0') => ({ changes: [row('x', String(Number(before) + 1))], result: before });

  it('are changed by several at once without losing a change', async () => {
    const both = await processes();
    const changed = await Promise.all(
      Array.from({ length: 10 }, (_, at) => update(both[at % 2 === 0 ? 0 : 1], row('x'), counted, HOUR)),
    );
    expect(changed.map(Number).toSorted((a, b) => a - b)).toEqual(Array.from({ length: 10 }, (_, at) => at));
    expect(await both[0].read('a')).toEqual(new Map([['x', '10']]));
    expect(await update(both[0], row('x'), () => ({ changes: [], result: 'kept' }), HOUR)).toBe('kept');
  });

  it('are changed by a slow process, too, beside quick ones', async () => {
    const [quick, other, slow] = await processes();
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
    expect(changed).toMatch(/^\d+$/);
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
  const read = await rows.read('a');
  expect([read, await rows.write([row('x', '2')], HOUR)]).toEqual([new Map([['x', '1']]), undefined]);
});

it('what is over leaves the file within a minute', async () => {
  fakeTimers({ toFake: ['Date', 'setInterval', 'clearInterval'] });
  const { rows, database } = await (await inFiles())();
  await rows.write([row('x', '1')], HOUR);
  await rows.write([row('x', '1', 'b')], { keepMs: 2 * HOUR.keepMs });
  vi.advanceTimersByTime(HOUR.keepMs);
  expect(database.prepare('SELECT part FROM rows').all()).toEqual([{ part: 'b' }]);
});
