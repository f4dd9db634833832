import { InvalidCardId } from './errors.ts';
import type { ServiceDescription } from './service-description.ts';

/** No known service has longer ids. */
export const MAX_CARD_ID_LENGTH = 100;

/** Why a trimmed text may not be sent as a card id; `undefined` when it may. */
export function idFault(id: string): InvalidCardId['reason'] | undefined {
  if (id === '') return 'empty';
  if (!id.isWellFormed()) return 'halfCharacter';
  if ([...id].length > MAX_CARD_ID_LENGTH) return 'tooLong';
  if (/\p{Cc}/u.test(id)) return 'controlCharacter';
  return id === '.' || id === '..' ? 'dotsOnly' : undefined; // URL parsers turn these into another path, even encoded
}

/** A card id as it may be sent: trimmed, its case kept. @throws InvalidCardId */
export function parseCardId(text: string): string {
  const id = text.trim();
  const reason = idFault(id);
  if (reason) throw new InvalidCardId({ reason });
  return id;
}

/**
 * What a text is as an id of the card service, as that writes it itself; `undefined` when it can be none and costs no
 * request.
 */
export type ReadCardId = (text: string) => string | undefined;

const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/;
/** Printed numbers have zeros in front that answers have not. */
const DIGITS = /^0*([1-9]\d*)$/;

/** By the form that a description states. Where it states none, every text is one that may be sent. */
export function cardIdReader({
  ids,
  idSeparator,
}: Pick<ServiceDescription['card'], 'ids' | 'idSeparator'>): ReadCardId {
  return (text) => {
    const id = text.trim();
    const parts = idSeparator === undefined ? [id] : id.split(idSeparator);
    if (idFault(id) || parts.some((part) => /^\.{0,2}$/.test(part))) return undefined;
    if (ids === 'uuid') return UUID.exec(id.toLowerCase())?.[0];
    if (ids === 'digits') return DIGITS.exec(id)?.[1];
    if (ids === undefined) return id;
    const { chars, longest, segments } = ids;
    const fits = parts.length === segments && [...id].length <= longest && parts.every((part) => chars.test(part));
    return fits ? id : undefined;
  };
}
