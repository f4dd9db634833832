import { resolve } from 'node:path';
import { type CliContext, CliFailure } from '../context.ts';
import { CardMaker, type Mapping } from './card-maker.ts';
import type { Joined } from './field-source.ts';
import { type Input, openInput } from './input.ts';
import type { OpenCatalog } from './open-catalog.ts';
import { counted, startProgress } from './progress.ts';
import { readJoined, readRows } from './read-rows.ts';
import { type ReadRow, type SourceRow, UnreadableFile } from './source-row.ts';

export interface ImportFlags extends Mapping {
  /** Where cards stand in JSON documents; `undefined`: each is an array of them. */
  rows?: string | undefined;
  /** A field of the cards, and a file with a row for each of its values. */
  join?: { field: string; file: string } | undefined;
}

/** In one transaction, which keeps other writers out: some 50 ms. With 500 an import takes a third longer. */
const BATCH = 2_000;
/** This counts for all files together, so that one mistake in each of them does not fill the screen. */
const SHOWN_REFUSALS = 20;

export interface ImportOptions {
  flags: ImportFlags;
  catalog: OpenCatalog;
  context: CliContext;
  /** Ends the import after the batch that it has. */
  signal: AbortSignal;
}

/** Imports files one after the other, and says what became of each. */
export class FilesImport {
  readonly #options: ImportOptions;
  #cards = 0;
  #refused = 0;
  #isComplete = true;

  constructor(options: ImportOptions) {
    this.#options = options;
  }

  /** @returns the exit code: 0 everything was taken, 2 only a part, 1 nothing */
  async run(files: readonly string[]): Promise<number> {
    const { flags, signal } = this.#options;
    const { join } = flags;
    const joined =
      join && (await this.#attempt(join.file, async () => readJoined(join.field, await this.#open(join.file))));
    if (join && !joined) return 1;
    try {
      for (const file of files) if (!signal.aborted) await this.#attempt(file, () => this.#import(file, joined));
      if (signal.aborted) this.#stopped('Stopped.');
    } catch (error) {
      if (!(error instanceof CliFailure)) throw error;
      this.#stopped(error.message);
    }
    if (this.#cards === 0) return 1;
    return this.#isComplete && this.#refused === 0 ? 0 : 2;
  }

  /** @throws UnreadableFile, when what can be read has been taken; CliFailure */
  async #import(file: string, joined: Joined | undefined): Promise<void> {
    const { flags, catalog, context, signal } = this.#options;
    const input = await this.#open(file);
    const { name } = input;
    const cardMaker = new CardMaker(flags, name, joined);
    const progress = startProgress(input, context.stderr);
    const [cardsBefore, refusedBefore] = [this.#cards, this.#refused];
    const shown: string[] = [];
    let news = 0;
    try {
      await catalog.beginImport(name);
      for await (const rows of inBatches(this.#rows(input, cardMaker), signal)) {
        const cards = rows.flatMap((row) => {
          const card = 'refused' in row ? row.refused : cardMaker.cardOf(row);
          if (typeof card !== 'string') return card;
          if (this.#refused++ < SHOWN_REFUSALS) shown.push(`${name}: ${row.place} ${card}.`);
          return [];
        });
        news += (await catalog.take(cards, name)).length;
        this.#cards += cards.length;
        progress.update(this.#cards - cardsBefore);
      }
    } finally {
      progress.stop();
      const refused = this.#refused - refusedBefore;
      for (const line of shown) this.#say(line);
      if (refused > shown.length) this.#say(`${name}: ${counted(refused - shown.length)} more were refused.`);
      const [cards, different] = [counted(this.#cards - cardsBefore), counted(news)];
      context.stdout.write(`${name}: ${cards} cards, ${different} new or changed; ${counted(refused)} refused\n`);
    }
  }

  /** @throws UnreadableFile when there is no row, or no column for what a card needs */
  async *#rows(input: Input, cardMaker: CardMaker): AsyncGenerator<ReadRow> {
    const { rows: path } = this.#options.flags;
    const { hasColumns, rows } = readRows(input, path);
    let isEmpty = true;
    for await (const row of rows) {
      if (isEmpty && hasColumns && 'value' in row) checkColumns(row, cardMaker);
      isEmpty = false;
      yield row;
    }
    if (isEmpty) throw new UnreadableFile(path === undefined ? 'holds no cards' : `holds no cards at ${path}`);
  }

  #open(file: string): Promise<Input> {
    const { folder, stdin } = this.#options.context;
    return openInput(file === '-' ? stdin : resolve(folder, file));
  }

  /** @returns `undefined` when the file cannot be read, or not to its end, which the operator is told */
  async #attempt<T>(file: string, work: () => Promise<T>): Promise<T | undefined> {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof UnreadableFile)) throw error;
      this.#isComplete = false;
      this.#say(`${file === '-' ? 'Standard input' : file} ${error.message}.`);
      return undefined;
    }
  }

  #stopped(why: string): void {
    this.#isComplete = false;
    const done = this.#cards === 0 ? 'No card was taken' : `${counted(this.#cards)} cards were taken before, and stay`;
    this.#say(`${why} ${done}. Run the same command again for the rest.`);
  }

  #say(line: string): void {
    this.#options.context.stderr.write(`${line}\n`);
  }
}

/** Ends early after `signal`. An error comes after what was read before it. */
async function* inBatches<T>(items: AsyncIterable<T>, signal: AbortSignal): AsyncGenerator<T[]> {
  let batch: T[] = [];
  try {
    for await (const item of items) {
      if (signal.aborted) break;
      if (batch.push(item) < BATCH) continue;
      yield batch;
      batch = [];
    }
  } catch (error) {
    if (batch.length > 0) yield batch;
    throw error;
  }
  if (batch.length > 0) yield batch;
}

function checkColumns(row: SourceRow, cardMaker: CardMaker): void {
  const missing = cardMaker.missingIn(row);
  if (missing.length === 0) return;
  const columns = Object.keys(row.value).join(', ');
  throw new UnreadableFile(
    `has no column ${missing.join(' and no ')} (it has ${columns}): say with --map what is what`,
  );
}
