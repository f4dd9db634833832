import { InvalidCardId } from './errors.ts';

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
