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
