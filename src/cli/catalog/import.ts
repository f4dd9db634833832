import { basename } from 'node:path';
import type { CatalogDatabase } from '../../catalog/database.ts';
import { type CatalogCard, nameKey } from '../../catalog/text.ts';
import { plainText } from '../../render/formats.ts';
import { sqliteCode } from '../../storage/sqlite/file.ts';
import { type CliContext, CliFailure } from '../context.ts';
import { cardReader, type Join, type Joined, lackOf, type Mapping, readJoined } from './card.ts';
import { type List, rowsOf, Unusable } from './rows.ts';

/** What is imported, and how its rows are read. */
export interface Given {
  lists: readonly List[];
  flags: Mapping;
  joins: readonly Join[];
}

interface Options extends Given, CliContext {
  catalog: CatalogDatabase;
  /** Ends the import after the cards that it has. */
  signal: AbortSignal;
}

/** `20,106`, or with what is counted: `1 card`, `20,106 cards`. */
export function counted(count: number, what?: string): string {
  const figure = count.toLocaleString('en');
  return what === undefined ? figure : `${figure} ${what}${count === 1 ? '' : 's'}`;
}

/** In one transaction, which keeps other writers out: some 50 ms. With 500 an import takes a third longer. */
const BATCH = 2_000;
/** More are only counted: one mistake in each line must not fill the screen. */
const SHOWN_REFUSALS = 20;
const LONGEST_EXAMPLES = 100;

/** An import of lists, which tells what became of them. */
export class Import {
  readonly #options: Options;
  readonly #joined: Joined[] = [];
  /** Cards of a list that are not written yet, each with its place. */
  #read = new Map<CatalogCard, string>();
  #cards = 0;
  #news = 0;
  #refused = 0;
  readonly #ids = new Set<string>();
  readonly #twice = new Set<string>();
  readonly #filled = new Set<string>();
  readonly #empty: string[] = [];
  readonly #renamed: string[] = [];
  /** Which fields the first card that was refused lacks, and its file. */
  #lack: string | false | undefined;

  constructor(options: Options) {
    this.#options = options;
  }

  /**
   * Imports one list after the other.
   *
   * @returns the exit code: 0 everything was taken, 2 only a part, 1 nothing
   * @throws CliFailure when what is joined cannot be had
   */
  async run(): Promise<number> {
    const { lists, joins, signal } = this.#options;
    for (const join of joins) this.#joined.push(await readJoined(join));
    let isWhole = true;
    try {
      for (const list of lists) await this.#take(list);
    } catch (error) {
      const why = signal.aborted ? 'Stopped.' : error instanceof CliFailure && error.message;
      if (!why) throw error;
      isWhole = false;
      this.#say(`${why} What was taken stays. Run the same command again for the rest`);
    }
    this.#warn();
    const what = lists.length === 1 ? lists[0]?.name : `All ${counted(lists.length, 'file')}`;
    const taken = `${counted(this.#cards, 'card')}, ${counted(this.#news)} new or changed`;
    const twice = this.#twice.size > 0 ? `; ${examples(this.#twice, 'id')} came twice, the last counts` : '';
    this.#options.stdout.write(`${what}: ${taken}; ${counted(this.#refused)} refused${twice}\n`);
    if (this.#cards === 0) return 1;
    return isWhole && this.#refused === 0 ? 0 : 2;
  }

  /** Takes what of a list can be used. @throws CliFailure */
  async #take(list: List): Promise<void> {
    const { flags, signal } = this.#options;
    const file = basename(list.name);
    let isEmpty = true;
    try {
      const { isTable, rows } = await rowsOf(list.bytes(), flags.rows, JSON.stringify(flags).includes('../'));
      const cardOf = cardReader(flags, this.#joined, file.replace(/(?<=.)\..*$/, ''), isTable);
      for await (const row of rows) {
        signal.throwIfAborted();
        isEmpty = false;
        try {
          this.#read.set(cardOf(row), row.place);
        } catch (error) {
          const lack = row.refused === undefined && lackOf(flags, row.value);
          if (lack && isTable) throw new Unusable(lack); // no other row has more fields
          this.#lack ||= lack && `${list.name} ${lack}`;
          this.#refuse(`${list.name}: ${row.place}`, error);
        }
        if (this.#read.size >= BATCH) this.#write(list);
      }
      if (isEmpty) this.#empty.push(file);
    } catch (error) {
      this.#refuse(list.name, error);
    } finally {
      this.#write(list);
    }
  }

  /** Writes the cards that were read in one transaction. @throws CliFailure */
  #write({ name, source }: List): void {
    const { catalog } = this.#options;
    const places = this.#read;
    if (places.size === 0) return;
    if (catalog.isReplaced())
      throw new CliFailure(
        `${catalog.file} was moved away meanwhile, as the bot does when it is corrupt. Run this again.`,
      );
    this.#read = new Map();
    try {
      catalog.beginImport(source);
      this.#news += catalog.upsert([...places.keys()], source, (card, stored) => {
        if (stored.name === card.name || nameKey(stored.name) === nameKey(card.name)) return true;
        // Different games number their cards alike, and so may the lists of one game.
        if (card.game && stored.game && card.game.toLowerCase() !== stored.game.toLowerCase()) {
          const why = new Unusable(`has the id of ${stored.name}, a card of ${stored.game}`);
          this.#refuse(`${name}: ${places.get(card)}`, why);
          return !places.delete(card);
        }
        if (stored.confirmed !== 1) this.#renamed.push(`${card.id}: ${stored.name} → ${card.name}`);
        return true;
      });
    } catch (error) {
      if (sqliteCode(error) === undefined) throw error;
      throw new CliFailure(`${catalog.file} cannot be written (${Object(error).message}).`, { cause: error });
    }
    this.#cards += places.size;
    for (const card of places.keys()) {
      if (this.#ids.has(card.id)) this.#twice.add(card.id);
      this.#ids.add(card.id);
      for (const [field, value] of Object.entries(card)) if (value !== undefined) this.#filled.add(field);
    }
  }

  /** A row or a file is not taken. @throws what is no reason for that */
  #refuse(what: string, error: unknown): void {
    if (!(error instanceof Unusable)) throw error;
    if (++this.#refused <= SHOWN_REFUSALS) this.#say(`${what} ${error.message}`);
  }

  #say(sentence: string): void {
    this.#options.stderr.write(`${sentence}.\n`);
  }

  #warn(): void {
    const { map = {}, rows } = this.#options.flags;
    const where = rows === undefined ? '' : ` at ${rows}`;
    if (this.#refused > SHOWN_REFUSALS) this.#say(`${counted(this.#refused - SHOWN_REFUSALS)} more were refused`);
    if (this.#empty.length > 0) this.#say(`No cards${where} in ${examples(this.#empty, 'file')}`);
    if (this.#cards === 0 && this.#lack) this.#say(this.#lack);
    for (const [field, source] of Object.entries(map))
      if (this.#cards > 0 && !this.#filled.has(field)) this.#say(`--map ${field}=${source} found nothing in any card`);
    if (this.#renamed.length > 0)
      this.#say(
        `New names for ${examples(this.#renamed, 'id')}: if these are other cards, make ids with --id-template`,
      );
  }
}

function examples(names: Iterable<string>, what: string): string {
  const all = [...names];
  return `${counted(all.length, what)} (${plainText(all.join(', '), LONGEST_EXAMPLES)})`;
}
