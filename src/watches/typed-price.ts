const PRICE = /^(\D*?)\s*(\d+(?:[.,]\d{1,2})?)\s*(\D*)$/;
const FULL_WIDTH = /[！-￦]/g;
const ANY_SIGN = /^\p{Sc}$/u;

/**
 * A price as members type it: digits, at most one point or comma with one or two digits behind it, and a sign of the
 * card's own currency before or behind that.
 *
 * @param ownSigns absent: its currency is not known, so that no sign is another's
 * @returns `undefined` for anything else
 */
export function typedPrice(text: string, ownSigns: readonly string[] | undefined): number | undefined {
  const [, before = '', figures, behind = ''] = PRICE.exec(compared(text)) ?? [];
  const own = ownSigns?.map(compared);
  const isOwn = (sign: string) => sign === '' || (own ? own.includes(sign) : ANY_SIGN.test(sign));
  return figures && isOwn(before) && isOwn(behind) ? Number(figures.replace(',', '.')) : undefined;
}

/** Full-width figures and signs are those of Japanese keyboards. */
function compared(text: string): string {
  const typed = text.replace(FULL_WIDTH, (sign) => sign.normalize('NFKC'));
  return typed.trim().toLowerCase();
}
