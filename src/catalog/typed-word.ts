import type { CardIndex, WordToFind } from './card-index.ts';

/** What can be mistyped; a shorter word is too often one error apart from another. */
const SPELLED = /^\p{L}{4,}$/u;
/** A digit beside the key that was meant, as in `germinat3`. */
const SLIPPED = /^(?:\p{L}+ )?\d(?: \p{L}+)?$/u;
const FEWEST_SLIPPED = 5;
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
    const meant = () => (this.#spelled === undefined ? [] : this.#index.vocabulary().meantBy(this.#spelled));
    this.#meant ??= meant().map((each) => ({ ...each, begins: false, inName: true }));
    return this.#meant;
  }

  /** As what it may be mistyped. A word with a digit is rather a number or an id, unless no card has it. */
  get #spelled(): string | undefined {
    if (SPELLED.test(this.text)) return this.text;
    const spelled = this.text.replaceAll(' ', '');
    return SLIPPED.test(this.text) && spelled.length >= FEWEST_SLIPPED && !this.isKnown ? spelled : undefined;
  }

  /** The word as it was typed or, if no card has it like that, the words that may be meant. */
  get likely(): readonly WordToFind[] {
    return this.isKnown ? this.asTyped : this.meant;
  }
}
