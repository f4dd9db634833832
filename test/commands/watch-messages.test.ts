import { expect, it } from 'vitest';
import { watchList, watchNotices, watchSet } from '../../commands/watch.ts';
import { MOST_SHOWN } from '../../src/members/delivery.ts';
import type { Crossing, Watch, WatchCrossing } from '../../src/members/watches.ts';
import { LANGUAGES } from '../../src/render/languages.ts';
import { expectAccepted } from '../render/discord-limits.ts';
import { changed, table } from '../table.ts';

const HOUR_MS = 3_600_000;
const WATCH: Watch = {
  ...{ id: 'f'.repeat(16), memberId: 'alice', cardId: 'base1-4', cardName: 'Emberwing Drake', locale: 'en-US' },
  ...{ crossed: ['below'], setAtMs: 0, crossings: 1 },
};
const CROSSING: Crossing = { line: 'below', price: 29.5, target: 30, atMs: 60_000, tellBy: 'message' };
const crossed = (more: Partial<Watch & Crossing> = {}): WatchCrossing => ({
  watch: { ...WATCH, ...more },
  crossing: { ...CROSSING, ...more },
});

it.each([
  ...table`
    from above | | **Emberwing Drake** is at $29.50, below your target of $30.00.
    exactly, as it is shown | price=30.001 | **Emberwing Drake** has reached your target of $30.00.
    with its row | label="holofoil"; currency="JPY"; price=29 | is at ¥29 (holofoil), below your target of ¥30.
    with its age | isLate=true; atMs=60000
      | **Emberwing Drake** was at $29.50, below your target of $30.00 · <t:60:R>
    an hour later with its age | atMs=${Date.now() - HOUR_MS} | was at $29.50, below your target of $30.00 · <t:
    with a name as its own characters | cardName="[x](y)" | **\[x\]\(y\)** is at
  `,
  ["in the member's language", 'locale="de"', '**Emberwing Drake** kostet jetzt 29,50\u00A0$ und liegt damit unter'],
])('a price that was reached is told %s', (_, changes, expected) => {
  const { isLate = false, ...notice } = changed({ atMs: Date.now() }, changes);
  expect(watchNotices([crossed(notice)], { currency: 'USD', isLate }).content).toContain(expected);
});

it('a price without a currency is a figure', () => {
  expect(watchNotices([crossed()], { currency: undefined, isLate: true }).content).toContain('at 29.50, below');
});

it('what may have been seen stands below the others, and says so', () => {
  const both = [crossed({ cardName: 'First', triedAtMs: 1 }), crossed({ cardName: 'Second' })];
  const { content, components } = watchNotices(both, { currency: undefined, isLate: true });
  const lines = [/^I couldn't/, /Second/, /^You may have seen this already:$/, /First/];
  expect(content.split('\n')).toEqual(lines.map((line) => expect.stringMatching(line)));
  expect(components.map(({ components: [show] }) => show)).toMatchObject([
    { label: 'Show Second' },
    { label: 'Show First' },
  ]);
});

const HIGH = 999_999_999.99;
const LONG = '*'.repeat(1_000);
const LAST = { market: HIGH, atMs: Date.now() };

it.each(LANGUAGES)('Discord takes the longest watches, and as many notices as one message holds, in %s', (locale) => {
  const to = { locale, currency: 'USD' };
  for (const lines of [
    { above: HIGH, below: HIGH },
    { above: HIGH, percent: 99 },
    { below: HIGH, percent: 99 },
  ]) {
    const watch = { ...WATCH, cardName: LONG, ...lines };
    const watches = Array.from({ length: 25 }, (_, at) => ({ watch: { ...watch, id: `${at}` }, last: LAST }));
    const { embeds, components } = watchList(watches, to);
    expect(embeds[0]?.description).toContain('\n');
    expectAccepted({ embeds, components });
    expectAccepted(watchSet(watch, true, LAST, to));
  }
  const notices = Array.from({ length: MOST_SHOWN }, (_, at) =>
    crossed({
      ...{ id: `${at}`, cardId: `${at}`, locale, cardName: LONG, label: LONG, price: 1e11, target: 1e10 },
      ...(at % 2 === 0 && { triedAtMs: 1 }),
    }),
  );
  const message = watchNotices(notices, { currency: 'USD', isLate: true });
  expectAccepted(message);
  expect(message.components.map((row) => row.components.length)).toEqual(Array(5).fill(2));
});
