import { expect, it } from 'vitest';
import { LANGUAGES } from '../../src/render/languages.ts';
import { MOST_NOTICES, type WatchNotice, watchNotices } from '../../src/render/watch-notice.ts';
import { expectAccepted } from './discord-limits.ts';

const NOTICE: WatchNotice = {
  ...{ cardName: 'Emberwing Drake', locale: 'en-US', line: 'below', price: 29.5, target: 30, atMs: 60_000 },
  ...{ showId: 'card:show', stopId: 'watches:stop' },
};

it.each<[string, Partial<WatchNotice>, string | undefined, boolean, string]>([
  ['from above', {}, 'USD', false, '**Emberwing Drake** is at $29.50, below your target of $30.00.'],
  ['from below', { line: 'above', price: 31 }, undefined, false, '** is at 31.00, above your target of 30.00.'],
  [
    'exactly, as it is shown',
    { price: 30.001 },
    'USD',
    false,
    '**Emberwing Drake** has reached your target of $30.00.',
  ],
  ['exactly', { price: 30 }, 'USD', false, '**Emberwing Drake** has reached your target of $30.00.'],
  [
    "in the member's language",
    { locale: 'de' },
    'EUR',
    false,
    '**Emberwing Drake** kostet jetzt 29,50\u00A0€ und liegt damit unter',
  ],
  [
    'with its row',
    { label: 'holofoil', currency: 'JPY', price: 29, target: 30 },
    'USD',
    false,
    ' is at ¥29 (holofoil), below your target of ¥30.',
  ],
  ['with its age', {}, 'USD', true, '**Emberwing Drake** was at $29.50, below your target of $30.00 · <t:60:R>'],
  ['with a name as its own characters', { cardName: '[x](y)' }, 'USD', false, '**\\[x\\]\\(y\\)** is at'],
])('a price that was reached is told %s', (_, notice, currency, isLate, expected) => {
  const atMs = isLate ? NOTICE.atMs : Date.now();
  expect(watchNotices([{ ...NOTICE, atMs, ...notice }], { currency, isLate }).content).toContain(expected);
});

it('as many as one message holds fit, with two buttons each', () => {
  const long = { ...NOTICE, cardName: '*'.repeat(1_000), price: 1e11, target: 1e10, label: '*'.repeat(1_000) };
  for (const locale of LANGUAGES) {
    const notices = Array.from({ length: MOST_NOTICES }, (_, at) => ({
      ...{ ...long, locale, showId: `card:show:${at}`, stopId: `watches:stop:${at}` },
      ...(at % 2 === 0 && { triedAtMs: 1 }),
    }));
    const message = watchNotices(notices, { currency: 'USD', isLate: true });
    expectAccepted(message);
    expect(message.components.map((row) => row.components.length)).toEqual(Array(5).fill(2));
  }
});

it('what may have been seen stands below the others, and says so', () => {
  const [first, second] = [
    { ...NOTICE, cardName: 'First', triedAtMs: 1 },
    { ...NOTICE, cardName: 'Second' },
  ];
  const { content, components } = watchNotices([first, second], { currency: undefined, isLate: true });
  const lines = [/^I couldn't/, /Second/, /^You may have seen this already:$/, /First/];
  expect(content.split('\n')).toEqual(lines.map((line) => expect.stringMatching(line)));
  expect(components.map(({ components: [show] }) => show)).toMatchObject([
    { label: 'Show Second' },
    { label: 'Show First' },
  ]);
});

it.each([
  [0, '** is at 29.50, below your target of 30.00.'],
  [3_600_000, '** was at 29.50, below your target of 30.00 · <t:'],
])('a message %s ms after the price says since when', (ageMs, expected) => {
  const { content } = watchNotices([{ ...NOTICE, atMs: Date.now() - ageMs }], { currency: undefined, isLate: false });
  expect(content).toContain(expected);
});
