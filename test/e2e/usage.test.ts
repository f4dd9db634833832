import { describe, expect, it } from 'vitest';
import type { ChatMessage } from '../../src/sandbox/discord/chat.ts';
import { startWorld } from '../support/world.ts';

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
    expect(field(reply, 'Today')).toMatch(
      /2 of 1,000 used, 998 left\nResets (at <t:\d+:t>|on <t:\d+:f>)(\nAt this rate|$)/,
    );
    expect(field(reply, 'This period')).toBeUndefined();
    expect(reply.embeds[0]?.description).toBe('Working normally.');
    expect(field(reply, 'Answered from memory')).toBe('33% of lookups · 1 request saved');
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
    expect(third.embeds[0]?.description).toMatch(/^Today's requests are used up until <t:\d+:[tf]>\.$/);
    expect(field(third, 'Today')).toContain('1,000 of 1,000 used, 0 left');
    expect(JSON.stringify(third.embeds)).not.toMatch(/\b999\b/);
  });

  it('shows the figures of the headers without an API key, and what is missing', async () => {
    const world = await startWorld({ env: { CARD_SERVICE_API_KEY: undefined } });
    await world.card('base1-4').settled();

    const reply = await world.usage().settled();

    expect(reply.embeds[0]?.description).toMatch(/\nThe plan report needs an API key\.$/);
    expect(field(reply, 'Today')).toContain('1 of 1,000 used, 999 left');
    expect(field(reply, 'Plan')).toBeUndefined();
    expect(world.cardService.counts.total).toBe(1);
  });

  it('answers in time when the report is slow, and shows it when it arrives', async () => {
    const world = await startWorld();
    world.cardService.script({ path: '/v1/usage', delayMs: 2_000, body: { plan: 'pro' } });

    const typed = world.usage();
    const first = await typed.settled();
    const second = await typed.until(({ edited }) => edited);

    expect(first.embeds[0]?.description).toMatch(/\nThe latest plan report is on its way\.$/);
    expect(field(second, 'Plan')).toBe('pro');
  });
});

describe('the picture of the day', () => {
  it('comes with the reply and its corrections, with an alt text, and replaces the one before', async () => {
    const world = await startWorld();
    world.cardService.set({ latencyMs: 2_000 });
    await world.card('base1-4').until(({ embeds }) => embeds.length > 0);

    const typed = world.usage();
    const first = await typed.settled();
    const second = await typed.until(({ edited }) => edited);

    for (const { embeds } of [first, second]) {
      expect(embeds[0]?.image).toMatchObject({
        url: expect.stringMatching(/\/attachments\/.*\/day\.png$/),
        width: 720,
      });
      const picture = await fetch(embeds[0]?.image?.url ?? '');
      expect(picture.headers.get('content-type')).toBe('image/png');
    }
    expect(second.attachments).toHaveLength(0); // shown in the embed, and not once more
    expect(second.embeds[0]?.image?.url).not.toBe(first.embeds[0]?.image?.url);
  });
});
