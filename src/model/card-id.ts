import { InvalidCardId } from './errors.ts';

/** Of no service is a longer id known; the command's option allows as many. */
export const MAX_CARD_ID_LENGTH = 100;

/**
 * A card id as it may be sent: trimmed, well-formed, 1 to 100 code points, no control characters, case kept.
 *
 * @throws InvalidCardId
 */
export function parseCardId(text: string): string {
  const id = text.trim();
  if (id === '') throw new InvalidCardId('it is empty');
  if (!id.isWellFormed()) throw new InvalidCardId('it holds half a character');
  if ([...id].length > MAX_CARD_ID_LENGTH)
    throw new InvalidCardId(`it is longer than ${MAX_CARD_ID_LENGTH} characters`);
  if (/\p{Cc}/u.test(id)) throw new InvalidCardId('it holds a control character');
  // URL parsers take these for another path, even encoded.
  if (id === '.' || id === '..') throw new InvalidCardId('dots alone name no card');
  return id;
}
