import { basename } from 'node:path';
import type { CatalogDatabase } from '../../catalog/database.ts';
import { type CatalogCard, nameKey } from '../../catalog/text.ts';
import { plainText } from '../../render/formats.ts';
import { sqliteCode } from '../../storage/sqlite/file.ts';
import { type CliContext, CliFailure } from '../context.ts';
import { cardReader, type Join, type Joined, lackOf, type Mapping, readJoined } from './card.ts';
import { type List, Unusable } from './input.ts';
import { rowsOf } from './rows.ts';

interface Options {
  flags: Mapping;
  joins: readonly Join[];
  catalog: CatalogDatabase;
  /** Ends the import after the cards that it has. */
  signal: AbortSignal;
}

/**
 * Imports lists one after the other, and tells what became of them.
 *
 * @returns the exit code: 0 everything was taken, 2 only a part, 1 nothing
 * @throws CliFailure when what is joined cannot be had
 */
export async function importLists(
  lists: readonly List[],
  options: Options,
  { stdout, stderr }: Pick<CliContext, 'stdout' | 'stderr'>,
): Promise<number> {
  const all = new Import(options, (sentence) => stderr.write(`${sentence}.\n`));
  const exitCode = await all.take(lists);
  stdout.write(`${lists.length === 1 ? lists[0]?.name : `All ${counted(lists.length, 'file')}`}: ${all.total}\n`);
  return exitCode;
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

/** Cards of a list that are not written yet, each with its place. */
type Batch = Map<CatalogCard, string>;

class Import {
  readonly #options: Options;
  readonly #joined: Joined[] = [];
  readonly #say: (sentence: string) => void;
  #cards = 0;
  #news = 0;
  #refused = 0;
  readonly #ids = new Set<string>();
  readonly #twice = new Set<string>();
  readonly #filled = new Set<string>();
  readonly #empty: string[] = [];
  readonly #renamed: string[] = [];
  /** Which fields the first card that was refused lacks, and its file. */
  #lack: string | undefined;

  constructor(options: Options, say: (sentence: string) => void) {
    this.#options = options;
    this.#say = say;
  }

  /** @returns the exit code */
  async take(lists: readonly List[]): Promise<number> {
    const { joins, signal } = this.#options;
    for (const join of joins) this.#joined.push(await readJoined(join));
    let isWhole = true;
    try {
      for (const list of lists) await this.#takeList(list);
    } catch (error) {
      const why = signal.aborted ? 'Stopped.' : error instanceof CliFailure && error.message;
      if (!why) throw error;
      isWhole = false;
      this.#say(`${why} What was taken stays. Run the same command again for the rest`);
    }
    this.#warn();
    if (this.#cards === 0) return 1;
    return isWhole && this.#refused === 0 ? 0 : 2;
  }

  get total(): string {
    const twice = this.#twice.size > 0 ? `; ${examples(this.#twice, 'id')} came twice, the last counts` : '';
    const news = `${counted(this.#news)} new or changed`;
    return `${counted(this.#cards, 'card')}, ${news}; ${counted(this.#refused)} refused${twice}`;
  }

  /** Takes what of a list can be used. @throws CliFailure */
  async #takeList(list: List): Promise<void> {
    const batch: Batch = new Map();
    try {
      await this.#read(list, batch);
    } catch (error) {
      this.#refuse(list.name, error);
    } finally {
      this.#write(batch, list);
    }
  }

  /** @param batch holds what is not written in the end @throws Unusable */
  async #read(list: List, batch: Batch): Promise<void> {
    const { flags, signal } = this.#options;
    const { isTable, rows } = await rowsOf(list.bytes(), flags.rows, JSON.stringify(flags).includes('../'));
    const file = basename(list.name).replace(/(?<=.)\..*$/, '');
    const cardOf = cardReader(flags, this.#joined, { file, isTable });
    let isEmpty = true;
    for await (const row of rows) {
      signal.throwIfAborted();
      isEmpty = false;
      try {
        batch.set(cardOf(row), row.place);
      } catch (error) {
        const lack = row.refused === undefined && lackOf(flags, row.value);
        if (lack && isTable) throw new Unusable(lack); // no other row has more fields
        if (lack) this.#lack ??= `${list.name} ${lack}`;
        this.#refuse(`${list.name}: ${row.place}`, error);
      }
      if (batch.size >= BATCH) this.#write(batch, list);
    }
    if (isEmpty) this.#empty.push(basename(list.name));
  }

  /** Writes cards in one transaction, and forgets them. @throws CliFailure */
  #write(batch: Batch, { name, source }: List): void {
    const { catalog } = this.#options;
    if (batch.size === 0) return;
    if (catalog.isReplaced())
      throw new CliFailure(
        `${catalog.file} was moved away meanwhile, as the bot does when it is corrupt. Run this again.`,
      );
    const places = new Map(batch);
    batch.clear();
    try {
      catalog.beginImport(source);
      const news = catalog.upsert([...places.keys()], source, (card, stored) => {
        if (stored.name === card.name || nameKey(stored.name) === nameKey(card.name)) return true;
        if (isOtherGame(card.game, stored.game)) {
          const why = new Unusable(`has the id of ${stored.name}, a card of ${stored.game}`);
          this.#refuse(`${name}: ${places.get(card)}`, why);
          return !places.delete(card);
        }
        if (stored.confirmed !== 1) this.#renamed.push(`${card.id}: ${stored.name} → ${card.name}`);
        return true;
      });
      this.#news += news.length;
    } catch (error) {
      if (sqliteCode(error) === undefined || !(error instanceof Error)) throw error;
      throw new CliFailure(`${catalog.file} cannot be written (${error.message}).`, { cause: error });
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

  #warn(): void {
    const { map = {}, rows } = this.#options.flags;
    const where = rows === undefined ? '' : ` at ${rows}`;
    if (this.#refused > SHOWN_REFUSALS) this.#say(`${counted(this.#refused - SHOWN_REFUSALS)} more were refused`);
    if (this.#empty.length > 0) this.#say(`No cards${where} in ${examples(this.#empty, 'file')}`);
    if (this.#cards === 0 && this.#lack !== undefined) this.#say(this.#lack);
    for (const [field, source] of Object.entries(map))
      if (this.#cards > 0 && !this.#filled.has(field)) this.#say(`--map ${field}=${source} found nothing in any card`);
    if (this.#renamed.length > 0)
      this.#say(
        `New names for ${examples(this.#renamed, 'id')}: if these are other cards, make ids with --id-template`,
      );
  }
}

/** Different games number their cards alike, and so may the lists of one game. */
function isOtherGame(game = '', stored: string | null): boolean {
  return game !== '' && Boolean(stored) && stored?.toLowerCase() !== game.toLowerCase();
}

function examples(names: Iterable<string>, what: string): string {
  const all = [...names];
  return `${counted(all.length, what)} (${plainText(all.join(', '), LONGEST_EXAMPLES)})`;
}
