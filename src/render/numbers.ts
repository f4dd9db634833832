/** Above this, and below a cent, digits after the point stop being readable money. */
const LARGEST_WRITTEN_OUT = 1e12;
const SMALLEST_WITH_CENTS = 0.01;

/** A price in the member's language; with a currency when the operator named one (ISO 4217), else a plain number. */
export function formatPrice(value: number, locale: string, currency: string | undefined): string {
  const size = Math.abs(value);
  const digits: Intl.NumberFormatOptions =
    size >= LARGEST_WRITTEN_OUT
      ? { notation: 'scientific', maximumFractionDigits: 2 }
      : size > 0 && size < SMALLEST_WITH_CENTS
        ? { maximumSignificantDigits: 2, notation: size < 1e-6 ? 'scientific' : 'standard' }
        : currency
          ? {}
          : { minimumFractionDigits: 2, maximumFractionDigits: 2 };
  return numberFormat(locale, { ...digits, ...(currency && { style: 'currency', currency }) }).format(value);
}

export function formatCount(value: number, locale: string): string {
  return numberFormat(locale, {}).format(value);
}

/** Discord's locales are all BCP 47; one that is not yet known here is no reason to fail. */
function numberFormat(locale: string, options: Intl.NumberFormatOptions): Intl.NumberFormat {
  try {
    return new Intl.NumberFormat(locale, options);
  } catch {
    return new Intl.NumberFormat('en-US', options);
  }
}
