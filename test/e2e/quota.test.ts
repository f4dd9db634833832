import { expect, it } from 'vitest';
import { QUICK, startWorld, statuses } from '../support/world.ts';

it('the limiter refuses in private those of 40 lookups at once that would wait too long', async () => {
  const world = await startWorld({
    service: { ...QUICK, requestsPerMinute: 2, burst: 20 },
    env: { LONGEST_WAIT_SECONDS: '75' },
  });

  const lookups = Array.from({ length: 40 }, (_, index) => world.card(`unknown-${index}`));
  await Promise.all(lookups.map((typed) => typed.settled()));

  const shown = (words: RegExp) => lookups.map(({ message }) => message).filter(({ content }) => words.test(content));
  // Where answers take seconds, as on a busy machine, some who are served at once are told first that they are in line.
  await expect.poll(() => shown(/^No card has the id/), { timeout: 25_000 }).toHaveLength(19);
  expect(shown(/^You're in line\. Your card should be here around <t:\d+:T>\.$/)).toHaveLength(2); // after 30 s and after 60 s
  expect(shown(/^It's busy right now\. Try again after <t:\d+:[tT]>\.$/).map(({ ephemeral }) => ephemeral)).toEqual(
    Array(19).fill(true),
  );
  expect(statuses(world)).toEqual(Array(19).fill(404));
});
