import fc from 'fast-check';

const SURROGATES = { first: 0xd800, count: 0x800 };

/** Units for `fc.string`. fast-check's own units beyond ASCII enumerate all of Unicode first, which costs a second of CPU time. */
export const anyCharacter = upTo(0x10ffff);
/** From the planes that contain letters. */
export const printableCharacter = upTo(0x33fff).filter((character) => /[\p{L}\p{M}\p{N}\p{P}\p{S}]/u.test(character));

/** Any code point up to `last` except surrogates. */
function upTo(last: number) {
  return fc
    .nat(last - SURROGATES.count)
    .map((index) => String.fromCodePoint(index < SURROGATES.first ? index : index + SURROGATES.count));
}
