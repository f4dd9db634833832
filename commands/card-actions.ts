import type { ChoiceIds } from '../src/render/card-list.ts';

/** How a button or a menu of `/card` shows a card. A menu's custom id has no `cardId`: the selected value is the id. */
interface CardChoice {
  showPrices: boolean;
  isPrivate: boolean;
  cardId?: string;
}

/** What a button or a menu of `/card` does; it is all in the custom id. */
export type CardAction =
  | ({ kind: 'show' } & CardChoice)
  /** The other printings of a card, or all cards of its name. An action with a page replaces the message that has the button. */
  | ({ kind: 'printings' | 'named'; page?: number | undefined } & Required<CardChoice>)
  | HistoryAction
  | { kind: 'delete' };

/** The price of a card over the last days; without `days`, as far back as there are prices. */
export interface HistoryAction {
  kind: 'history';
  days?: number | undefined;
  isPrivate: boolean;
  cardId: string;
}

/** The custom ids of the cards that a reply offers. @param cardId one of those that have further pages */
export function choiceIds(
  { showPrices, isPrivate }: CardChoice,
  cardId = '',
  kind: 'printings' | 'named' = 'named',
): ChoiceIds {
  const options = { showPrices, isPrivate };
  return {
    menu: customId({ kind: 'show', ...options }),
    show: (id) => customId({ kind: 'show', ...options, cardId: id }),
    page: (page) => customId({ kind, ...options, page, cardId }),
  };
}

/** The argument holds the kind, `n` (no prices), `p` (private), the page or the days, and the id, which may hold any character. */
const ARGUMENT = /^(show|printings|named|history):(n?)(p?)(0|[1-9]\d{0,3})?(?::(.+))?$/s;
const DELETE = 'delete';

/** Messages keep their buttons for years: one whose form has changed since answers that the message is too old. */
export function customId(action: CardAction): string {
  if (action.kind === 'delete') return `card:${DELETE}`;
  const { kind, isPrivate, cardId } = action;
  const isWithoutPrices = kind !== 'history' && !action.showPrices;
  const number = kind === 'show' ? undefined : kind === 'history' ? action.days : action.page;
  const options = `${isWithoutPrices ? 'n' : ''}${isPrivate ? 'p' : ''}${number ?? ''}`;
  return `card:${kind}:${options}${cardId === undefined ? '' : `:${cardId}`}`;
}

/** @param argument the custom id without the command's name. @returns `undefined` when the bot never gave it out */
export function readAction(argument: string): CardAction | undefined {
  if (argument === DELETE) return { kind: 'delete' };
  const [, kind, noPrices, isPrivate, digits, cardId] = ARGUMENT.exec(argument) ?? [];
  const choice = { showPrices: !noPrices, isPrivate: Boolean(isPrivate) };
  const number = digits === undefined ? undefined : Number(digits);
  if (kind === 'show' && number === undefined) return { kind, ...choice, ...(cardId && { cardId }) };
  if (!cardId || (kind === 'history' && noPrices)) return undefined;
  if (kind === 'history') return { kind, isPrivate: choice.isPrivate, days: number, cardId };
  return kind === 'printings' || kind === 'named' ? { kind, ...choice, page: number, cardId } : undefined;
}
