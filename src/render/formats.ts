import { LRUCache } from 'lru-cache';

/** Above this, and below a cent, digits after the point stop being readable money. */
const LARGEST_WRITTEN_OUT = 1e12;
const SMALLEST_WITH_CENTS = 0.01;
const SMALLEST_WRITTEN_OUT = 1e-6;

const FORMS = {
  count: {},
  huge: { notation: 'scientific', maximumFractionDigits: 2 },
  tiny: { notation: 'scientific', maximumSignificantDigits: 2 },
  small: { maximumSignificantDigits: 2 },
  cents: { minimumFractionDigits: 2, maximumFractionDigits: 2 },
} as const satisfies Record<string, Intl.NumberFormatOptions>;

type Form = keyof typeof FORMS;

/** Discord has 33 locales, each of which meets every form at most. */
const KEPT_FORMATS = 200;

/** Making one takes longer than the rest of an embed. */
const kept = new LRUCache<string, Intl.NumberFormat>({ max: KEPT_FORMATS });

/** @param currency ISO 4217, when the operator named one; without, a price is a plain number */
export function formatPrice(locale: string, value: number, currency: string | undefined): string {
  return numberFormat(locale, priceForm(Math.abs(value)), currency).format(value);
}

export function formatCount(locale: string, value: number): string {
  return numberFormat(locale).format(value);
}

/** Numbers as members of a locale write them. */
export function numberFormat(locale: string, form: Form = 'count', currency?: string): Intl.NumberFormat {
  const key = `${form} ${currency} ${locale}`;
  const known = kept.get(key);
  if (known) return known;
  const made = makeFormat(locale, currency === undefined ? FORMS[form] : inCurrency(form, currency));
  kept.set(key, made);
  return made;
}

function priceForm(size: number): Form {
  if (size >= LARGEST_WRITTEN_OUT) return 'huge';
  if (size === 0 || size >= SMALLEST_WITH_CENTS) return 'cents';
  return size < SMALLEST_WRITTEN_OUT ? 'tiny' : 'small';
}

function inCurrency(form: Form, currency: string): Intl.NumberFormatOptions {
  const digits = form === 'cents' ? {} : FORMS[form]; // a currency has its own: yen have no cents
  return { ...digits, style: 'currency', currency };
}

/** Discord's locales are all BCP 47; one that is not known here is no reason to fail. */
function makeFormat(locale: string, options: Intl.NumberFormatOptions): Intl.NumberFormat {
  try {
    return new Intl.NumberFormat(locale, options);
  } catch {
    return new Intl.NumberFormat('en-US', options);
  }
}

// Discord writes a moment such as <t:1795226601:t> in each member's language and time zone. Its relative style goes on
// when the moment is past ("Try again 18 seconds ago"), so it is used only for what is past already.

/** The minute in which something happens today. */
export function clockTime(atMs: number): string {
  return `<t:${Math.ceil(atMs / 1000)}:t>`;
}

/** A moment that is past: never shown as one to come. */
export function age(atMs: number): string {
  return `<t:${Math.floor(atMs / 1000)}:R>`;
}
