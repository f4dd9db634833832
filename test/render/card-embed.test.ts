import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseMarkdown } from '../../sandbox/page/markdown.ts';
import { KeyRefused, QuotaSpent, ServiceDown } from '../../src/model/errors.ts';
import {
  type CardView,
  cardEmbed,
  FRESH_COLOUR,
  leftToday,
  noSuchCard,
  publicUrl,
  STALE_COLOUR,
} from '../../src/render/card-embed.ts';
import { LANGUAGES } from '../../src/render/languages.ts';
import { copyNote, formatMessage } from '../../src/render/messages.ts';
import { CardAnswer } from '../../src/service/answers.ts';
import { idOrNothing } from '../support/any-id.ts';
import { contrast } from '../support/contrast.ts';
import { table } from '../table.ts';
import { expectAccepted } from './discord-limits.ts';
import { currency, momentMs, nastyText, quotaState, serviceCard } from './service-answers.ts';

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

/** The embed, and its lines; the card differs from the usual one in `card`. */
function embedOf({ card, ...view }: Partial<Omit<CardView, 'card'>> & { card?: Partial<CardView['card']> }) {
  return cardEmbed({ ...VIEW, ...view, card: { ...VIEW.card, ...card } });
}

function lines(...given: Parameters<typeof embedOf>): string[] {
  return embedOf(...given).description?.split('\n') ?? [];
}

