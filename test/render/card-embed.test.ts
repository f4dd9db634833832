import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseMarkdown } from '../../sandbox/page/markdown.ts';
import { Card } from '../../src/model/card.ts';
import type { PricePoint } from '../../src/model/price-history.ts';
import {
  type CardView,
  cardEmbed,
  cardEmbeds,
  costs,
  FRESH_COLOUR,
  noSuchCard,
  publicUrl,
  STALE_COLOUR,
  sparkline,
  totalLength,
} from '../../src/render/card-embed.ts';
import { LANGUAGES } from '../../src/render/languages.ts';
import { formatMessage } from '../../src/render/messages.ts';
import { idOrNothing } from '../support/any-id.ts';
import { fakeTimers } from '../support/fake-timers.ts';
import { changed, differences, expectSaid, table } from '../table.ts';
import { nastyText, serviceCard } from './service-answers.ts';

const FETCHED_AT_MS = Date.UTC(2026, 10, 20, 12);
const FETCHED = '<t:1795176000:R>';
const RENEWING = formatMessage('en-US', 'renewing');

const VIEW: CardView = {
  card: {
    id: 'base1-4',
    name: 'Ember Drake',
    game: 'Wyrmfall',
    set: { id: 'base1', name: 'First Fires' },
    number: '4/102',
    rarity: 'Rare',
    imageUrl: 'https://cards.test/base1-4.png',
    prices: { market: 1234.5, low: 0, high: 2000 },
  },
  answer: { fetchedAtMs: FETCHED_AT_MS },
  showPrices: true,
  locale: 'en-US',
  currency: undefined,
  quota: { limit: 1_000, remaining: 987, resetsAtMs: undefined, receivedAtMs: FETCHED_AT_MS },
};

/** The parts of an embed that are there. */
function partsOf(view: CardView) {
  const { title, description, url, image, thumbnail, footer, color = 0 } = cardEmbed(view);
  const [picture, back] = [image, thumbnail].map((each) => each && `${each.url} ${each.description}`);
  const parts = { title, lines: description, url, picture, back, footer: footer?.text, colour: COLOURS[color] };
  return Object.fromEntries(Object.entries(parts).filter(([, text]) => text !== undefined));
}

const COLOURS: Readonly<Record<number, string>> = { [FRESH_COLOUR]: 'fresh', [STALE_COLOUR]: 'stale' };

