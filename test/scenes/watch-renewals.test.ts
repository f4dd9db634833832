import { expect, it } from 'vitest';
import { cardRequests, QUICK, startWorld } from '../support/world.ts';

const HOUR_MS = 3_600_000;

it.each(['on', 'off'])(
  'an hour before the reset a watched card whose price is old is renewed by the next start: %s',
  async (isOn) => {
    const world = await startWorld({
      service: { ...QUICK, nextResetMs: (nowMs) => nowMs + HOUR_MS },
      env: { PRICES_FRESH_SECONDS: '0', WATCH_RENEWALS: isOn },
    });
    await world.card('base1-4').settled();
    await world.discord.type({ command: 'watch', options: { card: 'base1-4', above: 900 } }).settled();
    expect(cardRequests(world)).toHaveLength(1);
    await world.restartBot(); // what remains is known from before
    if (isOn === 'on') await expect.poll(() => cardRequests(world)).toHaveLength(2);
    await world.card('base1-4', { prices: false }).settled(); // from memory
    const usage = JSON.stringify((await world.usage().settled()).embeds);
    expect(usage).toContain('33% of lookups'); // of members: a card, the report, and this one
    expect(usage.includes('spent on watched cards')).toBe(isOn === 'on');
    expect(cardRequests(world)).toHaveLength(isOn === 'on' ? 2 : 1);
  },
);
