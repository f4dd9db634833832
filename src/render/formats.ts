import { LRUCache } from 'lru-cache';
import { figuresLocale } from './languages.ts';

// Characters that hide, reverse or break text: controls, bidirectional overrides, zero-width and other invisible
// characters.
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\u{115F}\u{1160}\u{3164}\u{FFA0}]/gu;

// Every character that begins something in Discord's Markdown, bare links, mentions, emoji and time stamps included,
// which discord.js's escapeMarkdown leaves as they are; and the dot of an address: Discord renders bare invites, too.
const MARKUP = /[\\*_~|`<>[\]()#:@+-]|\.(?=\p{L})/gu;
const NUMBERED = /^\d+(?=\.\s)/;

// Most texts need no change, and this check saves a good part of the time that an embed takes.
const SIMPLE = /^[!-~]+(?: [!-~]+)*$/;
const SIMPLE_WITHOUT_MARKUP = /^[A-Za-z0-9]+(?:[ '/][A-Za-z0-9]+)*$/;

/**
 * Text of the service for a place where Discord renders Markdown: it shows as its own characters, mentions no member
 * and is no link. At most `maxLength` UTF-16 units, the escapes included.
 */
export function plainMarkdown(text: string, maxLength: number): string {
  if (text.length <= maxLength && SIMPLE_WITHOUT_MARKUP.test(text)) return text;
  return clip(plainText(text, maxLength).replace(MARKUP, '\\$&').replace(NUMBERED, '$&\\'), maxLength);
}

/** Text of the service for a place without Markdown, such as a footer. */
export function plainText(text: string, maxLength: number): string {
  if (text.length <= maxLength && SIMPLE.test(text)) return text;
  return clip(text.replace(/\s+/g, ' ').replace(INVISIBLE, '').trim(), maxLength);
}

const HALF_CHARACTER = /[\uD800-\uDBFF]$/;
const HALF_ESCAPE = /(?<!\\)((?:\\\\)*)\\$/;

/** Cuts at a whole character, and marks the cut with an ellipsis. */
export function clip(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text;
  return `${text
    .slice(0, maxLength - 1)
    .replace(HALF_CHARACTER, '')
    .replace(HALF_ESCAPE, '$1')}…`;
}

/** A line that may be missing. */
export type Line = string | false | undefined;

/** Those that are there. */
export function joined(lines: readonly Line[], by = '\n'): string {
  return lines.filter(Boolean).join(by);
}

/** Above this, and below a cent, digits after the point stop being readable money. */
const LARGEST_WRITTEN_OUT = 1e12;
const LARGEST_SHARE = 1e4;
const LEAST_WHOLE_SHARE = 0.1;
const SMALLEST_WITH_CENTS = 0.01;
const SMALLEST_WRITTEN_OUT = 1e-6;
/** In a range of prices from ten on, cents say nothing. */
const LEAST_WITHOUT_CENTS = 10;

const FORMS = {
  count: {},
  huge: { notation: 'scientific', maximumFractionDigits: 2 },
  tiny: { notation: 'scientific', maximumSignificantDigits: 2 },
  small: { maximumSignificantDigits: 2 },
  percent: { style: 'percent', maximumFractionDigits: 1 },
  wholePercent: { style: 'percent' },
  hugePercent: { style: 'percent', notation: 'scientific', maximumFractionDigits: 2 },
  whole: { maximumFractionDigits: 0 },
  cents: { minimumFractionDigits: 2, maximumFractionDigits: 2 },
} as const satisfies Record<string, Intl.NumberFormatOptions>;

type Form = keyof typeof FORMS;

/**
 * Making one takes longer than the rest of an embed. Every form in nine locales, with a currency and without, is half
 * of them.
 */
const kept = new LRUCache<string, Intl.NumberFormat>({ max: 300 });

/** @param currency ISO 4217, when the operator named one; without, a price is a plain number */
export function formatPrice(locale: string, value: number, currency: string | undefined): string {
  return numberFormat(locale, priceForm(value), currency).format(value);
}

/** How much is shown of what a row of prices is called. */
export const ROW_LENGTH = 60;

/** Behind a price, which of several it is, such as ` (Near Mint)`. Markdown. */
export function rowLabel(label: string | undefined): string {
  const shown = label && plainMarkdown(label, ROW_LENGTH);
  return shown ? ` (${shown})` : '';
}

/** The number that members read of a price, by which it is compared: 30 for 29.996. */
export function priceAsShown(price: number, currency: string | undefined): number {
  const parts = numberFormat('en-US', priceForm(price), currency).formatToParts(price);
  const shown = Number(parts.map(({ type, value }) => (NO_FIGURES.test(type) ? '' : value)).join(''));
  return Number.isFinite(shown) ? shown : price;
}

const NO_FIGURES = /currency|group|literal/;

/** Such as `$28–$36`, without cents where these do not matter; one price when they are the same. */
export function formatPriceRange(
  locale: string,
  lowest: number,
  highest: number,
  currency: string | undefined,
): string {
  const isWhole = lowest >= LEAST_WITHOUT_CENTS && highest - lowest >= 1 && highest < LARGEST_WRITTEN_OUT;
  const [fromForm, toForm]: Form[] = isWhole ? ['whole', 'whole'] : [lowest, highest].map(priceForm);
  const [from, to] = [numberFormat(locale, fromForm, currency), numberFormat(locale, toForm, currency)];
  if (from.format(lowest) === to.format(highest)) return to.format(highest);
  if (from !== to) return `${from.format(lowest)}–${to.format(highest)}`;
  return to.formatRange(lowest, highest).replace(/\s+([-–～])\s+/, (_, dash) => (dash === '-' ? '–' : dash));
}

/** @param share 0.042 for 4.2%, 0.111 for 11%; whether it is more or less is the message's */
export function formatPercent(locale: string, share: number): string {
  const form = share >= LARGEST_SHARE ? 'hugePercent' : share >= LEAST_WHOLE_SHARE ? 'wholePercent' : 'percent';
  return numberFormat(locale, form).format(share);
}

/**
 * How the currency of a price is written in the language of a locale: its code, signs and name; `undefined` where it is
 * not known.
 */
export function currencySigns(locale: string, currency: string | undefined): string[] | undefined {
  if (currency === undefined) return undefined;
  return (['code', 'symbol', 'narrowSymbol', 'name'] as const).flatMap((currencyDisplay) =>
    new Intl.NumberFormat(figuresLocale(locale), { style: 'currency', currency, currencyDisplay })
      .formatToParts(1)
      .flatMap(({ type, value }) => (type === 'currency' ? value : [])),
  );
}

/** Nothing for a count that is not known. */
export function formatCount(locale: string, value: number | undefined): string {
  return value === undefined ? '' : numberFormat(locale).format(value);
}

/** Numbers as the text writes them that a member of a locale reads. */
export function numberFormat(locale: string, form: Form = 'count', currency?: string): Intl.NumberFormat {
  const key = `${form} ${currency} ${locale}`;
  const known = kept.get(key);
  if (known) return known;
  const digits = form === 'cents' && currency ? {} : FORMS[form]; // a currency has its own: yen have no cents
  const made = new Intl.NumberFormat(figuresLocale(locale), {
    ...digits,
    ...(currency && { style: 'currency', currency }),
  });
  kept.set(key, made);
  return made;
}

function priceForm(value: number): Form {
  const size = Math.abs(value);
  if (size >= LARGEST_WRITTEN_OUT) return 'huge';
  if (size === 0 || size >= SMALLEST_WITH_CENTS) return 'cents';
  return size < SMALLEST_WRITTEN_OUT ? 'tiny' : 'small';
}

// Discord writes a moment such as <t:1795226601:t> in each member's language and time zone. Its relative style goes on
// when the moment is past ("Try again 18 seconds ago"), so it is used only for what is past already.

/**
 * @param style `t`: the minute, `T`: the second, `d`: the day, `f`: day and minute, `R`: how long ago; what is left out
 *   is rounded down
 */
export function timestamp(atMs: number, style: 't' | 'T' | 'd' | 'f' | 'R'): string {
  return `<t:${Math.floor(atMs / 1000)}:${style}>`;
}

/** A moment that is past: never shown as one to come. */
export function age(atMs: number): string {
  return timestamp(Math.min(atMs, Date.now()), 'R');
}