// What differs from the usual embed, and what is not there.
it.each(table`
  the line of its service in the footer, and no picture where that forbids it
    | display={"hasPictures":false,"notice":"Data: Mine"}
    | no picture ¶ footer: base1-4 · 987 of 1,000 new lookups left today / Data: Mine
  nothing of what is absent | showPrices=false; quota=; card.number=; card.rarity=; card.imageUrl=
    | lines: Wyrmfall · First Fires ¶ no picture ¶ footer: base1-4
  no empty description and footer | showPrices=false; quota=; card.id="\u200b"; card.game="";
    card.set={"id":"","name":""}; card.number=""; card.rarity="" | no lines ¶ no footer
  a mark in place of its name | card.name=" \u200b"
    | title: (no name) ¶ picture: https://cards.test/base1-4.png Picture of (no name)
  the other side beside the text | card.backImageUrl="https://cards.test/b.png"
    | back: https://cards.test/b.png Picture of the other side of Ember Drake
  the other side in the reader's language | card.backImageUrl="https://cards.test/b.png"; locale="de"; showPrices=false
    | lines: Wyrmfall · First Fires · 4/102 · Rare ¶ picture: https://cards.test/base1-4.png Bild von Ember Drake
    ¶ footer: base1-4 · heute noch 987 von 1.000 Abfragen
    ¶ back: https://cards.test/b.png Bild der anderen Seite von Ember Drake
  the other side where the front is none | card.imageUrl="none"; card.backImageUrl="https://cards.test/b.png"
    | no picture ¶ back: https://cards.test/b.png Picture of the other side of Ember Drake
  no other side but on a public host | card.backImageUrl="http://10.0.0.1/b.png" |
  neither where pictures are forbidden | card.backImageUrl="https://cards.test/b.png"; display={"hasPictures":false}
    | no picture
  one line for no prices | card.prices= | lines: Wyrmfall · First Fires · 4/102 · Rare / No prices for this card.
  a note on a stale copy, and that it is no longer listed, as lines of their own in another colour
    | answer={"fetchedAtMs":0,"delistedAtMs":${FETCHED_AT_MS}}; note="${RENEWING}"
    | lines: Wyrmfall · First Fires · 4/102 · Rare / **1,234.50** market / -# offers 0 to 2,000.00 · <t:0:R>
    / No longer listed. This is the last copy I saved. / Showing a saved copy while I fetch the latest. ¶ colour: stale
  another colour with a note | note="${RENEWING}"
    | lines: Wyrmfall · First Fires · 4/102 · Rare / **1,234.50** market
    / -# offers 0 to 2,000.00 · ${FETCHED} / Showing a saved copy while I fetch the latest. ¶ colour: stale
  escapes where Discord reads Markdown alone | card.id="*a*"; card.name="*a*"; card.game="*a*"; card.rarity="*a*"
    | title: \*a\* ¶ lines: \*a\* · First Fires · 4/102 · \*a\* / **1,234.50** market
    / -# offers 0 to 2,000.00 · ${FETCHED} ¶ picture: https://cards.test/base1-4.png Picture of *a*
    ¶ footer: *a* · 987 of 1,000 new lookups left today
  its page where the service says | card.pageUrl="https://cards.test/a" | url: https://cards.test/a
  no page but on a public host | card.pageUrl="http://10.0.0.1/a" |
  no page but in the web | card.pageUrl="javascript:alert(1)" |
  its page where the operator says | card.pageUrl="https://cards.test/a";
    display={"pageUrl":"https://shop.test/{name}?n={number}#{id}","hasPictures":true}
    | url: https://shop.test/Ember%20Drake?n=4%2F102#base1-4
  no page when the card lacks what it is named after
    | card.pageUrl="https://cards.test/a"; card.number=;
    display={"pageUrl":"https://shop.test/{number}","hasPictures":true}
    | lines: Wyrmfall · First Fires · Rare / **1,234.50** market / -# offers 0 to 2,000.00 · ${FETCHED}
`)(
  'the embed of a card has %s',
  expectSaid((changes) => differences(partsOf(VIEW), partsOf(changed(VIEW, changes)))),
);

const DAY_MS = 86_400_000;
const EIGHT_DAYS = '8:20 7:30 6:28 5:25 4:27 3:32 2:33 1:30';

