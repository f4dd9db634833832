import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { search } from '../../../src/catalog/search.ts';
import { createLog } from '../../../src/log.ts';
import { CatalogDatabase } from '../../../src/storage/sqlite/catalog/database.ts';
import { onFinished, scoped } from '../../support/on-finished.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { importList } from './card-lists.ts';
import { folderNamed } from './typed-texts.ts';

const LANGUAGES = ['de', 'fr', 'es', 'it', 'pt', 'ja', 'ko', 'zh-TW', 'zh-CN'];
const WHO = { memberId: '1', guildId: '2' };
const EVERY = 10;

// Whole names in other languages: how many have the card among the 25, of every tenth card of yaml-yugi.
const folder = folderNamed(process.argv[2]);
await scoped(async () => {
  const dataDir = temporaryFolder('lists');
  importList(folder, 'yugioh', dataDir);
  const catalog = CatalogDatabase.open(dataDir, createLog({ level: 'warn', secrets: [] }));
  onFinished(() => catalog.close());
  const nameById = new Map(catalog.rows().map(({ id, name }) => [id, name]));
  const offered = new Set(nameById.values());
  const files = globSync(join(folder, 'yaml-yugi/data/cards/*.json')).sort();
  const cards = files.filter((_, at) => at % EVERY === 0).map((file) => JSON.parse(readFileSync(file, 'utf8')).name);
  for (const language of LANGUAGES) {
    const names = cards.filter((name) => name[language] && offered.has(name.en));
    const found = names.filter((name) => {
      const typed = name[language].replaceAll(/<rt>.*?<\/rt>|<\/?r\w+>/g, ''); // without how it is read
      return search(catalog.index, typed, WHO).some(({ id }) => nameById.get(id) === name.en);
    });
    process.stdout.write(`${language}: ${found.length} of ${names.length}\n`);
  }
});
