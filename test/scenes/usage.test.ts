import { expect, it } from 'vitest';
import { field } from '../support/replies.ts';
import { startWorld } from '../support/world.ts';

it('/usage shows the figures of the headers without an API key, and what is missing', async () => {
  const world = await startWorld({ env: { CARD_SERVICE_API_KEY: undefined } });
  await world.card('base1-4').settled();

  const reply = await world.usage().settled();

  expect(reply.embeds[0]?.description).toMatch(/\nThe plan report needs an API key\.$/);
  expect(field(reply, 'Today')).toContain('1 of 1,000 used, 999 left');
  expect(field(reply, 'Plan')).toBeUndefined();
  expect(world.cardService.counts.total).toBe(1);
});

it('the picture of the day comes with the reply and its corrections, with an alt text, and replaces the one before', async () => {
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
    const picture = await world.discord.answer(new Request(embeds[0]?.image?.url ?? ''));
    expect(picture.headers.get('content-type')).toBe('image/png');
    expect(picture.headers.get('content-security-policy')).toBe('sandbox');
  }
  expect(second.attachments).toHaveLength(0); // shown in the embed, and not once more
  expect(second.embeds[0]?.image?.url).not.toBe(first.embeds[0]?.image?.url);
});

it('a report that is under way when the bot stops is given up, and the reply says so', async () => {
  const world = await startWorld();
  world.cardService.set({ latencyMs: 8_000 });
  const typed = world.usage();
  await typed.settled();
  await world.stopBot();
  expect(typed.message.embeds[0]?.description).toContain("I couldn't get the plan report.");
  expect(world.lines.map(({ msg }) => msg)).not.toContain('stopped before everything was done');
});
