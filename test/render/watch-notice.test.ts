import { expect, it } from 'vitest';
import { LANGUAGES } from '../../src/render/languages.ts';
import {
  MOST_NOTICES,
  type WatchNotice,
  type WatchView,
  watchList,
  watchNotices,
  watchSet,
} from '../../src/render/watch-message.ts';
import { expectAccepted } from './discord-limits.ts';

const HOUR_MS = 3_600_000;
const NOTICE: WatchNotice = {
  ...{ cardName: 'Emberwing Drake', locale: 'en-US', line: 'below', price: 29.5, target: 30, atMs: 60_000 },
  ...{ showId: 'card:show', stopId: 'watches:stop' },
};

it.each<[string, Partial<WatchNotice> & { isLate?: boolean }, string]>([
  ['from above', {}, '**Emberwing Drake** is at $29.50, below your target of $30.00.'],
  ['from below', { line: 'above', price: 31 }, '** is at $31.00, above your target of $30.00.'],
  ['exactly, as it is shown', { price: 30.001 }, '**Emberwing Drake** has reached your target of $30.00.'],
  ['exactly', { price: 30 }, '**Emberwing Drake** has reached your target of $30.00.'],
  ["in the member's language", { locale: 'de' }, '**Emberwing Drake** kostet jetzt 29,50\u00A0$ und liegt damit unter'],
  [
    'with its row',
    { label: 'holofoil', currency: 'JPY', price: 29, target: 30 },
    ' is at ¥29 (holofoil), below your target of ¥30.',
  ],
  [
    'with its age',
    { isLate: true, atMs: 60_000 },
    '**Emberwing Drake** was at $29.50, below your target of $30.00 · <t:60:R>',
  ],
  ['an hour later with its age', { atMs: Date.now() - HOUR_MS }, ' was at $29.50, below your target of $30.00 · <t:'],
  ['with a name as its own characters', { cardName: '[x](y)' }, '**\\[x\\]\\(y\\)** is at'],
])('a price that was reached is told %s', (_, { isLate = false, ...notice }, expected) => {
  const notices = [{ ...NOTICE, atMs: Date.now(), ...notice }];
  expect(watchNotices(notices, { currency: 'USD', isLate }).content).toContain(expected);
});

it('a price has the currency that the service states, and none is a figure', () => {
  expect(watchNotices([NOTICE], { currency: undefined, isLate: true }).content).toContain('at 29.50, below');
  const german = watchNotices([{ ...NOTICE, locale: 'de' }], { currency: 'EUR', isLate: true });
  expect(german.content).toContain('29,50\u00A0€');
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

const HIGH = 999_999_999.99;
const LONGEST: WatchView = {
  ...{ id: 'f'.repeat(16), cardName: '*'.repeat(500), crossed: ['below'], price: { market: HIGH, atMs: Date.now() } },
};

it.each(LANGUAGES)('Discord takes the longest watches in %s', (locale) => {
  const to = { locale, currency: 'USD' };
  for (const lines of [
    { above: HIGH, below: HIGH },
    { above: HIGH, percent: 99 },
    { below: HIGH, percent: 99 },
  ]) {
    const views = Array.from({ length: 25 }, (_, at) => ({ ...LONGEST, ...lines, id: `${at}` }));
    const { embeds, components } = watchList(views, to, 'watches:stop');
    expect(embeds[0]?.description).toContain('\n');
    expectAccepted({ embeds, components });
    const set = watchSet({ ...LONGEST, ...lines }, to, { isReplaced: true, stopId: `watches:stop:${LONGEST.id}` });
    expectAccepted(set);
  }
});
