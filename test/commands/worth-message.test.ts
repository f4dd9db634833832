import { expect, it } from 'vitest';
import { csvOf, type WorthView, worthMessage } from '../../commands/pasted-list.ts';
import { type WorthLine, worthOf } from '../../src/members/worth.ts';
import type { Known } from '../../src/model/card.ts';
import { Busy, CeilingReached, KeyRefused, ServiceDown } from '../../src/model/errors.ts';
import { totalLength } from '../../src/render/card-embed.ts';
import { LANGUAGES } from '../../src/render/languages.ts';
import { formatMessage } from '../../src/render/messages.ts';

/** Far from any clock. */
const NOW_MS = Date.UTC(2099, 0, 1);

function lineOf(id: string, name: string, count = 1): WorthLine {
  const card = { id, name, set: name, number: name };
  return { typed: `${count} ${name}`, count, cards: [card, card] };
}

function busyFor(minutes: number): Busy {
  return new Busy({ untilMs: NOW_MS + minutes * 60_000, paused: false });
}

function keptOf(id: string, market: number): [string, Known] {
  const card = { id, name: id, prices: { market, low: market, currency: 'CHF' } };
  return [id, { kind: 'stale', answer: { card, fetchedAtMs: NOW_MS } }];
}

/** What is said of some lines where nothing special is. */
function shownOf(lines: readonly WorthLine[], kept: [string, Known][], more: Partial<WorthView> = {}) {
  const worth = worthOf(lines, new Map(kept), undefined);
  const cost = { lookups: worth.missing.length + worth.stale.length, waitMs: 0 };
  const { embeds = [], files = [] } = worthMessage({
    ...{ worth, cost, id: '1', merged: 0, passedOver: [], isUnsearched: false, failed: [], notRenewed: [], left: 0 },
    ...{ refusal: undefined, freshMs: 3_600_000, requests: 0, quota: undefined },
    ...{ locale: 'en-US', isPrivate: true, currency: undefined, canReplyPublicly: true },
    ...more,
  });
  const csv = new TextDecoder().decode(files[0]?.data);
  return { embeds, said: embeds[0]?.description ?? '', csv };
}

it('what a press costs is said also while it would bring nothing, and a wait without an end is no figure', () => {
  const refusal = new ServiceDown({ reason: 'x' });
  const { said } = shownOf([lineOf('a', 'Tarn', 1)], [], { refusal, left: 5 });
  expect(said).toMatch(/costs at most one new lookup and takes .+\. The card service/);
  const cost = { lookups: 1, waitMs: Infinity };
  for (const locale of LANGUAGES) {
    const endless = shownOf([lineOf('a', 'Tarn', 1)], [], { cost, locale });
    expect(endless.said).toContain(formatMessage(locale, 'worthLeft', { left: 0 }));
    expect(endless.said).not.toContain('∞');
  }
});

it.each(LANGUAGES)('a hundred long names fit into a reply, in %s', (locale) => {
  const name = '*_`'.repeat(70);
  const lines = Array.from({ length: 100 }, (_, at) => lineOf(`card-${at}`, name, 599_400));
  const unclear = Array.from({ length: 30 }, () => ({ typed: name, count: 1, cards: [] }));
  const errors = [new ServiceDown({ reason: 'x' }), new CeilingReached(), new KeyRefused({ status: 401 })];
  const failed = lines.slice(10).map(({ cards: [card] }, at) => {
    const error = errors[at % 4] ?? busyFor(at);
    return { cardId: card?.id ?? '', error };
  });
  const kept = Array.from({ length: 10 }, (_, at) => keptOf(`card-${at}`, 987_654_321_012.99));
  const more = { failed, passedOver: lines.map(() => name), merged: 7, requests: 10, locale };
  const { embeds, said } = shownOf([...lines, ...unclear], kept, more);
  const [field] = embeds[0]?.fields ?? [];
  expect(said.length).toBeLessThanOrEqual(4_096);
  expect(field?.value.length).toBeLessThanOrEqual(1_024);
  expect(totalLength(embeds) + `${field?.name}${field?.value}`.length).toBeLessThanOrEqual(6_000);
});

it('cards that are refused for the same reason are named together, with the last of their times', () => {
  const lines = ['a', 'b', 'c'].map((id) => lineOf(id, id));
  const failed = [60, 180, 120].map((minutes, at) => ({ cardId: 'abc'.charAt(at), error: busyFor(minutes) }));
  const { said } = shownOf(lines, [], { failed });
  expect(said.split('\n').filter((line) => line.startsWith('Not shown'))).toEqual([
    expect.stringMatching(/^Not shown: \*\*a\*\*, \*\*b\*\*, and \*\*c\*\*\. .*<t:4070919600:/),
  ]);
});

it('an id that no catalogue knows is shown to nobody else before the service knows it, and by its name then', () => {
  const lines = ['secret-1', 'base-2'].map((id) => lineOf(id, id));
  const card = { id: 'base-2', name: 'Tarn', prices: { market: 1 } };
  const kept: [string, Known][] = [
    ['base-2', { kind: 'fresh', answer: { card, fetchedAtMs: NOW_MS } }],
    ['secret-1', { kind: 'fresh', answer: { card: undefined, fetchedAtMs: NOW_MS } }],
  ];
  const { embeds, csv } = shownOf(lines, kept, { isPrivate: false });
  const shown = JSON.stringify(embeds) + csv;
  expect(shown).not.toContain('secret');
  expect(shown).toMatch(/1× \*\*1\.00\*\* Tarn.*\n1,Tarn,,,,base-2,/s);
  expect(shownOf(lines, kept).csv).toContain('secret-1');
});

it('old prices that could not be renewed say why, once for each reason', () => {
  const kept = ['a', 'b'].map((id) => keptOf(id, 1));
  const notRenewed = [60, 120].map(busyFor);
  const { said } = shownOf([lineOf('a', 'a'), lineOf('b', 'b')], kept, { notRenewed });
  expect(said.split('\n').filter((line) => line.startsWith('Showing a saved copy'))).toEqual([
    "Showing a saved copy: it's busy right now.",
  ]);
});

const cell = (value: string | number | undefined) => csvOf([[value]]).slice(1, -2);

it('a table is rows of commas that end with CR LF, after a mark of UTF-8', () => {
  expect(
    csvOf([
      ['a', 'é'],
      [1, undefined],
    ]),
  ).toBe('\uFEFFa,é\r\n1,\r\n');
});

it.each([
  ['Sol Ring', 'Sol Ring'],
  ['Jace, the Mind Sculptor', '"Jace, the Mind Sculptor"'],
  ['a "b"', '"a ""b"""'],
  ['a\nb', '"a\nb"'],
  [0.1, '0.1'],
  [-1, '-1'],
])('%j is the cell %j', (value, shown) => expect(cell(value)).toBe(shown));

it.each(['=1+1', '+1', '-1', '@SUM(A1)', '\t=1', ' =1', '＝1', '=HYPERLINK("http://x")'])(
  '%j is text, which no spreadsheet runs',
  (value) => expect(cell(value)).toMatch(/^"?'/),
);
