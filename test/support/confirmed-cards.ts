import { SAMPLE_CATALOG } from '../../sandbox/sample-cards.ts';
import type { Sandbox } from '../../sandbox/sandbox.ts';
import { CatalogDatabase } from '../../src/catalog/database.ts';
import { logLines } from './log-lines.ts';

/** From so many ids on, the forms of ids are known: anything else is a name. */
const TELLING = 100;

/** Makes the catalog of a running bot as if the service had answered with every sample card, and with more of their form. */
export async function confirmCards({ config, discord }: Sandbox): Promise<void> {
  const others = Array.from({ length: TELLING }, (_, index) => ({ id: `other1-${index}`, name: `Nobody ${index}` }));
  const database = new CatalogDatabase(config.dataDir, logLines().log);
  database.upsert([...SAMPLE_CATALOG, ...others], undefined);
  database.close();
  await offered({ discord }, others.at(-1)?.id ?? '');
}

/** Resolves when the bot suggests the card to those who type its id: its search begins after it, and finds new rows later. */
export async function offered({ discord }: Pick<Sandbox, 'discord'>, cardId: string): Promise<void> {
  const rows = () => discord.complete({ command: 'card', options: { id: cardId }, focused: 'id' });
  while (!(await rows()).some(({ value }) => value === cardId));
}
