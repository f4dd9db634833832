import type { Response } from '../src/discord/interactions/command.ts';
import { type ListedCard, severalCards, unknownCard } from '../src/render/card-list.ts';
import type { CardRequest } from './card-answer.ts';

/** Which of these cards is meant, as a menu that the member alone sees. */
export function offerCards(cards: readonly ListedCard[], { query, isPrivate }: CardRequest, locale: string): Response {
  const menuId = customId({ showPrices: query.showPrices, isPrivate });
  return inPrivate(severalCards(locale, cards, menuId));
}

/** No known card is called so: cards of similar names, and a button that asks the card service all the same. */
export function offerSimilar(
  similar: readonly ListedCard[],
  { query, isPrivate }: CardRequest,
  locale: string,
): Response {
  const { cardId: text, showPrices } = query;
  const menuId = customId({ showPrices, isPrivate });
  const askId = customId({ showPrices, isPrivate, cardId: text });
  return inPrivate(unknownCard({ locale, text, similar, menuId, askId }));
}

/** What a button or a menu of `/card` shows; of a menu without the id, which is what is selected in it. */
export interface CardChoice {
  showPrices: boolean;
  isPrivate: boolean;
  cardId?: string;
}

/** `show:`, the options that are not as usual as letters, and the id, which may hold anything. */
const ARGUMENT = /^show:(n?)(p?)(?::(.+))?$/s;

/** Messages keep their buttons for years, so a custom id that was once given out has to be read for ever. */
export function customId({ showPrices, isPrivate, cardId }: CardChoice): string {
  const options = `${showPrices ? '' : 'n'}${isPrivate ? 'p' : ''}`;
  return `card:show:${options}${cardId === undefined ? '' : `:${cardId}`}`;
}

/** @param argument the custom id without the command's name. @returns `undefined` for any that was not given out */
export function readChoice(argument: string): CardChoice | undefined {
  const [isRead, noPrices, isPrivate, cardId] = ARGUMENT.exec(argument) ?? [];
  if (isRead === undefined) return undefined;
  return { showPrices: !noPrices, isPrivate: Boolean(isPrivate), ...(cardId && { cardId }) };
}

function inPrivate(message: ReturnType<typeof severalCards>): Response {
  return { kind: 'reply', private: true, source: 'bot', message };
}
