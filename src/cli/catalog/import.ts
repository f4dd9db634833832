import type { CatalogCard } from '../../catalog/catalog-card.ts';
import { nameKey } from '../../catalog/words.ts';
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
/** As spreadsheets write long numbers: `8,96311E+07`. */
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
  let batch: CatalogCard[] = [];
  const waiting = new Map<string, CatalogCard>();
  const takeBatch = async () => {
    const cards = batch;
    [batch, characters] = [[], 0];
    waiting.clear();
    if (cards.length === 0) return;
    if (!isImported) await catalog.beginImport(source);
    isImported = true;
    report.took(cards.length, (await catalog.take(cards, source)).length);
  };
  try {
    for await (const row of rows) {
      if (row.columns && row.columns !== columns) cardMaker.checkColumns(row.columns);
      columns = row.columns;
      const card = cardOf(row, around, waiting, common);
      if (!card) continue;
      waiting.set(card.id, card);
      characters += Object.values(card).flat().join('').length;
      if (batch.push(card) >= BATCH || characters >= BATCH_CHARACTERS) await takeBatch();
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
function cardOf(
  row: SourceRow,
  around: Surroundings & { name: string },
  waiting: ReadonlyMap<string, CatalogCard>,
  common: Import,
): CatalogCard | undefined {
  const { cardMaker, report } = common;
  try {
    const card = cardMaker.cardOf(row, around);
    compare(card, waiting.get(card.id), common);
    if (ROUNDED.test(card.id)) report.warn('rounded', card.id);
    report.read(card.id);
    return card;
  } catch (error) {
    if (!(error instanceof Unusable)) throw error;
    report.refused(row.place, error.message);
    if (!row.columns) common.refused ??= { name: around.name, fields: Object.keys(row.value) };
    return undefined;
  }
}

/** Different games number their cards alike, and so may the lists of one game. @throws Unusable for a card of another game */
function compare(card: CatalogCard, waiting: CatalogCard | undefined, { catalog, report }: Import): void {
  const stored = catalog.withId(card.id);
  const other = [waiting, stored].find((each) => each && nameKey(each.name) !== nameKey(card.name));
  if (!other) return;
  if (other.game && card.game && other.game.toLowerCase() !== card.game.toLowerCase())
    throw new Unusable(`has the id of ${other.name}, a card of ${other.game}`);
  if (stored?.confirmed !== 1) report.warn('renamed', `${card.id}: ${other.name} → ${card.name}`);
}

/** How many of the objects around a card the most `../` of a mapping go through. */
function levelsOf({ map, idTemplate }: Mapping): number {
  const ups = JSON.stringify([map, idTemplate]).match(/(\.\.\/)+/g) ?? [];
  return Math.max(0, ...ups.map((each) => each.length / '../'.length));
}
