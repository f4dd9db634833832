import type { CatalogCard } from '../../catalog/catalog-card.ts';
import { nameKey } from '../../catalog/words.ts';
import type { StoredRow } from '../../storage/sqlite/catalog/schema.ts';
import { type CliContext, CliFailure } from '../context.ts';
import { CardMaker, type Mapping } from './card-maker.ts';
import type { Surroundings } from './field-source.ts';
import { ImportReport } from './import-report.ts';
import { filesOf, type Listed, openInput } from './input.ts';
import type { OpenCatalog } from './open-catalog.ts';
import { type Join, listIn, ONE_OBJECT, readJoined, readRows } from './read-rows.ts';
import { columnsOf, type SourceRow, Unusable } from './source-row.ts';

export interface ImportFlags extends Mapping {
  /** Where cards stand in JSON documents; `undefined`: each is an array of them. */
  rows?: string | undefined;
  join?: readonly Join[] | undefined;
}

/** In one transaction, which keeps other writers out: some 50 ms. With 500 an import takes a third longer. */
const BATCH = 2_000;
/** Spreadsheets write long numbers so: `8,96311E+07`. */
const ROUNDED = /^\d(?:[.,]\d+)?E\+\d+$/i;
/** Fewer cards, if these have long texts. */
const BATCH_CHARACTERS = 1_000_000;

/** What the files of one import have in common. */
interface Import {
  flags: ImportFlags;
  catalog: OpenCatalog;
  context: CliContext;
  /** Ends the import after the batch that it has. */
  signal: AbortSignal;
  report: ImportReport;
  cardMaker: CardMaker;
  joined: Surroundings['joined'];
  /** The fields of the first object in which there is no card, and its file. */
  refused?: { name: string; fields: readonly string[] } | undefined;
}

/** Imports files one after the other, and says what became of each. @returns the exit code */
export async function importFiles(
  named: readonly string[],
  options: Pick<Import, 'flags' | 'catalog' | 'context' | 'signal'>,
): Promise<number> {
  const { flags, context, signal } = options;
  const files = (await Promise.all(named.map((path) => filesOf(path, context.folder)))).flat();
  const report = new ImportReport(files.length, context);
  const attempt = async (file: string, work: () => Promise<unknown>): Promise<boolean> => {
    try {
      await work();
      return true;
    } catch (error) {
      if (!(error instanceof Unusable)) throw error;
      report.isIncomplete(`${file === '-' ? 'Standard input' : file} ${error.message}.`);
      return false;
    }
  };
  const joined = new Map<string, ReadonlyMap<string, SourceRow>>();
  for (const join of flags.join ?? []) {
    const read = async () => {
      const [file] = await filesOf(join.file, context.folder);
      if (file?.file !== join.file) throw new Unusable('is a folder: `--join` takes one file');
      joined.set(join.field, await readJoined(join, await openInput(join.file, context)));
    };
    if (!(await attempt(join.file, read))) return 1;
  }
  const common: Import = { ...options, report, cardMaker: new CardMaker(flags), joined };
  try {
    for (const listed of files) if (!signal.aborted) await attempt(listed.file, () => importFile(listed, common));
    if (signal.aborted) report.stopped('Stopped.');
  } catch (error) {
    if (!(error instanceof CliFailure)) throw error;
    report.stopped(error.message);
  }
  const { name = '', fields } = common.refused ?? {};
  if (report.cards === 0 && fields)
    await attempt(name, async () => common.cardMaker.checkColumns(columnsOf(fields), 'field'));
  return report.end(flags.rows === undefined ? '' : ` at ${flags.rows}`, common.cardMaker.unfound());
}

/** @throws Unusable, when what can be read has been taken; CliFailure */
async function importFile({ file, source }: Listed, common: Import): Promise<void> {
  const { flags, catalog, context, signal, report, cardMaker, joined } = common;
  const input = await openInput(file, context);
  const rows = readRows(input, flags.rows, levelsOf(flags));
  const around = { name: input.name, fileName: input.name.replace(/(?<=.)\..*$/, ''), joined };
  report.begin(input);
  let columns: SourceRow['columns'];
  let [isImported, characters] = [false, 0];
  let batch = new Map<CatalogCard, SourceRow>();
  const takeBatch = async () => {
    const cards = batch;
    [batch, characters] = [new Map(), 0];
    if (cards.size === 0) return;
    if (!isImported) catalog.beginImport(source);
    isImported = true;
    const refused = new Set<CatalogCard>();
    const news = catalog.take([...cards.keys()], source, (card, stored) => {
      const why = compare(card, stored, report);
      if (why === undefined) return true;
      refused.add(card);
      report.refused(cards.get(card)?.place ?? '', why);
      return false;
    });
    for (const card of cards.keys()) if (!refused.has(card)) report.read(card.id);
    report.took(cards.size - refused.size, news.length);
  };
  try {
    for await (const row of rows) {
      if (row.columns && row.columns !== columns) cardMaker.checkColumns(row.columns);
      columns = row.columns;
      const card = cardOf(row, around, common);
      if (!card) continue;
      characters += Object.values(card).flat().join('').length;
      if (batch.set(card, row).size >= BATCH || characters >= BATCH_CHARACTERS) await takeBatch();
      if (signal.aborted) break;
    }
  } finally {
    await takeBatch().finally(() => report.finish());
  }
  const list = isImported || flags.rows !== undefined ? undefined : listIn(input.head);
  if (list) {
    common.refused = undefined;
    throw new Unusable(`${ONE_OBJECT} ${list}`);
  }
  report.isWhole();
}

/** @returns `undefined` when the row is refused, which is reported */
function cardOf(row: SourceRow, around: Surroundings & { name: string }, common: Import): CatalogCard | undefined {
  const { cardMaker, report } = common;
  try {
    const card = cardMaker.cardOf(row, around);
    if (ROUNDED.test(card.id)) report.warn('rounded', card.id);
    return card;
  } catch (error) {
    if (!(error instanceof Unusable)) throw error;
    report.refused(row.place, error.message);
    if (!row.columns) common.refused ??= { name: around.name, fields: Object.keys(row.value) };
    return undefined;
  }
}

/** Different games number their cards alike, and so may the lists of one game. @returns why a card is not taken */
function compare(card: CatalogCard, stored: StoredRow, report: ImportReport): string | undefined {
  if (stored.name === card.name || nameKey(stored.name) === nameKey(card.name)) return undefined;
  if (stored.game && card.game && stored.game.toLowerCase() !== card.game.toLowerCase())
    return `has the id of ${stored.name}, a card of ${stored.game}`;
  if (stored.confirmed !== 1) report.warn('renamed', `${card.id}: ${stored.name} → ${card.name}`);
  return undefined;
}

/** How many of the objects around a card the most `../` of a mapping go through. */
function levelsOf({ map, idTemplate }: Mapping): number {
  const ups = JSON.stringify([map, idTemplate]).match(/(\.\.\/)+/g) ?? [];
  return Math.max(0, ...ups.map((each) => each.length / '../'.length));
}
