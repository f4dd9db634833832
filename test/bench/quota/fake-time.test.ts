import { expect, it } from 'vitest';
import { inFakeTime } from './fake-time.ts';

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

it('runs the timers of a day in order', async () => {
  const seen: [string, number][] = [];
  const note = async (what: string, ms: number) => {
    await sleep(ms);
    seen.push([what, Date.now()]);
  };
  await inFakeTime(1_000, async () => {
    await Promise.all([note('later', 86_400_000), note('sooner', 60_000)]);
  });
  expect(seen).toEqual([
    ['sooner', 61_000],
    ['later', 86_401_000],
  ]);
});

it('runs everything that follows from one timer before the next', async () => {
  const lateMs = await inFakeTime(0, async () => {
    setTimeout(() => {}, 11);
    await sleep(10);
    for (let step = 0; step < 50; step++) await Promise.resolve();
    await new Response('a body').text();
    return Date.now() - 10;
  });
  expect(lateMs).toBe(0);
});

it('repeats its random numbers, and restores time and `Math.random`', async () => {
  const { random } = Math;
  const draw = () => inFakeTime(0, async () => Math.random());
  expect(await draw()).toBe(await draw());
  expect(Math.random).toBe(random);
  expect(Date.now()).toBeGreaterThan(86_400_000);
});

it('fails with the error of the work', async () => {
  await expect(inFakeTime(0, () => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
});

it('fails instead of hanging when no timer is left', async () => {
  await expect(inFakeTime(0, () => new Promise(() => {}))).rejects.toThrow('no timer left');
});
