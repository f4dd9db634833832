import { resolve } from 'node:path';
import type { CliContext } from '../context.ts';
import { CardMaker, type Mapping } from './card-maker.ts';
import type { Joined } from './field-source.ts';
import { importFile } from './import-file.ts';
import { type Input, openInput } from './input.ts';
import { CatalogUnusable, type OpenCatalog } from './open-catalog.ts';
import { counted, startProgress } from './progress.ts';
import { readJoined } from './read-rows.ts';
import { UnreadableFile } from './source-row.ts';

export interface ImportFlags extends Mapping {
  /** Where cards stand in JSON documents; `undefined`: each is an array of them. */
  rows?: string | undefined;
  /** A field of the cards, and a file with a row for each of its values. */
  join?: { field: string; file: string } | undefined;
}

/** This counts for all files together, so that one mistake in each of them does not fill the screen. */
const SHOWN_REFUSALS = 20;

/** Imports files one after the other, and says what became of each. */
export class FilesImport {
  readonly #flags: ImportFlags;
  readonly #catalog: OpenCatalog;
  readonly #context: CliContext;
  readonly #signal: AbortSignal;
  #cards = 0;
  #refused = 0;
  #isComplete = true;

  /** @param signal ends the import after the batch that it has */
  constructor(flags: ImportFlags, catalog: OpenCatalog, context: CliContext, signal: AbortSignal) {
    this.#flags = flags;
    this.#catalog = catalog;
    this.#context = context;
    this.#signal = signal;
  }

  /** @returns the exit code: 0 everything was taken, 2 only a part, 1 nothing */
  async run(files: readonly string[]): Promise<number> {
    const { join } = this.#flags;
    const signal = this.#signal;
    const joined =
      join && (await this.#attempt(join.file, async () => readJoined(join.field, await this.#open(join.file))));
    if (join && !joined) return 1;
    try {
      for (const file of files) if (!signal.aborted) await this.#attempt(file, () => this.#import(file, joined));
      if (signal.aborted) this.#stopped('Stopped.');
    } catch (error) {
      if (!(error instanceof CatalogUnusable)) throw error;
      this.#stopped(error.message);
    }
    if (this.#cards === 0) return 1;
    return this.#isComplete && this.#refused === 0 ? 0 : 2;
  }

  async #import(file: string, joined: Joined | undefined): Promise<void> {
    const { stdout, stderr } = this.#context;
    const input = await this.#open(file);
    const progress = startProgress(input, stderr);
    const [cardsBefore, refusedBefore] = [this.#cards, this.#refused];
    const shown: string[] = [];
    let news = 0;
    try {
      await importFile({
        input,
        cardMaker: new CardMaker(this.#flags, input.name, joined),
        rowsPath: this.#flags.rows,
        catalog: this.#catalog,
        signal: this.#signal,
        onTaken: (cards, newCards) => {
          this.#cards += cards;
          news += newCards;
          progress.update(this.#cards - cardsBefore);
        },
        onRefused: ({ place, refused }) => {
          if (this.#refused++ < SHOWN_REFUSALS) shown.push(`${input.name}: ${place} ${refused}.`);
        },
      });
    } finally {
      progress.stop();
      const refused = this.#refused - refusedBefore;
      for (const line of shown) this.#say(line);
      if (refused > shown.length) this.#say(`${input.name}: ${counted(refused - shown.length)} more were refused.`);
      const [cards, different] = [counted(this.#cards - cardsBefore), counted(news)];
      stdout.write(`${input.name}: ${cards} cards, ${different} new or changed; ${counted(refused)} refused\n`);
    }
  }

  #open(file: string): Promise<Input> {
    const { folder, stdin } = this.#context;
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
    this.#context.stderr.write(`${line}\n`);
  }
}