// The prices of a card of which nothing else is known, those of some days ago, and all lines about them.
it.each(table`
  are those that there are | {"market":1,"low":2} | | | **1.00** market / -# offers from 2.00 · ${FETCHED}
  are those that there are: no offers | {"market":1,"high":3} | | | **1.00** market / -# offers up to 3.00 · ${FETCHED}
  are those that there are: market | {"market":1} | | | **1.00** market / -# Prices · ${FETCHED}
  are those that there are: offers | {"low":2,"high":3} | | | offers 2.00 to 3.00 / -# Prices · ${FETCHED}
  are those that there are: low | {"low":2} | | | offers from 2.00 / -# Prices · ${FETCHED}
  are those that there are: high | {"high":3} | | | offers up to 3.00 / -# Prices · ${FETCHED}
  say how they moved in a week, and draw the curve with its range in words | {"market":31.26}
    | ${EIGHT_DAYS} 0:31.26 | | **31.26** market ▲ 4.2% in 7 days / ▆▄▁▃██▆▇ 20–33 since Nov 12 / -# Prices · ${FETCHED}
  say that they fell | {"market":15} | 7:30 0:15 | | **15.00** market ▼ 50% in 7 days / -# Prices · ${FETCHED}
  say that they are the same | {"market":30} | 7:30 0:30 |
    | **30.00** market · unchanged for 7 days / -# Prices · ${FETCHED}
  say that they are the same as shown | {"market":30.001} | 7:30 0:30.001 |
    | **30.00** market · unchanged for 7 days / -# Prices · ${FETCHED}
  say never that they fell by all | {"market":0.0003} | 7:30 0:0.0003 |
    | **0.0003** market ▼ 99% in 7 days / -# Prices · ${FETCHED}
  say that they rose | {"market":90} | 7:30 0:90 | | **90.00** market ▲ 200% in 7 days / -# Prices · ${FETCHED}
  are short ones beside a small picture | {"market":31.26,"low":20,"high":40} | ${EIGHT_DAYS} 0:31.26 | small
    | **31.26** market / ▲ 4.2% in 7 days / -# Prices · ${FETCHED}
  are short ones there when nothing moved | {"market":30,"low":20,"high":40} | ${EIGHT_DAYS} 0:30 | small
    | **30.00** market / unchanged for 7 days / -# Prices · ${FETCHED}
  say how old they are | {"market":5} | | answer.fetchedAtMs=${FETCHED_AT_MS + 60_000}
    | **5.00** market / -# Prices · ${FETCHED}
  say not how old when a clock that was ahead said so | {"market":5} |
    | answer.fetchedAtMs=${FETCHED_AT_MS + 60_001} | **5.00** market
  show nothing of the past without a market price now | {"low":1} | 8:1 7:2 6:3 5:4 4:5 3:6 2:7 1:8 0:9 |
    | offers from 1.00 / -# Prices · ${FETCHED}
  show nothing of the past without any price now | {} | 8:1 7:2 6:3 5:4 4:5 3:6 2:7 1:8 0:9 | | No prices for this card.
  name the row of the price and its currency | {"market":5,"low":4,"label":"Near *Mint*","currency":"USD"} |
    | currency="EUR"; isJustFetched=true | **$5.00** market (Near \*Mint\*) / -# offers from $4.00
  name other rows below, one without a name too | {"market":400,"low":1,"label":"foil"} |
    | answer.others=[{"market":36},{"market":3,"currency":"EUR","label":"*a* b"}]
    | **400.00** market (foil) / -# offers from 1.00 · ${FETCHED} / normal: 36.00 / \*a\* b: €3.00
  compare the price of another row with nothing | {"market":400} | 7:1 6:2 5:3 4:4 3:5 2:6 1:7 0:8
    | answer.missingRow={"sinceMs":${FETCHED_AT_MS}}; isJustFetched=true | **400.00** market
`)('the lines of a price %s', (_, prices = '', daysAgo = '', changes = '', lines) => {
  fakeTimers({ now: FETCHED_AT_MS, toFake: ['Date'] });
  const history = [...daysAgo.matchAll(/(\S+):(\S+)/g)].map(([, days, market]): PricePoint => {
    return [FETCHED_AT_MS - Number(days) * DAY_MS, Number(market)];
  });
  const card = { id: 'a', name: 'A', prices: JSON.parse(prices) };
  const view = { ...VIEW, quota: undefined, card, answer: { fetchedAtMs: FETCHED_AT_MS, history } };
  const [embed] = cardEmbeds([changed(view, changes.replace('small', ''))], changes === 'small');
  expect(embed?.description?.replaceAll('\n', ' / ')).toBe(lines);
});

it.each(LANGUAGES)(
  'other prices are cut and escaped, and short together in %s, whatever their labels hold',
  (locale) => {
    const labels = ['x'.repeat(200), '*'.repeat(200), '[a](https://a.test) @everyone', '\u200b'];
    const others = labels.map((label) => ({ label, market: 1.5e300, currency: 'USD' }));
    const card = { id: 'a', name: 'A', prices: { market: 1 } };
    const { description = '' } = cardEmbed({ ...VIEW, locale, card, answer: { fetchedAtMs: 0, others } });
    const lines = description.split('\n').slice(2);
    expect(lines).toHaveLength(4);
    expect(lines.join('\n').length).toBeLessThanOrEqual(1_024);
    for (const line of lines) expect(parseMarkdown(line).map(({ type }) => type)).toEqual(['text']);
    expect(lines[0]).toMatch(/^x{59}…/);
  },
);

it.each<[number[], string]>([
  [[1, 2, 3, 4, 5, 6, 7, 8], '▁▂▃▄▅▆▇█'],
  [[3, 3, 3], '▅▅▅'],
])('a sparkline of %j is %s', (prices, bars) => {
  expect(sparkline(prices)).toBe(bars);
});

const LONG = 'x'.repeat(250);
const LONG_CARD = {
  ...{ id: 'i'.repeat(100), name: LONG, game: LONG, number: LONG, rarity: LONG, set: { id: LONG, name: LONG } },
  prices: { market: 1_234, low: 1, high: 9_999 },
};
const LONG_VIEW = { ...VIEW, card: LONG_CARD, quota: undefined };

