import { expect, it } from 'vitest';
import { emulatedSchemas } from '../../support/discord-spec/emulated-schemas.ts';

// `npx vitest run test/sandbox/discord/schemas.test.ts -u` makes the file anew.
it('the schemas of the emulated Discord are those of the installed specification', async () => {
  await expect(emulatedSchemas()).toMatchFileSnapshot('../../../sandbox/discord/schemas.json');
});