describe('the embed of a card', () => {
  it('shows on one screen: its facts, its prices and how old they are, its picture, its id and what is left today', () => {
    expect(cardEmbed(VIEW)).toEqual({
      title: 'Ember Drake',
      description: `Wyrmfall · First Fires · 4/102 · Rare\n**1,234.50** market\n-# offers 0.00 to 2,000.00 · ${FETCHED}`,
      color: FRESH_COLOUR,
      image: { url: 'https://cards.test/base1-4.png', description: 'Picture of Ember Drake' },
      footer: { text: 'base1-4 · 987 of 1,000 new lookups left today' },
    });
  });

  const ABSENT = { number: undefined, rarity: undefined, imageUrl: undefined };
  const EMPTY = { id: '\u200b', game: '', set: { id: '', name: '' }, number: '', rarity: '' };
  const BARE = { showPrices: false, quota: undefined };
  const NO_PRICES = 'Wyrmfall · First Fires · 4/102 · Rare\nNo prices for this card.';

  it.each<[string, Parameters<typeof embedOf>[0], object]>([
    [
      'the line of its service in the footer, and no picture where that forbids it',
      { display: { hasPictures: false, notice: 'Data: Mine' } },
      { footer: { text: 'base1-4 · 987 of 1,000 new lookups left today\nData: Mine' }, image: undefined },
    ],
    [
      'nothing of what is absent',
      { ...BARE, card: ABSENT },
      { description: 'Wyrmfall · First Fires', image: undefined, footer: { text: 'base1-4' } },
    ],
    ['no empty description and footer', { ...BARE, card: EMPTY }, { description: undefined, footer: undefined }],
    ['a mark in place of its name', { card: { name: ' \u200b' } }, { title: '(no name)' }],
    ['one line for no prices', { card: { prices: undefined } }, { description: NO_PRICES }],
    ['one line for none of the prices', { card: { prices: {} } }, { description: NO_PRICES }],
    [
      'a note on a stale copy, and that it is no longer listed, as lines of their own in another colour',
      { answer: { fetchedAtMs: 0, delistedAtMs: FETCHED_AT_MS }, note: RENEWING },
      {
        description: expect.stringMatching(`\nNo longer listed. This is the last copy I saved.\n${RENEWING}$`),
        color: STALE_COLOUR,
      },
    ],
    ['another colour with a note', { note: RENEWING }, { color: STALE_COLOUR }],
    [
      'escapes where Discord reads Markdown alone',
      { card: { id: '*a*', name: '*a*', game: '*a*', rarity: '*a*' } },
      {
        title: '\\*a\\*',
        description: expect.stringMatching(/^\\\*a\\\* · First Fires · 4\/102 · \\\*a\\\*\n/),
        image: { url: VIEW.card.imageUrl, description: 'Picture of *a*' },
        footer: { text: '*a* · 987 of 1,000 new lookups left today' },
      },
    ],
  ])('has %s', (_, view, shown) => {
    const without = { description: undefined, image: undefined, footer: undefined };
    expect({ ...without, ...embedOf(view) }).toMatchObject(shown);
  });

  it.each<[string, string | undefined, string, Partial<CardView['card']>]>([
    ['where the service says', undefined, 'https://cards.test/a', {}],
    ['nowhere but on a public host', undefined, '', { pageUrl: 'http://10.0.0.1/a' }],
    ['nowhere but in the web', undefined, '', { pageUrl: 'javascript:alert(1)' }],
    ['where the operator says', '{name}?n={number}#{id}', 'https://shop.test/Ember%20Drake?n=4%2F102#base1-4', {}],
    ['nowhere when it lacks what its page is named after', '{number}', '', { number: undefined }],
  ])('links to its page %s', (_, path, url, card) => {
    const display = path === undefined ? undefined : { pageUrl: `https://shop.test/${path}`, hasPictures: true };
    expect(embedOf({ display, card: { pageUrl: 'https://cards.test/a', ...card } }).url ?? '').toBe(url);
  });

  it('leaves prices out when they are not wanted', () => {
    expect(embedOf({ showPrices: false }).description).toBe('Wyrmfall · First Fires · 4/102 · Rare');
  });

  it('has no age when it was fetched for this reply', () => {
    expect(lines({ isJustFetched: true }).join()).not.toContain('Prices ·');
  });

  it.each<[CardView['card']['prices'], string, string]>([
    [{ market: 1, low: 2, high: 3 }, '**1.00** market', 'offers 2.00 to 3.00'],
    [{ market: 1, low: 2 }, '**1.00** market', 'offers from 2.00'],
    [{ market: 1, high: 3 }, '**1.00** market', 'offers up to 3.00'],
    [{ market: 1 }, '**1.00** market', 'Prices'],
    [{ low: 2, high: 3 }, 'offers 2.00 to 3.00', 'Prices'],
    [{ low: 2 }, 'offers from 2.00', 'Prices'],
    [{ high: 3 }, 'offers up to 3.00', 'Prices'],
  ])('shows the prices that there are: %j', (prices, first, second) => {
    expect(lines({ card: { prices } }).slice(1)).toEqual([first, `-# ${second} · ${FETCHED}`]);
  });

  it.each([
    ['en-US', 'EUR', '**€1,234.50**'],
    ['de', 'EUR', '**1.234,50\u00a0€**'],
    ['de', undefined, '**1.234,50**'],
  ])('writes prices as in %s with %s', (locale, currency, written) => {
    expect(lines({ locale, currency })[1]).toContain(written);
  });

  it.each([0x313338, 0xffffff])('has colours that are legible on %i', (ground) => {
    for (const colour of [FRESH_COLOUR, STALE_COLOUR]) expect(contrast(colour, ground)).toBeGreaterThan(3);
  });
});

describe('the picture of a card', () => {
  it.each(table`
    https | https://cards.test/a.png | https://cards.test/a.png
    http | http://cards.test/a.png | http://cards.test/a.png
    other scripts, encoded | https://cards.test/四 | https://cards.test/%E5%9B%9B
    2,048 characters | https://cards.test/${'x'.repeat(2_029)} | https://cards.test/${'x'.repeat(2_029)}
  `)('takes %s', (_, text, url) => {
    expect(publicUrl(text)).toBe(url);
  });

  it.each(table`
    no address | a.png
    no scheme | //cards.test/a.png
    javascript: | javascript:alert(1)
    data: | data:image/png;base64,AAAA
    file: | file:///etc/passwd
    attachment: | attachment://a.png
    no host | https://
    this machine | http://localhost/a.png
    this machine by number | http://127.0.0.1/a.png
    this machine in disguise | http://2130706433/a.png
    a private network | http://10.0.0.1/a.png
    an IPv6 address | http://[::1]/a.png
    a name inside a network | http://cards.internal./a.png
    a user and password | https://me:pw@cards.test/a.png
    a password alone | https://:pw@cards.test/a.png
    2,049 characters | https://cards.test/${'x'.repeat(2_030)}
    over 2,048 characters once encoded | https://cards.test/${'四'.repeat(300)}
  `)('is none for %s', (_, text) => {
    expect(publicUrl(text)).toBeUndefined();
  });

  it('may have spaces, which are encoded, and may be missing', () => {
    expect(publicUrl(' https://cards.test/a b.png ')).toBe('https://cards.test/a%20b.png');
    expect(publicUrl(undefined)).toBeUndefined();
  });
});

