import type { CatalogCard } from './catalog-card.ts';
import type { Vocabulary } from './typing-error.ts';

/** A word to be found: its tokens next to each other. */
export interface WordToFind {
  /** With blanks between the tokens. */
  word: string;
  /** Whether the last token may be only the beginning of one. */
  begins: boolean;
  /** It counts only in the name. */
  inName?: boolean;
  /**
   * The typing errors between this word and what was typed, a half more when it begins otherwise; absent without any.
   */
  errors?: number;
}

/** How often a card was asked for. */
export interface Popularity {
  here: number;
  everywhere: number;
}

/** A card that may be what is searched for. */
export interface Candidate {
  card: CatalogCard;
  /** The service denied it: it comes last. */
  isDenied: boolean;
  /** How many cards are called so: the nearest to "well known" that lists tell. */
  printings: number;
  /** Comes first among cards that fit equally well: how near its name is to what was typed. */
  place?: number;
}

/** The indexes of the catalog; each answer is bounded, so that a search takes milliseconds. Methods throw. */
export interface CardIndex {
  withIdKey(idKey: string): Candidate[];
  /** @param most as many are enough */
  withNameKey(nameKey: string, most?: number): Candidate[];
  /**
   * A few cards of each name that begins with these words, also when it is written in one. First those in which a word
   * ends there, then the name with the most cards of each word that is begun, by how many cards that word begins; then
   * the others.
   */
  withNameBeginning(words: string): Candidate[];
  /** A few cards of each name whose words, from the first, may begin with these; none for one word. */
  withWordsBegun(words: string): Candidate[];
  /** Cards that have one word of each list; of very many those that it tells most of. */
  withWords(all: readonly (readonly WordToFind[])[]): Candidate[];
  /** The same, `undefined` when they are very many. */
  allWithWords(all: readonly (readonly WordToFind[])[]): Candidate[] | undefined;
  /** How many cards have one word of each list. */
  countWithWords(all: readonly (readonly WordToFind[])[]): number;
  /** Whether there is such a card. */
  hasWords(all: readonly (readonly WordToFind[])[]): boolean;
  /** What this server and everybody ask for most: what this server does first. */
  askedMost(guildId: string | undefined): (Candidate & { asked: Popularity })[];
  /** What the member asked for last, newest first. */
  lastAsked(memberId: string): CatalogCard[];
  vocabulary(): Vocabulary;
  /** Whether a confirmed id has this form, however few are known. */
  isConfirmedForm(form: string): boolean;
  /** Whether an id of an imported list has this form of `looseFormOf`, or any with `null`. */
  hasImportedForm(form: string | null): boolean;
  /** Whether a confirmed id is a number of so many digits and nothing else. */
  hasConfirmedNumber(digits: number): boolean;
  /** How many ids are confirmed. */
  confirmedIds(): number;
}
