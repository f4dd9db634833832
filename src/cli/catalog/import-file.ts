import type { CatalogCard } from '../../catalog/catalog-card.ts';
import type { CardMaker } from './card-maker.ts';
import type { Input } from './input.ts';
import type { OpenCatalog } from './open-catalog.ts';
import { readRows } from './read-rows.ts';
import { type ReadRow, type RefusedRow, type SourceRow, UnreadableFile } from './source-row.ts';

/** In one transaction, which keeps other writers out: some 50 ms. With 500 an import takes a third longer. */
const BATCH = 2_000;

export interface ImportOptions {
  input: Input;
  cardMaker: CardMaker;
  rowsPath: string | undefined;
  catalog: OpenCatalog;
  /** Called after each batch, with its size and how many of its cards were news. */
  onTaken(cards: number, news: number): void;
  onRefused(row: RefusedRow): void;
  signal: AbortSignal;
}

/**
 * Takes the cards of one file into the catalog. After `signal` it stops with the batch that it has.
 *
 * @throws UnreadableFile, when what can be read has been taken; and what the catalog throws
 */
export async function importFile({ input, cardMaker, rowsPath, catalog, ...options }: ImportOptions): Promise<void> {
  const { onTaken, onRefused, signal } = options;
  await catalog.beginImport(input.name);
  for await (const rows of inBatches(checked(input, cardMaker, rowsPath))) {
    const cards: CatalogCard[] = [];
    for (const row of rows) {
      const card = 'refused' in row ? row.refused : cardMaker.cardOf(row);
      if (typeof card === 'string') onRefused({ place: row.place, refused: card });
      else cards.push(card);
    }
    onTaken(cards.length, (await catalog.take(cards, input.name)).length);
    if (signal.aborted) return;
  }
}

/** @throws UnreadableFile when there is no row, or no place for what a card needs */
async function* checked(input: Input, cardMaker: CardMaker, rowsPath: string | undefined): AsyncGenerator<ReadRow[]> {
  const { format, rows } = readRows(input, rowsPath);
  let isEmpty = true;
  for await (const some of rows) {
    const [first] = some;
    if (isEmpty && format === 'csv' && first && 'value' in first) checkColumns(first, cardMaker);
    isEmpty &&= first === undefined;
    yield some;
  }
  if (isEmpty) throw new UnreadableFile(rowsPath === undefined ? 'holds no cards' : `holds no cards at ${rowsPath}`);
}

function checkColumns(row: SourceRow, cardMaker: CardMaker): void {
  const missing = cardMaker.missingIn(row);
  if (missing.length === 0) return;
  const columns = Object.keys(row.value).join(', ');
  throw new UnreadableFile(
    `has no column ${missing.join(' and no ')} (it has ${columns}): say with --map what is what`,
  );
}

/** An error comes after what was read before it. */
async function* inBatches<T>(chunks: AsyncIterable<T[]>): AsyncGenerator<T[]> {
  const batch: T[] = [];
  try {
    for await (const chunk of chunks) {
      for (const item of chunk) batch.push(item);
      while (batch.length >= BATCH) yield batch.splice(0, BATCH);
    }
  } catch (error) {
    if (batch.length > 0) yield batch;
    throw error;
  }
  if (batch.length > 0) yield batch;
}
