import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseCardId } from '../../src/model/card.ts';
import { KeyRefused, QuotaSpent, ServiceDown } from '../../src/model/errors.ts';
import { type CardView, cardEmbed, imageUrl, noSuchCard, requestsLeft } from '../../src/render/card-embed.ts';
import { errorMessage, formatMessage } from '../../src/render/messages.ts';
import { parseMarkdown } from '../../src/sandbox/page/markdown.ts';
import { CardAnswer } from '../../src/service/card-service.ts';
import { expectAccepted } from './discord-limits.ts';
import { currency, locale, momentMs, nastyText, quotaState, serviceCard } from './service-answers.ts';

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

function embedOf(view: Partial<CardView>) {
  return cardEmbed({ ...VIEW, ...view });
}

function field(view: Partial<CardView>, name: string): string | undefined {
  return embedOf(view).fields?.find((field) => field.name === name)?.value;
}

describe('the embed of a card', () => {
  it('shows its facts, its prices and how old they are, its picture, its id and what is left today', () => {
    expect(cardEmbed(VIEW)).toEqual({
      author: { name: 'Wyrmfall' },
      title: 'Ember Drake',
      color: expect.any(Number),
      fields: [
        { name: 'Set', value: 'First Fires (base1)', inline: true },
        { name: 'Number', value: '4/102', inline: true },
        { name: 'Rarity', value: 'Rare', inline: true },
        { name: 'Market', value: '1,234.50', inline: true },
        { name: 'Low', value: '0.00', inline: true },
        { name: 'High', value: '2,000.00', inline: true },
        { name: 'Prices as of', value: FETCHED, inline: false },
      ],
      image: { url: 'https://cards.test/base1-4.png' },
      footer: { text: 'base1-4 · 987 of 1,000 requests left today' },
    });
  });

  it('leaves out what is absent', () => {
    const { id, name, game, set } = VIEW.card;
    const embed = embedOf({ card: { id, name, game, set }, showPrices: false, quota: undefined });
    expect(embed.fields?.map(({ name }) => name)).toEqual(['Set']);
    expect(embed).not.toHaveProperty('image');
    expect(embed).not.toHaveProperty('description');
    expect(embed.footer).toEqual({ text: 'base1-4' });
  });

  it('has no footer when it would be empty', () => {
    expect(embedOf({ card: { ...VIEW.card, id: '\u200b' }, quota: undefined })).not.toHaveProperty('footer');
  });

  it('marks a card without a name', () => {
    expect(embedOf({ card: { ...VIEW.card, name: ' \u200b' } }).title).toBe('(no name)');
  });

  it.each([[undefined], [{}]])('shows "no prices" when there are none, and since when: %j', (prices) => {
    expect(field({ card: { ...VIEW.card, prices } }, 'Prices')).toBe('no prices');
    expect(field({ card: { ...VIEW.card, prices } }, 'Prices as of')).toBe(FETCHED);
  });

  it('leaves prices out when they are not wanted', () => {
    expect(JSON.stringify(embedOf({ showPrices: false }))).not.toMatch(/price|market/i);
  });

  it.each([
    ['en-US', 'EUR', '€1,234.50'],
    ['de', 'EUR', '1.234,50\u00a0€'],
    ['de', undefined, '1.234,50'],
  ])('writes prices as in %s with %s', (locale, currency, written) => {
    expect(field({ locale, currency }, 'Market')).toBe(written);
  });

  it('shows that a card is no longer listed, and the note, in another colour', () => {
    const embed = embedOf({ answer: { fetchedAtMs: 0, delistedAtMs: FETCHED_AT_MS }, note: RENEWING });
    expect(embed.description).toBe(
      `No longer listed by the card service, as of ${FETCHED}. This is our last copy.\n${RENEWING}`,
    );
    expect(embed.color).not.toBe(cardEmbed(VIEW).color);
  });

  it('escapes where Discord reads Markdown, and not where it does not', () => {
    const embed = embedOf({ card: { ...VIEW.card, id: '*a*', name: '*a*', game: '*a*', rarity: '*a*' } });
    expect(embed.title).toBe('\\*a\\*');
    expect(embed.fields).toContainEqual({ name: 'Rarity', value: '\\*a\\*', inline: true });
    expect(embed.author).toEqual({ name: '*a*' });
    expect(embed.footer?.text).toMatch(/^\*a\* ·/);
  });
});

