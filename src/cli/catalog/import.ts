import { resolve } from 'node:path';
import type { CatalogCard } from '../../catalog/catalog-card.ts';
import { type CliContext, CliFailure } from '../context.ts';
import { CardMaker, type Mapping } from './card-maker.ts';
import type { Joined } from './field-source.ts';
import { ImportReport } from './import-report.ts';
import { filesOf, type Input, openInput } from './input.ts';
import type { OpenCatalog } from './open-catalog.ts';
import { startProgress } from './progress.ts';
import { type Join, oneObjectHint, readJoined, readRows } from './read-rows.ts';
import { type ReadRow, type SourceRow, UnreadableFile } from './source-row.ts';

export interface ImportFlags extends Mapping {
  /** Where cards stand in JSON documents; `undefined`: each is an array of them. */
  rows?: string | undefined;
  join?: readonly Join[] | undefined;
}

/** In one transaction, which keeps other writers out: some 50 ms. With 500 an import takes a third longer. */
const BATCH = 2_000;
/** Fewer cards, if these have long texts. */
const BATCH_CHARACTERS = 1_000_000;

export interface ImportOptions {
  flags: ImportFlags;
  catalog: OpenCatalog;
  context: CliContext;
  /** Ends the import after the batch that it has. */
  signal: AbortSignal;
}

/** Imports files one after the other, and says what became of each. @returns the exit code */
export async function importFiles(named: readonly string[], options: ImportOptions): Promise<number> {
  const { flags, context, signal } = options;
  const files = (await Promise.all(named.map((path) => filesOf(path, context.folder)))).flat();
  const report = new ImportReport(files.length, context);
  const attempt = async <T>(file: string, work: () => Promise<T>): Promise<T | undefined> => {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof UnreadableFile)) throw error;
      report.cannotBeRead(file === '-' ? 'Standard input' : file, error.message);
      return undefined;
    }
  };
  const joined = new Map<string, ReadonlyMap<string, SourceRow>>();
  for (const join of flags.join ?? []) {
    const rows = await attempt(join.file, async () => readJoined(join, await open(join.file, context)));
    if (!rows) return 1;
    joined.set(join.field, rows);
  }
  try {
    for (const file of files) if (!signal.aborted) await attempt(file, () => importFile(file, joined, report, options));
    if (signal.aborted) report.stopped('Stopped.');
  } catch (error) {
    if (!(error instanceof CliFailure)) throw error;
    report.stopped(error.message);
  }
  return report.end(flags.rows === undefined ? '' : ` at ${flags.rows}`);
}

/** @throws UnreadableFile, when what can be read has been taken; CliFailure */
async function importFile(file: string, joined: Joined, report: ImportReport, options: ImportOptions): Promise<void> {
  const { flags, catalog, context, signal } = options;
  const input = await open(file, context);
  const { name } = input;
  const rows = readRows(input, flags.rows, levelsOf(flags));
  const cardMaker = new CardMaker(flags, name, joined);
  const progress = startProgress(input, context.stderr);
  report.begin(name);
  let cards = 0;
  try {
    for await (const batch of inBatches(cardsOf(rows, cardMaker, report, options), signal)) {
      if (cards === 0) await catalog.beginImport(name);
      cards = report.took(batch.length, (await catalog.take(batch, name)).length);
      progress.update(cards);
    }
    const hint = cards === 0 && flags.rows === undefined ? oneObjectHint(input.head) : undefined;
    if (hint) throw new UnreadableFile(hint);
  } finally {
    progress.stop();
    report.finish(cardMaker.unfound());
  }
}

/** @throws UnreadableFile when there is no column for what a card needs */
async function* cardsOf(
  rows: AsyncIterable<ReadRow>,
  cardMaker: CardMaker,
  report: ImportReport,
  { catalog, flags }: ImportOptions,
): AsyncGenerator<CatalogCard> {
  let isFirst = true;
  for await (const row of rows) {
    if (isFirst && 'value' in row && row.columns) checkColumns(row, cardMaker, flags);
    isFirst = false;
    const card = 'refused' in row ? row.refused : cardMaker.cardOf(row);
    const other = typeof card === 'string' ? undefined : catalog.otherGameWithIdOf(card);
    if (typeof card === 'string') report.refused(row.place, card);
    else if (other) report.refused(row.place, `has the id of ${other.name}, a card of ${other.game}`);
    else {
      report.read(card.id);
      yield card;
    }
  }
  if (isFirst) report.hasNoRow();
}

/** Ends early after `signal`. An error comes after what was read before it. */
async function* inBatches(cards: AsyncIterable<CatalogCard>, signal: AbortSignal): AsyncGenerator<CatalogCard[]> {
  let batch: CatalogCard[] = [];
  let characters = 0;
  try {
    for await (const card of cards) {
      if (signal.aborted) break;
      characters += Object.values(card).flat().join('').length;
      if (batch.push(card) < BATCH && characters < BATCH_CHARACTERS) continue;
      yield batch;
      batch = [];
      characters = 0;
    }
  } catch (error) {
    if (batch.length > 0) yield batch;
    throw error;
  }
  if (batch.length > 0) yield batch;
}

/** How many of the objects around a card the most `../` of a mapping go through. */
function levelsOf({ map, idTemplate }: Mapping): number {
  const ups = JSON.stringify([map, idTemplate]).match(/(\.\.\/)+/g) ?? [];
  return Math.max(0, ...ups.map((each) => each.length / '../'.length));
}

function open(file: string, { folder, stdin }: CliContext): Promise<Input> {
  return openInput(file === '-' ? stdin : resolve(folder, file));
}

/** What the column of a field may be called. */
const LIKELY = { id: /\bid\b|uuid|code/i, name: /\bname\b|title/i };

/** @throws UnreadableFile when there is no column for what a card needs */
function checkColumns(row: SourceRow, cardMaker: CardMaker, { map, idTemplate }: ImportFlags): void {
  const missing = cardMaker.missingIn(row);
  if (missing.length === 0) return;
  const columns = Object.keys(row.value);
  const isOpen = (field: 'id' | 'name') => map?.[field] === undefined && !(field === 'id' && idTemplate);
  const open = (['id', 'name'] as const).filter((field) => isOpen(field) && !columns.includes(field));
  const needed = [...new Set([...open, ...missing])].map((column) => `\`${column}\``);
  const likely = open.map((field) => {
    const column =
      columns.find((each) => each.toLowerCase() === field) ?? columns.find((each) => LIKELY[field].test(each));
    return `${field}=${column === undefined ? 'COLUMN' : /^[\w.-]+$/.test(column) ? column : `'${column}'`}`;
  });
  const cure = likely.length > 0 ? `Use \`--map ${likely.join()}\`` : 'Correct --map or --id-template';
  const needs = `the column${needed.length > 1 ? 's' : ''} ${needed.join(' and ')}`;
  throw new UnreadableFile(`needs ${needs}; it has ${columns.join(', ')}. ${cure}`);
}
