import { InvalidCardId } from './errors.ts';

/** No known service has longer ids. */
export const MAX_CARD_ID_LENGTH = 100;

/**
 * A card id as it may be sent: trimmed, well-formed, 1 to 100 code points, no control characters, case kept.
 *
 * @throws InvalidCardId
 */
export function parseCardId(text: string): string {
  const id = text.trim();
  if (id === '') throw new InvalidCardId('empty');
  if (!id.isWellFormed()) throw new InvalidCardId('halfCharacter');
  if ([...id].length > MAX_CARD_ID_LENGTH) throw new InvalidCardId('tooLong');
  if (/\p{Cc}/u.test(id)) throw new InvalidCardId('controlCharacter');
  // URL parsers turn these into another path, even encoded.
  if (id === '.' || id === '..') throw new InvalidCardId('dotsOnly');
  return id;
}
