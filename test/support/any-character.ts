import fc from 'fast-check';

const HALVES = { first: 0xd800, count: 0x800 };

/** Units for `fc.string`, whose own beyond ASCII take a second of CPU time: they number every character there is, as `fc.webUrl` does. */
export const anyCharacter = upTo(0x10ffff);
/** Of the planes in which there are letters. */
export const printableCharacter = upTo(0x33fff).filter((character) => /[\p{L}\p{M}\p{N}\p{P}\p{S}]/u.test(character));

/** No half characters. */
function upTo(last: number): fc.Arbitrary<string> {
  return fc
    .nat(last - HALVES.count)
    .map((index) => String.fromCodePoint(index < HALVES.first ? index : index + HALVES.count));
}
