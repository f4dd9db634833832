import type { CliContext } from '../context.ts';
import { counted } from './progress.ts';

/** These count for all files together, so that one mistake in each of them does not fill the screen. */
const SHOWN_REFUSALS = 20;
/** When there are more files than this, only those with a fault have a line of their own. */
const SHOWN_FILES = 20;
/** The report names at most so many ids that came twice, and so many files without cards. */
const SHOWN_NAMES = 5;

class Counts {
  cards = 0;
  news = 0;
  refused = 0;
  readonly twice = new Set<string>();

  add({ cards, news, refused, twice }: Counts): void {
    this.cards += cards;
    this.news += news;
    this.refused += refused;
    for (const id of twice) this.twice.add(id);
  }

  line(of: string): string {
    const { cards, news, refused, twice } = this;
    const more =
      twice.size === 0
        ? ''
        : `; ${counted(twice.size)} ${twice.size === 1 ? 'id' : 'ids'} came twice, the last counts (${some(twice)})`;
    return `${of}: ${counted(cards)} cards, ${counted(news)} new or changed; ${counted(refused)} refused${more}\n`;
  }
}

/** Tells an operator what became of the files of an import, of each and of all. */
export class ImportReport {
  readonly #context: CliContext;
  readonly #files: number;
  readonly #all = new Counts();
  readonly #ids = new Set<string>();
  readonly #empty: string[] = [];
  #unfound: readonly string[] | undefined;
  #isComplete = true;
  #name = '';
  #file = new Counts();
  #refusals: string[] = [];

  constructor(files: number, context: CliContext) {
    this.#files = files;
    this.#context = context;
  }

  /** What follows is about this file. */
  begin(name: string): void {
    this.#name = name;
    this.#file = new Counts();
    this.#refusals = [];
  }

  refused(place: string, why: string): void {
    if (this.#all.refused + this.#file.refused++ < SHOWN_REFUSALS)
      this.#refusals.push(`${this.#name}: ${place} ${why}.`);
  }

  /** A card was read that will be taken. */
  read(id: string): void {
    if (this.#ids.has(id)) this.#file.twice.add(id);
    else this.#ids.add(id);
  }

  /** @returns how many cards of this file have been taken */
  took(cards: number, news: number): number {
    this.#file.news += news;
    this.#file.cards += cards;
    return this.#file.cards;
  }

  hasNoRow(): void {
    this.#empty.push(this.#name);
  }

  /** @param unfound what of the mapping this file has in no row */
  finish(unfound: readonly string[]): void {
    const { cards, refused } = this.#file;
    for (const line of this.#refusals) this.#say(line);
    const more = refused - this.#refusals.length;
    if (more > 0) this.#say(`${this.#name}: ${counted(more)} more were refused.`);
    if (this.#files <= SHOWN_FILES || refused > 0) this.#context.stdout.write(this.#file.line(this.#name));
    if (cards > 0) this.#unfound = this.#unfound?.filter((each) => unfound.includes(each)) ?? unfound;
    this.#all.add(this.#file);
  }

  cannotBeRead(file: string, why: string): void {
    this.#isComplete = false;
    this.#say(`${file} ${why}.`);
  }

  stopped(why: string): void {
    this.#isComplete = false;
    const { cards } = this.#all;
    const done = cards === 0 ? 'No card was taken' : `${counted(cards)} cards were taken before, and stay`;
    this.#say(`${why} ${done}. Run the same command again for the rest.`);
  }

  /**
   * @param where cards were looked for, as in ` at data`
   * @returns the exit code: 0 everything was taken, 2 only a part, 1 nothing
   */
  end(where: string): number {
    const [first, ...others] = this.#empty;
    if (others.length > 0)
      this.#say(`${counted(this.#empty.length)} files hold no cards${where} (${some(this.#empty)}).`);
    else if (first !== undefined) this.#say(`${first} holds no cards${where}.`);
    for (const mapped of this.#unfound ?? []) this.#say(`--map ${mapped} found nothing in any card.`);
    if (this.#files > 1) this.#context.stdout.write(this.#all.line(`All ${counted(this.#files)} files`));
    if (this.#all.cards === 0) return 1;
    return this.#isComplete && this.#all.refused === 0 ? 0 : 2;
  }

  #say(line: string): void {
    this.#context.stderr.write(`${line}\n`);
  }
}

function some(names: Iterable<string>): string {
  const all = [...names];
  return all.slice(0, SHOWN_NAMES).join(', ') + (all.length > SHOWN_NAMES ? ', …' : '');
}