describe('the picture of a card', () => {
  it.each([
    ['https', 'https://cards.test/a.png', 'https://cards.test/a.png'],
    ['http', 'http://cards.test/a.png', 'http://cards.test/a.png'],
    ['spaces, encoded', ' https://cards.test/a b.png ', 'https://cards.test/a%20b.png'],
    ['other scripts, encoded', 'https://cards.test/四', 'https://cards.test/%E5%9B%9B'],
    ['2,048 characters', `https://cards.test/${'x'.repeat(2_029)}`, `https://cards.test/${'x'.repeat(2_029)}`],
  ])('takes %s', (_, text, url) => {
    expect(imageUrl(text)).toBe(url);
  });

  it.each([
    ['missing', undefined],
    ['no address', 'a.png'],
    ['no scheme', '//cards.test/a.png'],
    ['javascript:', 'javascript:alert(1)'],
    ['data:', 'data:image/png;base64,AAAA'],
    ['file:', 'file:///etc/passwd'],
    ['attachment:', 'attachment://a.png'],
    ['no host', 'https://'],
    ['this machine', 'http://localhost/a.png'],
    ['this machine by number', 'http://127.0.0.1/a.png'],
    ['this machine in disguise', 'http://2130706433/a.png'],
    ['a private network', 'http://10.0.0.1/a.png'],
    ['an IPv6 address', 'http://[::1]/a.png'],
    ['a name inside a network', 'http://cards.internal./a.png'],
    ['a user and password', 'https://me:pw@cards.test/a.png'],
    ['2,049 characters', `https://cards.test/${'x'.repeat(2_030)}`],
    ['over 2,048 characters once encoded', `https://cards.test/${'四'.repeat(300)}`],
  ])('is none for %s', (_, text) => {
    expect(imageUrl(text)).toBeUndefined();
  });
});

describe('whatever the service sends for a card', () => {
  const notes = fc.constantFrom(
    undefined,
    RENEWING,
    ...[
      new QuotaSpent({ untilMs: FETCHED_AT_MS }),
      new KeyRefused({ status: 401 }),
      new ServiceDown({ reason: 'silence', untilMs: FETCHED_AT_MS }),
    ].map((error) => formatMessage('en-US', 'notRenewed', { why: errorMessage('en-US', error) })),
  );
  const view = fc.record({
    card: serviceCard.map((card) => CardAnswer.parse(JSON.parse(JSON.stringify(card)))),
    answer: fc.record({ fetchedAtMs: momentMs, delistedAtMs: fc.option(momentMs, { nil: undefined }) }),
    showPrices: fc.boolean(),
    locale,
    currency,
    quota: quotaState,
    note: notes,
  });

  it('Discord accepts the embed', () => {
    fc.assert(
      fc.property(view, (view) => expectAccepted(cardEmbed(view))),
      { numRuns: 500 },
    );
  });

  it('its texts are no Markdown', () => {
    fc.assert(
      fc.property(view, (view) => {
        const { title = '', fields = [] } = cardEmbed({ ...view, showPrices: false });
        const tokens = [title, ...fields.map(({ value }) => value)].flatMap(parseMarkdown);
        expect(tokens.map(({ type }) => type).filter((type) => type !== 'text')).toEqual([]);
      }),
      { numRuns: 500 },
    );
  });
});

describe('the requests that are left', () => {
  const QUOTA = { limit: 50_000, remaining: 1_234, resetsAtMs: undefined, receivedAtMs: 0 };
  it.each([
    ['both figures', { ...QUOTA, remaining: 12_345 }, '12.345 of 50.000 requests left today'],
    ['a fifth left', { ...QUOTA, remaining: 10_000 }, 'only 10.000 of 50.000 requests left today'],
    ['a twentieth left', { ...QUOTA, remaining: 2_500 }, 'only 2.500 of 50.000 requests left today, the last ones'],
    ['nothing left', { ...QUOTA, remaining: 0 }, '0 of 50.000 requests left today, known cards only'],
    ['no limit', { ...QUOTA, limit: undefined }, '1.234 requests left today'],
    ['no remaining', { ...QUOTA, remaining: undefined }, undefined],
    ['nothing known', undefined, undefined],
  ])('with %s', (_, quota, said) => {
    expect(requestsLeft('de', quota)).toBe(said);
  });
});

describe('"no such card"', () => {
  it('names any id as text, in bold, within a message', () => {
    const anyId = nastyText.map(idOrNothing).filter((id) => id !== undefined);
    fc.assert(
      fc.property(anyId, (id) => {
        const said = noSuchCard('en-US', id, FETCHED_AT_MS + 999);
        expect(said.length).toBeLessThanOrEqual(2_000);
        expect(parseMarkdown(said)).toEqual([
          { type: 'text', text: 'There is no card ' },
          { type: 'bold', children: [{ type: 'text', text: expect.any(String) }] },
          { type: 'text', text: ', as of ' },
          { type: 'timestamp', seconds: FETCHED_AT_MS / 1000, style: 'R' },
          { type: 'text', text: '. An id looks like ' },
          { type: 'code', text: 'base1-4' },
          { type: 'text', text: '.' },
        ]);
      }),
      { numRuns: 500 },
    );
  });
});

function idOrNothing(text: string): string | undefined {
  try {
    return parseCardId(text.slice(0, 100));
  } catch {
    return undefined;
  }
}
