/** Around a price: a sign such as € or US$, a code such as USD, or 円. */
const CURRENCY = String.raw`(?:[A-Z]{0,3}\p{Sc}[A-Z]{0,2}|[A-Z]{3}|円)`;
const PRICE = new RegExp(String.raw`^\s*${CURRENCY}?\s*([\d.,'’\s]*\d)\s*${CURRENCY}?\s*$`, 'u');
/** With thousands in groups or without, and what follows the decimal sign. */
const WHOLE = /^(?:\d*|\d{1,3}(?:[.,]\d{3})+)$/;
const DIGITS = /^\d*$/;

/**
 * A price as members type it: with a currency or without, with thousands in groups or without. Of two signs the last is the
 * decimal one, and one before three digits is what it is where the member lives.
 *
 * @param decimalSign the member's
 * @returns `undefined` for what is no price
 */
export function typedPrice(text: string, decimalSign: string): number | undefined {
  const [, found = ''] = PRICE.exec(text.normalize('NFKC')) ?? [];
  const figures = found.replace(/['’\s]/g, '');
  const at = Math.max(figures.lastIndexOf('.'), figures.lastIndexOf(','));
  const sign = figures.charAt(at);
  const isAlone = figures.search(/[.,]/) === at;
  const isRepeated = figures.indexOf(sign) !== at;
  const isDecimal = !isRepeated && (!isAlone || sign === decimalSign || figures.length - at !== 4);
  const [whole, cents] = isDecimal && at >= 0 ? [figures.slice(0, at), figures.slice(at + 1)] : [figures, ''];
  if (figures === '' || !WHOLE.test(whole) || !DIGITS.test(cents)) return undefined;
  return Number(`${whole.replace(/[.,]/g, '')}.${cents}`);
}
