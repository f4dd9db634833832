/** How many digits of a price members see, by its size. Above the first, and below a cent, more would be no readable money. */
export const LARGEST_WRITTEN_OUT = 1e12;
const SMALLEST_WITH_CENTS = 0.01;
const SMALLEST_WRITTEN_OUT = 1e-6;

export const PRICE_FORMS = {
  huge: { notation: 'scientific', maximumFractionDigits: 2 },
  tiny: { notation: 'scientific', maximumSignificantDigits: 2 },
  small: { maximumSignificantDigits: 2 },
  cents: { minimumFractionDigits: 2, maximumFractionDigits: 2 },
} as const satisfies Record<string, Intl.NumberFormatOptions>;

export type PriceForm = keyof typeof PRICE_FORMS;

export function priceForm(size: number): PriceForm {
  if (size >= LARGEST_WRITTEN_OUT) return 'huge';
  if (size === 0 || size >= SMALLEST_WITH_CENTS) return 'cents';
  return size < SMALLEST_WRITTEN_OUT ? 'tiny' : 'small';
}

/** Prices as members read them: what is decided about a price has to agree with the figures that they see. */
export interface PriceScale {
  /** The price that is read. */
  shown(price: number): number;
  /** The least by which prices of this size differ when they are read. */
  step(price: number): number;
}

/** @param currency ISO 4217, when the operator named one: yen have no cents */
export function priceScale(currency?: string): PriceScale {
  const { maximumFractionDigits: cents = 2 } =
    currency === undefined
      ? PRICE_FORMS.cents
      : new Intl.NumberFormat('en-US', { style: 'currency', currency }).resolvedOptions();
  const options = { ...PRICE_FORMS, cents: { maximumFractionDigits: cents } };
  const read = (form: PriceForm) => new Intl.NumberFormat('en-US', { ...options[form], useGrouping: false });
  const formats = { huge: read('huge'), tiny: read('tiny'), small: read('small'), cents: read('cents') };
  return {
    shown: (price) => Number(formats[priceForm(Math.abs(price))].format(price)),
    step(price) {
      const form = priceForm(price);
      return 10 ** (form === 'cents' ? -cents : Math.floor(Math.log10(price)) - (form === 'huge' ? 2 : 1));
    },
  };
}
