/** What a member types into the form of a watch. */
export interface TypedLines {
  above: string;
  below: string;
}

/** A form, and what stands in it. */
export interface FormOfCard extends TypedLines {
  cardId: string;
}

/** Begins the custom id of a button for a form with nothing in it; the card's id follows. On the way of a `/card` no function is called for it. */
export const EMPTY_FORM = 'watch:form:::';

const FORM = /^form:((?:[^%:]|%25|%3A)*):((?:[^%:]|%25|%3A)*):(.+)$/s;

/** The custom id of a form, and of a button that opens it with what was typed before. Such as `watch:form:45::base1-4`. */
export function formId({ above, below, cardId }: FormOfCard): string {
  const [upper, lower] = [above, below].map((text) => text.replace(/[%:]/g, encodeURIComponent));
  return `watch:form:${upper}:${lower}:${cardId}`;
}

/** @param argument the custom id without the command's name. @returns `undefined` when the bot never gave it out */
export function readForm(argument: string): FormOfCard | undefined {
  const [, above = '', below = '', cardId] = FORM.exec(argument) ?? [];
  const typed = (text: string) => text.replace(/%../g, decodeURIComponent);
  return cardId === undefined ? undefined : { above: typed(above), below: typed(below), cardId };
}
