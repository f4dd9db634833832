import { describe, expect, it } from 'vitest';
import type { ChatMessage } from '../../src/sandbox/discord/chat.ts';
import { QUICK, startWorld } from '../support/world.ts';

function field({ embeds }: ChatMessage, name: string): string | undefined {
  return embeds[0]?.fields?.find((present) => present.name === name)?.value;
}

describe('/usage', () => {
  it('shows plan, period, today and what the cache saved, in private', async () => {
    const world = await startWorld();
    await world.card('base1-4').settled();
    await world.card('base1-4').settled();

    const reply = await world.usage().settled();

    expect(reply.ephemeral).toBe(true);
    expect(field(reply, 'Plan')).toBe('free');
    expect(field(reply, 'Period')).toMatch(/^<t:\d+:d> – <t:\d+:d>$/);
    expect(field(reply, 'Today')).toMatch(/998 of 1,000 left\nall back (at <t:\d+:t>|on <t:\d+:f>)$/);
    expect(field(reply, 'In this period')).toBeUndefined();
    expect(reply.embeds[0]?.description).toBe('Requests go out as cards are asked for.');
    expect(field(reply, 'Saved today')).toBe('1 request');
    expect(field(reply, 'Waiting now')).toBe('0');
    expect(field(reply, 'Report from')).toMatch(/^<t:\d+:R>$/);
  });

  it('requests a report at most once a minute', async () => {
    const world = await startWorld();

    await world.usage().settled();
    const second = await world.usage().settled();

    expect(field(second, 'Plan')).toBe('free');
    expect(world.cardService.counts.total).toBe(1);

    // A later answer about the same day replaces the figures of the report
    world.cardService.exhaustDay();
    await world.card('base1-4').settled();
    const third = await world.usage().settled();
    expect(third.embeds[0]?.description).toMatch(/^Today's requests to the card service are used up\./);
    expect(field(third, 'Today')).toContain('0 of 1,000 left');
    expect(JSON.stringify(third.embeds)).not.toContain('999');
  });

  it('notices that the day was refilled, and /card continues', async () => {
    const world = await startWorld();
    world.cardService.exhaustDay();
    await world.card('base1-4').settled();
    world.cardService.refillDay();

    const reply = await world.usage().settled();
    const { embeds } = await world.card('base1-4').settled();

    expect(reply.embeds[0]?.description).toBe('Requests go out as cards are asked for.');
    expect(field(reply, 'Today')).toContain('999 of 1,000 left');
    expect(embeds[0]?.title).toBe('Emberwing Drake');
  });

  it('counts what the cache saved across a restart', async () => {
    const world = await startWorld();
    await world.card('base1-4').settled();
    await world.card('base1-4').settled();

    await world.restartBot();

    expect(field(await world.usage().settled(), 'Saved today')).toBe('1 request');
  });

  it('shows the figures of the headers without an API key, and what is missing', async () => {
    const world = await startWorld({ env: { CARD_SERVICE_API_KEY: undefined } });
    await world.card('base1-4').settled();

    const reply = await world.usage().settled();

    expect(reply.embeds[0]?.description).toMatch(/\nThe plan report needs an API key \(CARD_SERVICE_API_KEY\)\.$/);
    expect(field(reply, 'Today')).toContain('999 of 1,000 left');
    expect(field(reply, 'Plan')).toBeUndefined();
    expect(world.cardService.counts.total).toBe(1);
  });

  it('shows what is known when the key may not read reports, and /card continues', async () => {
    const world = await startWorld();
    world.cardService.script({ path: '/v1/usage', status: 403, body: { _tag: 'Forbidden', message: '' } });

    const reply = await world.usage().settled();
    const { embeds } = await world.card('base1-4').settled();

    expect(reply.embeds[0]?.description).toMatch(
      /\nThe plan report was asked for <t:\d+:R>, in vain: .*CARD_SERVICE_API_KEY/,
    );
    expect(embeds[0]?.title).toBe('Emberwing Drake');
  });

  it('shows what is known when the service is down, with the reason', async () => {
    const world = await startWorld();
    await world.card('base1-4').settled();
    world.cardService.set({ down: true });

    const reply = await world.usage().settled();

    expect(reply.embeds[0]?.description).toMatch(
      /^The card service did not answer just now\..*\nThe plan report was asked for <t:\d+:R>, in vain: The card service does not answer/,
    );
    expect(field(reply, 'Today')).toContain('of 1,000 left');
  });

  it('answers in time when the report is slow, and shows it when it arrives', async () => {
    const world = await startWorld();
    world.cardService.script({ path: '/v1/usage', delayMs: 2_000, body: { plan: 'pro' } });

    const typed = world.usage();
    const first = await typed.settled();
    const second = await typed.until(({ edited }) => edited);

    expect(first.embeds[0]?.description).toMatch(/\nThe plan report is on its way; this message will show it\.$/);
    expect(field(second, 'Plan')).toBe('pro');
  });

  it('says what answers have taught of how the service limits requests, over a restart too', async () => {
    const world = await startWorld({ service: { ...QUICK, requestsPerMinute: 10, burst: 20 } });
    world.cardService.set({ limiter: 'fixed window' });
    for (let index = 0; index < 12; index++) world.card(`unknown-${index}`);
    await expect.poll(() => world.cardService.counts.byStatus[429]).toBeGreaterThan(0);

    const state = async () => (await world.usage().settled()).embeds[0]?.description;
    const learned = /^The card service asked us to wait\..*\nThe service lets 10 requests through in any minute/s;
    await expect.poll(state).toMatch(learned);

    await world.restartBot();
    expect(await state()).toMatch(learned);
  });

  it('shows any part of the report that is there', async () => {
    const world = await startWorld();
    const period = { start: '2026-11-01T00:00:00Z', end: '2126-12-01T00:00:00Z' };
    world.cardService.script({ path: '/v1/usage', body: { period, requests: { used: 5 } } });

    const reply = await world.usage().settled();

    expect(field(reply, 'In this period')).toBe('5 of ? used, ? left');
    expect(field(reply, 'Plan')).toBeUndefined();
  });

  it('is not available to members without Manage Server or in direct messages', async () => {
    const world = await startWorld();

    expect(() => world.usage({ manageGuild: false })).toThrow(/usage/);
    expect(() => world.usage({ guildId: null })).toThrow(/usage/);
  });
});
