import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { startServices, typed } from './commands.ts';
import mostWanted from './most-wanted.ts';

it('the complete command of docs/contributing.md shows a card, and is what stands there', async () => {
  const { services } = await startServices();
  expect(await mostWanted.ask(typed({}), services)).toMatchObject({ isPrivate: true });
  const found = async () => [{ id: 'base1-4', name: 'Emberwing Drake', set: undefined, number: undefined }];
  const asked = await mostWanted.ask(typed({}), { ...services, catalog: { ...services.catalog, search: found } });
  expect(asked).toMatchObject({ queries: [{ cardId: 'base1-4', showPrices: true }], isPrivate: false });

  const source = await readFile('test/commands/most-wanted.ts', 'utf8');
  const inCommands = source.replaceAll("'../../commands/", "'./").replaceAll("'../../src/", "'../src/");
  const page = await readFile('docs/contributing.md', 'utf8');
  const [imports = '', command] = inCommands.split('\n\n/**');
  for (const line of imports.split('\n')) expect(page).toContain(line); // in commands/ they are in another order
  expect(page).toContain(`/**${command}\`\`\``);
});
