import type { CardQuery } from '../src/model/card.ts';
import { type ListedCard, otherPrintings, severalCards, unknownCard } from '../src/render/card-list.ts';
import { privately, type Reply } from './command.ts';

/** One card as a member wants to see it. */
export interface CardRequest {
  query: CardQuery;
  isPrivate: boolean;
}

/** Which of these cards is meant, as a menu that the member alone sees. */
export function offerCards(cards: readonly ListedCard[], { query, isPrivate }: CardRequest, locale: string): Reply {
  const menuId = customId({ kind: 'show', showPrices: query.showPrices, isPrivate });
  return privately(severalCards(locale, cards, menuId));
}

/**
 * No known card is called so: cards of similar names, and a button that asks the card service all the same.
 *
 * @param similar `undefined` when names cannot be searched right now
 */
export function offerSimilar(
  similar: readonly ListedCard[] | undefined,
  { query, isPrivate }: CardRequest,
  locale: string,
): Reply {
  const { cardId: text, showPrices } = query;
  const menuId = customId({ kind: 'show', showPrices, isPrivate });
  const askId = customId({ kind: 'show', showPrices, isPrivate, cardId: text });
  return privately(unknownCard({ locale, text, similar, menuId, askId }));
}

/** Other cards of the name of the one that is shown, as a menu that the member alone sees. */
export function offerPrintings(
  cards: readonly ListedCard[],
  choice: Omit<CardChoice, 'cardId'>,
  locale: string,
): Reply {
  const { showPrices, isPrivate } = choice;
  return privately(otherPrintings(locale, cards, customId({ kind: 'show', showPrices, isPrivate })));
}

/** What a button or a menu of `/card` shows; of a menu without the id, which is what is selected in it. */
export interface CardChoice {
  showPrices: boolean;
  isPrivate: boolean;
  cardId?: string;
}

/** What a button or a menu of `/card` does; it is all in the custom id. */
export type CardAction =
  | ({ kind: 'show' } & CardChoice)
  | ({ kind: 'printings' } & Required<CardChoice>)
  | { kind: 'delete' };

/** What it does, the options that are not as usual as letters, and the id, which may hold anything. */
const ARGUMENT = /^(show|printings):(n?)(p?)(?::(.+))?$/s;
const DELETE = 'delete';

/** Messages keep their buttons for years, so a custom id that was once given out has to be read for ever. */
export function customId(action: CardAction): string {
  if (action.kind === 'delete') return `card:${DELETE}`;
  const { kind, showPrices, isPrivate, cardId } = action;
  const options = `${showPrices ? '' : 'n'}${isPrivate ? 'p' : ''}`;
  return `card:${kind}:${options}${cardId === undefined ? '' : `:${cardId}`}`;
}

/** @param argument the custom id without the command's name. @returns `undefined` for any that was not given out */
export function readAction(argument: string): CardAction | undefined {
  if (argument === DELETE) return { kind: 'delete' };
  const [, kind, noPrices, isPrivate, cardId] = ARGUMENT.exec(argument) ?? [];
  const choice = { showPrices: !noPrices, isPrivate: Boolean(isPrivate) };
  if (kind === 'show') return { kind, ...choice, ...(cardId && { cardId }) };
  if (kind === 'printings' && cardId) return { kind, ...choice, cardId };
  return undefined;
}
