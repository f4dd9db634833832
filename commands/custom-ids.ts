import type { ChoiceIds } from '../src/render/card-list.ts';
import type { Lines } from '../src/watches/watch.ts';

/** What a button or a menu does: it is all in its custom id. Messages keep their buttons for years. */
export interface Action {
  kind: string;
  /** Otherwise the prices are left out. */
  showPrices: boolean;
  isPrivate: boolean;
  /** A page, days, or requests. */
  number?: number | undefined;
  /** The id of a card, a list or a watch; absent when it is chosen from a menu. */
  id?: string | undefined;
}

/** Such as `card:show:np:base1-4`: the command that answers it, what that does, without prices, in private. */
export function customId(
  command: string,
  { kind, showPrices = true, isPrivate = false, number, id }: Partial<Action>,
): string {
  const options = `${showPrices ? '' : 'n'}${isPrivate ? 'p' : ''}${number ?? ''}`;
  return `${command}:${kind}:${options}${id === undefined ? '' : `:${id}`}`;
}

/** The id at the end may hold any character. */
const ARGUMENT = /^([a-z]+)(?::(n?)(p?)(0|[1-9]\d{0,3})?(?::(.+))?)?$/s;

/** @param argument the custom id without the command's name. @returns `undefined` when the bot never gave it out */
export function readAction(argument: string): Action | undefined {
  const [, kind, noPrices, isPrivate, digits, id] = ARGUMENT.exec(argument) ?? [];
  const number = digits === undefined ? undefined : Number(digits);
  return kind === undefined ? undefined : { kind, showPrices: !noPrices, isPrivate: Boolean(isPrivate), number, id };
}

/** The id of the button that takes a reply back. */
export const DELETE = 'card:delete';

/** The ids of the cards that a reply offers. @param cardId one of those that have further pages */
export function choiceIds(
  { showPrices, isPrivate }: Pick<Action, 'showPrices' | 'isPrivate'>,
  cardId = '',
  kind = 'named',
): ChoiceIds {
  const options = { kind: 'show', showPrices, isPrivate };
  return {
    menu: customId('card', options),
    show: (id) => customId('card', { ...options, id }),
    page: (number) => customId('card', { ...options, kind, number, id: cardId }),
  };
}

/** The form of a watch, and what a member types into it. */
export interface FormOfCard {
  above: string;
  below: string;
  cardId: string;
}

/**
 * Begins that of a form with nothing in it; the card's id follows. On the way of a `/card` no function is called for
 * it.
 */
export const EMPTY_FORM = 'watch:form::::';

const TYPED = /^((?:[^%:]|%25|%3A)*):((?:[^%:]|%25|%3A)*):(.+)$/s;

/** The id of a form, and of a button that opens it with what was typed before, such as `watch:form::45::base1-4`. */
export function formId({ above, below, cardId }: FormOfCard): string {
  const typed = [above, below].map((text) => text.replace(/[%:]/g, encodeURIComponent));
  return customId('watch', { kind: 'form', id: [...typed, cardId].join(':') });
}

/** @param argument the custom id without the command's name. @returns `undefined` when the bot never gave it out */
export function readForm(argument: string): FormOfCard | undefined {
  const { kind, id = '' } = readAction(argument) ?? {};
  const [, above = '', below = '', cardId] = (kind === 'form' && TYPED.exec(id)) || [];
  const typed = (text: string) => text.replace(/%../g, decodeURIComponent);
  return cardId === undefined ? undefined : { above: typed(above), below: typed(below), cardId };
}

/** The id of a menu of cards that may be watched, such as `watch:lines::40:30:`. */
export function linesId({ above, below, percent }: Lines): string {
  return customId('watch', { kind: 'lines', id: [above, below, percent].join(':') });
}

export function readLines(id: string): Lines {
  const [above, below, percent] = id.split(':').map((text) => (text === '' ? undefined : Number(text)));
  return { above, below, percent };
}
