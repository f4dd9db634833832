import fc from 'fast-check';
import { parseCardId } from '../../src/model/card-id.ts';
import { anyCharacter } from './any-character.ts';

/** What URLs and templates are made of. */
const PIECES = String.raw`. .. / \ % %2e %2F ? # ; @ : & {id} {ids} $& $'`.split(' ');

/** Texts of whole and half characters, with much of what URLs are made of. */
const anyText = fc
  .array(
    fc.oneof(
      fc.constantFrom(...PIECES, ' ', ',', '\t'),
      fc.string({ unit: anyCharacter, maxLength: 3 }),
      fc.integer({ min: 0xd800, max: 0xdfff }).map((half) => String.fromCharCode(half)),
    ),
    { minLength: 1, maxLength: 8 },
  )
  .map((pieces) => pieces.join(''));

/** Any id that the bot accepts. */
export const anyId = anyText.map(idOrNothing).filter((id) => id !== undefined);

export function idOrNothing(text: string): string | undefined {
  try {
    return parseCardId(text);
  } catch {
    return undefined;
  }
}
