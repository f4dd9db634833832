import type { CliContext } from '../context.ts';
import type { Input } from './input.ts';
import { ProgressLine } from './progress-line.ts';

/** These count for all files together, so that one mistake in each of them does not fill the screen. */
const SHOWN_REFUSALS = 20;
/** When there are more files than this, only those with a fault have a line of their own. */
const SHOWN_FILES = 20;
/** The report names at most so many ids that came twice, and so many files without cards. */
const SHOWN_NAMES = 5;

export function counted(count: number): string {
  return count.toLocaleString('en');
}

/** What is warned of once, at the end: by the sentence, as it goes on after one example and after several. */
const WARNINGS = {
  renamed: [
    'has another name now: if it is another card, make ids with `--id-template`',
    'have another name now: if they are other cards, make ids with `--id-template`',
  ],
  rounded: [
    'is an id that a spreadsheet has rounded: export the list again with ids as text',
    'are ids that a spreadsheet has rounded: export the list again with ids as text',
  ],
} as const;

class Tally {
  cards = 0;
  news = 0;
  refused = 0;
  readonly twice = new Set<string>();

  line(of: string): string {
    const { cards, news, refused, twice } = this;
    const ids = `${counted(twice.size)} ${twice.size === 1 ? 'id' : 'ids'}`;
    const more = twice.size === 0 ? '' : `; ${ids} came twice, the last counts (${some([...twice])})`;
    return `${of}: ${counted(cards)} ${cards === 1 ? 'card' : 'cards'}, ${counted(news)} new or changed; ${counted(refused)} refused${more}\n`;
  }
}

/**
 * Tells an operator what becomes of the files of an import, of each and of all: results on standard output, the rest on
 * standard error.
 */
export class ImportReport {
  readonly #context: CliContext;
  readonly #files: number;
  readonly #ids = new Set<string>();
  readonly #empty: string[] = [];
  readonly #all = new Tally();
  readonly #warnings = new Map<keyof typeof WARNINGS, { example: string; count: number }>();
  #isComplete = true;
  #file = new Tally();
  #input: Pick<Input, 'name' | 'shareRead'> = { name: '', shareRead: () => undefined };
  readonly #line: ProgressLine;

  constructor(files: number, context: CliContext) {
    this.#files = files;
    this.#context = context;
    this.#line = new ProgressLine(context.stderr);
  }

  /** How many were taken. */
  get cards(): number {
    return this.#all.cards;
  }

  /** What follows is about this file. */
  begin(input: Input): void {
    this.#input = input;
    this.#file = new Tally();
  }

  refused(place: string, why: string): void {
    for (const tally of [this.#file, this.#all]) tally.refused++;
    if (this.#all.refused <= SHOWN_REFUSALS) this.say(`${this.#input.name}: ${place} ${why}.`);
  }

  /** A card was read that will be taken. */
  read(id: string): void {
    if (this.#ids.has(id)) for (const tally of [this.#file, this.#all]) tally.twice.add(id);
    this.#ids.add(id);
  }

  warn(of: keyof typeof WARNINGS, example: string): void {
    const first = this.#warnings.get(of);
    this.#warnings.set(of, { example: first?.example ?? example, count: (first?.count ?? 0) + 1 });
  }

  took(cards: number, news: number): void {
    for (const tally of [this.#file, this.#all]) {
      tally.cards += cards;
      tally.news += news;
    }
    const { name, shareRead } = this.#input;
    const share = shareRead();
    const percent = share === undefined ? '' : `${Math.floor(100 * share)} %, `;
    this.#line.show(`${name}: ${percent}${counted(this.#file.cards)} cards`);
  }

  /** The file has been read; it may have been cut off. */
  finish(): void {
    this.#line.replaceBy('');
    const { refused } = this.#file;
    if (this.#files <= SHOWN_FILES || refused > 0) this.#context.stdout.write(this.#file.line(this.#input.name));
  }

  /** The file was read to its end. */
  isWhole(): void {
    const { cards, refused } = this.#file;
    if (cards + refused === 0) this.#empty.push(this.#input.name);
  }

  /** Something is not taken that is no row of a file. */
  isIncomplete(why: string): void {
    this.#isComplete = false;
    this.say(why);
  }

  stopped(why: string): void {
    const { cards } = this.#all;
    const done = cards === 0 ? 'No card was taken' : `${counted(cards)} cards were taken before, and stay`;
    this.isIncomplete(`${why} ${done}. Run the same command again for the rest.`);
  }

  /**
   * @param where cards were looked for, as in ` at data`
   * @param unfound what of the mapping had no value in any card
   * @returns the exit code: 0 everything was taken, 2 only a part, 1 nothing
   */
  end(where: string, unfound: readonly string[]): number {
    const { cards, refused } = this.#all;
    const [empty] = this.#empty;
    if (refused > SHOWN_REFUSALS) this.say(`${counted(refused - SHOWN_REFUSALS)} more were refused.`);
    if (this.#empty.length > 1)
      this.say(`${counted(this.#empty.length)} files hold no cards${where} (${some(this.#empty)}).`);
    else if (empty !== undefined) this.say(`${empty} holds no cards${where}.`);
    if (cards > 0) for (const mapped of unfound) this.say(`--map ${mapped} found nothing in any card.`);
    for (const [of, { example, count }] of this.#warnings) {
      const [alone, several] = WARNINGS[of];
      this.say(`${example}${count === 1 ? ` ${alone}` : `, and ${counted(count - 1)} more ${several}`}.`);
    }
    if (this.#files > 1) this.#context.stdout.write(this.#all.line(`All ${counted(this.#files)} files`));
    if (cards === 0) return 1;
    return this.#isComplete && refused === 0 ? 0 : 2;
  }

  say(line: string): void {
    this.#line.replaceBy(`${line}\n`);
  }
}

function some(names: readonly string[]): string {
  return names.slice(0, SHOWN_NAMES).join(', ') + (names.length > SHOWN_NAMES ? ', …' : '');
}
