import { expect, it } from 'vitest';
import { LANGUAGES } from '../../src/render/languages.ts';
import { MOST_NOTICES, type WatchNotice, watchNotices } from '../../src/render/watch-notice.ts';

const NOTICE: WatchNotice = {
  ...{ cardName: 'Emberwing Drake', locale: 'en-US', line: 'below', price: 29.5, target: 30, atMs: 60_000 },
  ...{ showId: 'card:show', stopId: 'watches:stop' },
};

it.each<[string, Partial<WatchNotice>, string | undefined, boolean, string]>([
  ['from above', {}, 'USD', false, '**Emberwing Drake** is at $29.50, under your target of $30.00.'],
  ['from below', { line: 'above', price: 31 }, undefined, false, '** is at 31.00, over your target of 30.00.'],
  ['exactly', { price: 30 }, 'USD', false, '**Emberwing Drake** has reached your target of $30.00.'],
  [
    "in the member's language",
    { locale: 'de' },
    'EUR',
    false,
    '**Emberwing Drake** kostet jetzt 29,50\u00A0€ und liegt damit unter',
  ],
  ['with its age', {}, 'USD', true, '**Emberwing Drake** was at $29.50, under your target of $30.00 · <t:60:R>'],
  ['with a name as its own characters', { cardName: '[x](y)' }, 'USD', false, '**\\[x\\]\\(y\\)** is at'],
])('a price that was reached is told %s', (_, notice, currency, isLate, expected) => {
  expect(watchNotices([{ ...NOTICE, ...notice }], { currency, isLate }).content).toContain(expected);
});

it('as many as one message holds fit, with two buttons each', () => {
  const long = { ...NOTICE, cardName: '*'.repeat(1_000), price: 1e11, target: 1e10 };
  for (const locale of LANGUAGES) {
    const notices = Array.from({ length: MOST_NOTICES }, () => ({ ...long, locale }));
    const { content, components } = watchNotices(notices, { currency: 'USD', isLate: true });
    expect(content.length).toBeLessThanOrEqual(2_000);
    expect(components.map((row) => row.components.length)).toEqual(Array(5).fill(2));
  }
});
