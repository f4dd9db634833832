import type { CardIndex, WordToFind } from './card-index.ts';

/** What can be mistyped; a shorter word is too often one error apart from another. */
const SPELLED = /^\p{L}{4,}$/u;
/** A number is typed in full before the next word is begun, and so is a short word. */
const MAY_BEGIN = /^(?!\d+$).{3}/su;

/** A word of a search, and as what it is looked for. */
export class TypedWord {
  readonly text: string;
  /** Whole, or as a beginning. */
  readonly asTyped: readonly WordToFind[];
  readonly #index: CardIndex;
  #isKnown: boolean | undefined;
  #meant: readonly WordToFind[] | undefined;

  constructor(index: CardIndex, text: string, isLast: boolean) {
    this.#index = index;
    this.text = text;
    this.asTyped = [{ word: text, begins: isLast || MAY_BEGIN.test(text) }];
  }

  /** A card has a word that begins so. */
  get isKnown(): boolean {
    this.#isKnown ??= this.#index.hasWords([this.asTyped.map((each) => ({ ...each, begins: true }))]);
    return this.#isKnown;
  }

  /** Words of names that may be meant. */
  get meant(): readonly WordToFind[] {
    const meant = () => (SPELLED.test(this.text) ? this.#index.vocabulary().meantBy(this.text) : []);
    this.#meant ??= meant().map((each) => ({ ...each, begins: false, inName: true }));
    return this.#meant;
  }

  /** The word as it was typed or, if no card has it like that, the words that may be meant. */
  get likely(): readonly WordToFind[] {
    return this.isKnown ? this.asTyped : this.meant;
  }
}
