import { type Card, Prices } from '../model/card.ts';
import { UnexpectedAnswer } from '../model/errors.ts';
import { type Answer, isObject, ownMember, written } from '../model/field-source.ts';
import type { ServiceDescription } from '../model/service-description.ts';
import { CardAnswer, DescribedCardAnswer, type OnUnread, read } from './answers.ts';

/** More than any list has: reading what is listed must not keep the process busy. */
export const MOST_LISTED = 10_000;

/** A card as an answer has it. */
export interface AnsweredCard extends Card {
  /** Its prices of every row that has a market price, the one that is shown first; absent where there is at most one. */
  rows?: readonly Prices[];
}

/** Reads cards out of a service's answers, as its description says where they have what. */
export class CardReader {
  readonly description: ServiceDescription;
  readonly #onUnread: OnUnread | undefined;
  /** How many names the paths of all rows begin with together: they say nothing of which row one is. */
  readonly #sharedNames: number;
  readonly #distinguishing: readonly string[];

  constructor(description: ServiceDescription, onUnread?: OnUnread) {
    this.description = description;
    this.#onUnread = onUnread;
    const rows = description.prices?.rows ?? [];
    const named = rows.filter(({ text }) => text !== '').map(({ names }) => names);
    const [first = []] = named;
    const differing = first.findIndex((name, at) => named.some((names) => names[at] !== name));
    this.#sharedNames = differing < 0 ? Math.min(...named.map(({ length }) => length)) : differing;
    this.#distinguishing = [...new Set(rows.flatMap(({ filterNames }) => filterNames))];
  }

  /** @param value what stands where a card is expected */
  read(value: unknown): AnsweredCard | UnexpectedAnswer {
    const { isDefault, fields, game } = this.description;
    // The default interface's fields are the model's own, and an empty text is a text in it.
    if (isDefault) return read(CardAnswer, value, this.#onUnread);
    if (!isObject(value)) return read(DescribedCardAnswer, value);
    const answer: Answer = { value, none: this.description.none };
    const at = (field: keyof typeof fields) => fields[field]?.valueIn(answer);
    const [setId, setName] = [at('set.id'), at('set.name')];
    const rows = this.#rows(value);
    const priced = rows
      .flatMap((row) => pricesIn(row, this.#onUnread))
      .filter(({ market }) => market !== undefined)
      .filter(isFirstOfLabel);
    const card = read(
      DescribedCardAnswer,
      {
        ...{ id: at('id'), name: at('name'), tcg: at('tcg') ?? game, number: at('number'), rarity: at('rarity') },
        ...{ imageUrl: at('imageUrl'), pageUrl: at('pageUrl'), prices: priced[0] ?? rows[0] },
        set:
          setId === undefined && setName === undefined ? undefined : { id: setId ?? setName, name: setName ?? setId },
      },
      this.#onUnread,
    );
    if (card instanceof UnexpectedAnswer) {
      this.#tellOfRequired(answer);
      return card;
    }
    const shown = { ...card, rarity: card.rarity?.replaceAll('_', ' ') }; // such as Super_rare
    return priced.length < 2 ? shown : { ...shown, rows: priced };
  }

  #tellOfRequired(answer: Answer): void {
    for (const field of ['id', 'name'] as const) {
      const source = this.description.fields[field];
      if (source.valueIn(answer) === undefined) this.#onUnread?.(`fields.${field}`, leadsNowhere(source.texts));
    }
  }

  /** What stands in the body of an answer where the description has a card. */
  foundIn(body: unknown): unknown {
    const { at } = this.description.card;
    const found = at.map((path) => path.valueIn(body)).find((value) => value !== undefined);
    if (found === undefined) this.#onUnread?.('card.at', leadsNowhere(at.map(({ text }) => text)));
    return found;
  }

  /**
   * The card that was asked for, of what stands where the description says.
   *
   * @returns UnexpectedAnswer for something else, and for another card
   */
  cardOf(id: string, found: unknown): AnsweredCard | 'noSuchCard' | UnexpectedAnswer {
    const { isDefault } = this.description;
    if (isDefault) return this.read(found);
    if (!Array.isArray(found)) return this.#asAsked(id, found);
    if (found.length === 0) return 'noSuchCard';
    const cards = found.slice(0, MOST_LISTED).map((value) => this.#asAsked(id, value));
    return cards.find((card) => !(card instanceof UnexpectedAnswer)) ?? cards[0] ?? 'noSuchCard';
  }

  #asAsked(id: string, value: unknown): AnsweredCard | UnexpectedAnswer {
    const card = this.read(value);
    if (card instanceof UnexpectedAnswer || this.isOf(id, card, value)) return card;
    return new UnexpectedAnswer({ detail: 'it answered with another card' });
  }

  /** Whether a card may be asked for by this id. */
  isOf(id: string, card: AnsweredCard, value: unknown): boolean {
    return card.id === id || (this.description.card.also?.textsIn({ value }) ?? []).includes(id);
  }

  /** The card's price rows in the order of the description, as they stand in the answer. */
  #rows(card: object): unknown[] {
    const { prices, none } = this.description;
    if (!prices) return [];
    const { market, low, high, currency } = prices;
    const found = prices.rows.flatMap((path) => [...path.foundIn(card, (member) => this.#nameOf(member))]);
    return found.map(({ value, names }) => {
      const answer: Answer = { value, none };
      // What is no row is left as it is: it will not fit, and be reported.
      if (!isObject(value) && market.textIn(answer) === undefined) return value;
      const figures = { market: market.valueIn(answer), low: low?.valueIn(answer), high: high?.valueIn(answer) };
      const code = currency?.textIn(answer) ?? this.description.currency;
      if (code !== undefined && !/^[a-z]{3}$/i.test(code)) return {}; // rather none than one in another currency
      return { ...figures, currency: code, label: this.#labelOf(names) };
    });
  }

  /** What a member of an array is called: by what any filter tells members apart. */
  #nameOf(member: unknown): string {
    const values = this.#distinguishing.map((name) => written(ownMember(member, name) ?? ''));
    return values.filter(Boolean).join(', ');
  }

  #labelOf(names: readonly string[]): string | undefined {
    const { currency = '' } = this.description;
    const words = names.slice(this.#sharedNames).map((name) =>
      plainWords(name)
        .split(' ')
        .filter((word) => word.toLowerCase() !== currency.toLowerCase())
        .join(' '),
    );
    return words.filter(Boolean).join(', ') || undefined;
  }
}

/** For the log, of an answer in another shape than described. */
export function leadsNowhere(texts: readonly string[]): string {
  return `nothing in the answer at ${texts.map((text) => JSON.stringify(text)).join(' or ')}`;
}

/** `NEAR_MINT` and `reverse-holofoil` as somebody would write them. */
function plainWords(name: string): string {
  const words = name.replace(/[_-]+/g, ' ').trim();
  return words === words.toUpperCase() ? words.toLowerCase() : words;
}

/** Several paths may lead to the same row. */
function isFirstOfLabel({ label }: Prices, at: number, all: readonly Prices[]): boolean {
  return all.findIndex((other) => other.label === label) === at;
}

function pricesIn(row: unknown, onUnread: OnUnread | undefined): Prices | [] {
  const prices = read(Prices, row, (field, why) => onUnread?.(`prices.${field}`, why));
  return prices instanceof UnexpectedAnswer ? [] : prices;
}
