import fc from 'fast-check';
import { expect, it } from 'vitest';
import { idFault } from '../../../src/model/card-id.ts';
import { anyCharacter } from '../../support/any-character.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { exported, runCatalog } from './cli-runs.ts';

/** Texts with what formats care about. */
const text = fc.oneof(
  fc.string({ unit: anyCharacter, maxLength: 20 }),
  fc.string({ unit: fc.constantFrom('amp;', '&lt;', '&amp;gt;', ...'&",;\t\n\u2028\\\'{éリ a'), maxLength: 12 }),
);
const optionalText = fc.option(text, { nil: undefined });
const cards = fc.array(
  fc.record({ id: text, name: text, set: optionalText, number: optionalText, game: optionalText }),
  { minLength: 1, maxLength: 20 },
);

it('what is exported and imported again is the same', async () => {
  await fc.assert(
    fc.asyncProperty(cards, async (given) => {
      const [from, to] = [temporaryFolder(), temporaryFolder()];
      const stdin = given.map((card) => JSON.stringify(card)).join('\n');
      await runCatalog(from, ['import', '-'], { stdin });
      const before = await exported(from);
      fc.pre(before.length > 0);
      const { out } = await runCatalog(from, ['export']);
      const { code, err } = await runCatalog(to, ['import', '-'], { stdin: out });

      expect({ code, err }).toEqual({ code: 0, err: '' });
      expect(await exported(to)).toEqual(before);
      const known = new Set(given.map(({ id }) => id.trim()).filter((id) => !idFault(id)));
      expect(before.length).toBeLessThanOrEqual(known.size);
    }),
    { numRuns: 20 },
  );
});
