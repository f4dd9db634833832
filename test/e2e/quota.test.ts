import { describe, expect, it } from 'vitest';
import { cardRequests, QUICK, startWorld, statuses } from '../support/world.ts';

describe('the limiter', () => {
  it('shows a longer wait, then the card in its place', async () => {
    const world = await startWorld({ service: { ...QUICK, requestsPerMinute: 12, burst: 2 } });
    const atOnce = world.card('base1-1'); // not waited for: the rest of a wait may be too short to be told

    const typed = world.card('base1-2');
    const waiting = await typed.settled();
    await atOnce.settled();
    const answered = await typed.until(({ embeds }) => embeds.length > 0, 40_000);

    expect(waiting.content).toMatch(/^You're in line\. Your card should be here around <t:\d+:t>\.$/);
    expect(answered.content).toBe('');
    expect(statuses(world)).toEqual([200, 200]);
  });

  it('refuses in private those of 40 lookups at once that would wait too long', async () => {
    const world = await startWorld({
      service: { ...QUICK, requestsPerMinute: 2, burst: 20 },
      env: { LONGEST_WAIT_SECONDS: '75' },
    });

    const lookups = Array.from({ length: 40 }, (_, index) => world.card(`unknown-${index}`));
    const replies = await Promise.all(lookups.map((typed) => typed.settled()));

    const shown = (words: RegExp) => replies.filter(({ content }) => words.test(content));
    expect(shown(/^No card has the id/)).toHaveLength(19);
    expect(shown(/^You're in line\. Your card should be here around <t:\d+:t>\.$/)).toHaveLength(2); // after 30 s and after 60 s
    expect(shown(/^It's busy right now\. Try again after <t:\d+:t>\.$/).map(({ ephemeral }) => ephemeral)).toEqual(
      Array(19).fill(true),
    );
    expect(statuses(world)).toEqual(Array(19).fill(404));
  });
});

describe('after a 429', () => {
  it('a spent day still shows stale copies, with the reason', async () => {
    const world = await startWorld({ env: { PRICES_FRESH_SECONDS: '0' } });
    await world.card('base1-4').settled();
    world.cardService.exhaustDay();
    await world.card('base1-5').settled();

    const { embeds } = await world.card('base1-4').settled();

    expect(embeds[0]?.title).toBe('Emberwing Drake');
    expect(embeds[0]?.description).toMatch(/\nPrices can be refreshed again (at <t:\d+:t>|on <t:\d+:f>)\.$/);
    expect(cardRequests(world)).toHaveLength(2);
  });
});
