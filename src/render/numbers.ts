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

/** Discord has 33 locales, each of which meets all forms at most. */
const KEPT_FORMATS = 200;
/** What is left of the day stays the same from one answer of the cache to the next. */
const KEPT_COUNTS = 200;

/** Numbers as members read them. Making a format takes longer than all the rest of an embed, so they are kept. */
export class NumberFormats {
  readonly #currency: string | undefined;
  readonly #kept = new LRUCache<string, Intl.NumberFormat>({ max: KEPT_FORMATS });
  readonly #counts = new LRUCache<string, string>({ max: KEPT_COUNTS });

  /** @param currency ISO 4217, when the operator named one; without, a price is a plain number */
  constructor(currency?: string) {
    this.#currency = currency;
  }

  price(value: number, locale: string): string {
    return this.#format(priceForm(Math.abs(value)), locale).format(value);
  }

  count(value: number, locale: string): string {
    const key = `${value} ${locale}`;
    const kept = this.#counts.get(key);
    if (kept !== undefined) return kept;
    const written = this.#format('count', locale).format(value);
    this.#counts.set(key, written);
    return written;
  }

  #format(form: Form, locale: string): Intl.NumberFormat {
    const key = `${form} ${locale}`;
    const kept = this.#kept.get(key);
    if (kept) return kept;
    const made = numberFormat(locale, form === 'count' ? FORMS.count : priceOptions(form, this.#currency));
    this.#kept.set(key, made);
    return made;
  }
}

/** A single one; see `NumberFormats` for many. */
export function formatCount(value: number, locale: string): string {
  return numberFormat(locale, FORMS.count).format(value);
}

function priceForm(size: number): Form {
  if (size >= LARGEST_WRITTEN_OUT) return 'huge';
  if (size === 0 || size >= SMALLEST_WITH_CENTS) return 'cents';
  return size < SMALLEST_WRITTEN_OUT ? 'tiny' : 'small';
}

function priceOptions(form: Form, currency: string | undefined): Intl.NumberFormatOptions {
  if (currency === undefined) return FORMS[form];
  const digits = form === 'cents' ? {} : FORMS[form]; // a currency knows its own: yen have no cents
  return { ...digits, style: 'currency', currency };
}

/** Discord's locales are all BCP 47; one that is not yet known here is no reason to fail. */
function numberFormat(locale: string, options: Intl.NumberFormatOptions): Intl.NumberFormat {
  try {
    return new Intl.NumberFormat(locale, options);
  } catch {
    return new Intl.NumberFormat('en-US', options);
  }
}
