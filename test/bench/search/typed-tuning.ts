import { scoped } from '../../support/on-finished.ts';
import { judged, toMarkdown } from '../table.ts';
import { tableOf } from './tried-texts.ts';
import { folderNamed, triedTexts } from './typed-texts.ts';

// What the half of the texts misses by which the search may be tuned, and its shares.
const folder = folderNamed(process.argv[2]);
const { tried } = await scoped(() => triedTexts(folder, ({ isTuning }) => isTuning));
for (const { list, kind, typed, meant, place, found } of tried.filter(({ place }) => place !== 0)) {
  const [first] = found;
  const columns = [list, kind, typed, meant, place ?? '–', first ? `${first.id} ${first.name}` : 'nothing'];
  process.stderr.write(`${columns.join('\t')}\n`);
}
const table = tableOf('Texts for tuning', { tried }, []);
process.stdout.write(`${toMarkdown(table)}\n\n${judged([table])}\n`);