describe('whatever the service sends for a card', () => {
  const notes = fc.constantFrom(
    undefined,
    RENEWING,
    ...[
      new QuotaSpent({ per: 'day', untilMs: FETCHED_AT_MS }),
      new KeyRefused({ status: 401 }),
      new ServiceDown({ reason: 'silence', untilMs: FETCHED_AT_MS }),
    ].map((error) => copyNote('en-US', { error })),
  );
  const view = fc.record({
    card: serviceCard.map((card) => CardAnswer.parse(JSON.parse(JSON.stringify(card)))),
    answer: fc.record({ fetchedAtMs: momentMs, delistedAtMs: fc.option(momentMs, { nil: undefined }) }),
    showPrices: fc.boolean(),
    locale: fc.constantFrom(...LANGUAGES),
    currency,
    quota: quotaState,
    note: notes,
  });

  it.each(LANGUAGES)('Discord accepts the embed in %s', (locale) => {
    fc.assert(
      fc.property(view, (view) => expectAccepted({ embeds: [cardEmbed({ ...view, locale })] })),
      { numRuns: 60 },
    );
  });

  it('its texts are no Markdown', () => {
    fc.assert(
      fc.property(view, (view) => {
        const { title = '', description = '' } = cardEmbed({ ...view, showPrices: false, note: undefined });
        const tokens = [title, description].flatMap(parseMarkdown);
        expect(tokens.map(({ type }) => type).filter((type) => type !== 'text')).toEqual([]);
      }),
      { numRuns: 150 },
    );
  });
});

it.each([
  ['both figures', { remaining: 12_345 }, '12,345 of 50,000 new lookups left today'],
  ['nothing left', { remaining: 0 }, '0 of 50,000 new lookups left today'],
  ['no limit', { limit: undefined }, '1,234 new lookups left today'],
  ['those of an hour', { per: 'hour' as const }, '1,234 of 50,000 new lookups left this hour'],
  ['those of a month', { per: 'month' as const }, '1,234 of 50,000 new lookups left this month'],
  ['no remaining', { remaining: undefined }, undefined],
  ['nothing known', undefined, undefined],
])('what is left of the day with %s', (_, more, said) => {
  const quota = more && { limit: 50_000, remaining: 1_234, resetsAtMs: undefined, receivedAtMs: 0, ...more };
  expect(leftToday('en', quota)).toBe(said);
});

describe('"no such card"', () => {
  it('says when that was known, if it may have changed, but no time that a clock that was ahead has left', () => {
    const said = 'No card had the id **x** when I last checked. Try typing its name.';
    expect(noSuchCard('en-US', 'x', FETCHED_AT_MS, true)).toBe(`${said}\n-# ${FETCHED}`);
    expect(noSuchCard('en-US', 'x', Date.now() + 30 * 86_400_000, true)).toBe(said);
  });

  it('names any id as text, in bold, within a message', () => {
    const anyId = nastyText.map((text) => idOrNothing(text.slice(0, 100))).filter((id) => id !== undefined);
    fc.assert(
      fc.property(anyId, (id) => {
        const said = noSuchCard('en-US', id, FETCHED_AT_MS + 999);
        expect(said.length).toBeLessThanOrEqual(2_000);
        expect(parseMarkdown(said)).toEqual([
          { type: 'text', text: 'No card has the id ' },
          { type: 'bold', children: [{ type: 'text', text: expect.any(String) }] },
          { type: 'text', text: '. Try typing its name.' },
        ]);
      }),
      { numRuns: 150 },
    );
  });
});