it('many long cards give up the ends of their titles step by step, and their prices last', () => {
  const shown = (cards: number, noteLength: number) => {
    const embeds = cardEmbeds(Array(cards).fill({ ...LONG_VIEW, note: 'n'.repeat(noteLength) }), true);
    expect(embeds).toHaveLength(cards);
    expect(totalLength(embeds)).toBeLessThanOrEqual(6_000);
    return [embeds[0]?.title?.length, embeds[0]?.description?.includes('1,234')];
  };
  expect([shown(1, 0), shown(10, 0), shown(10, 160), shown(10, 290)]).toEqual([
    [250, true],
    [120, true],
    [80, true],
    [60, false],
  ]);
});

it.each(table`
  https | https://cards.test/a.png | https://cards.test/a.png
  http | http://cards.test/a.png | http://cards.test/a.png
  spaces and other scripts, encoded | https://cards.test/四 b | https://cards.test/%E5%9B%9B%20b
  2,048 characters | https://cards.test/${'x'.repeat(2_029)} | https://cards.test/${'x'.repeat(2_029)}
  no address | a.png |
  no scheme | //cards.test/a.png |
  javascript: | javascript:alert(1) |
  data: | data:image/png;base64,AAAA |
  file: | file:///etc/passwd |
  attachment: | attachment://a.png |
  no host | https:// |
  this machine | http://localhost/a.png |
  this machine by number | http://127.0.0.1/a.png |
  this machine in disguise | http://2130706433/a.png |
  a private network | http://10.0.0.1/a.png |
  an IPv6 address | http://[::1]/a.png |
  a name inside a network | http://cards.internal./a.png |
  a user and password | https://me:pw@cards.test/a.png |
  a password alone | https://:pw@cards.test/a.png |
  2,049 characters | https://cards.test/${'x'.repeat(2_030)} |
  over 2,048 characters once encoded | https://cards.test/${'四'.repeat(300)} |
`)('the picture of a card, at %s', (_, text, url) => {
  expect(publicUrl(text) ?? '').toBe(url);
});

it('whatever the service sends for a card, its texts are no Markdown', () => {
  const sent = serviceCard.map((card) => Card.parse(JSON.parse(JSON.stringify(card))));
  fc.assert(
    fc.property(sent, (card) => {
      const { title = '', description = '' } = cardEmbed({ ...VIEW, card, showPrices: false });
      const tokens = [title, description].flatMap(parseMarkdown);
      expect(tokens.map(({ type }) => type).filter((type) => type !== 'text')).toEqual([]);
    }),
    { numRuns: 150 },
  );
});

it.each([
  ['no limit', { limit: undefined }, '1,234 new lookups left today'],
  ['those of an hour', { per: 'hour' as const }, '1,234 of 50,000 new lookups left this hour'],
  ['those of a month', { per: 'month' as const }, '1,234 of 50,000 new lookups left this month'],
  ['no remaining', { remaining: undefined }, false],
  ['nothing known', undefined, false],
])('what is left of the day with %s', (_, more, said) => {
  const quota = more && { limit: 50_000, remaining: 1_234, resetsAtMs: undefined, receivedAtMs: 0, ...more };
  expect(costs({ quota, locale: 'en' })).toEqual([false, said]);
});

describe('"no such card"', () => {
  it('says when that was known, if it may have changed, but no time that a clock that was ahead has left', () => {
    const said = 'No card had the id **x** when I last checked. Try typing its name.';
    expect(noSuchCard('en-US', 'x', FETCHED_AT_MS, true)).toBe(`${said}\n-# ${FETCHED}`);
    expect(noSuchCard('en-US', 'x', Date.now() + 30 * DAY_MS, true)).toBe(said);
  });

  it('names any id as text, in bold, within a message', () => {
    const anyId = nastyText.map((text) => idOrNothing(text.slice(0, 100))).filter((id) => id !== undefined);
    fc.assert(
      fc.property(anyId, (id) => {
        const said = noSuchCard('en-US', id, FETCHED_AT_MS + 999);
        expect(said.length).toBeLessThanOrEqual(2_000);
        const [before, bold, after] = parseMarkdown(said);
        expect([before, after]).toMatchObject([{ text: 'No card has the id ' }, { text: '. Try typing its name.' }]);
        expect(bold).toMatchObject({ type: 'bold', children: [{ type: 'text' }] });
      }),
      { numRuns: 150 },
    );
  });
});
