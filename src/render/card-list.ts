import type { APIApplicationCommandOptionChoice } from 'discord-api-types/v10';
import { type ButtonRow, buttons, MAX_LENGTH, type MenuRow, menu } from './components.ts';
import { clip, plainMarkdown, plainText } from './formats.ts';
import { formatMessage, listed } from './messages.ts';

/** A card as a list shows it: it need not have been looked up. */
export interface ListedCard {
  id: string;
  name: string;
  set?: string | undefined;
  number?: string | undefined;
}

/** A reply of text, menus and buttons. */
export interface ListMessage {
  content: string;
  components: (ButtonRow | MenuRow)[];
}

/** Discord's limit of choices, and of options of a menu. */
const MAX_ROWS = 25;
const SET_LENGTH = 48;
const NUMBER_LENGTH = 20;
/** A text that a member typed is cut to this length in a sentence. */
const TEXT_LENGTH = 300;

/** Suggestions while an id is typed: the label is shown, the id is sent. */
export function cardChoices(locale: string, cards: readonly ListedCard[]): APIApplicationCommandOptionChoice<string>[] {
  return offered(cards).map((card) => ({ name: cardLabel(locale, card), value: card.id }));
}

/** A suggestion while a list is typed. */
export interface ListRow {
  /** What stands in front of the card, both in what is shown and in what is sent. */
  before: string;
  card: ListedCard;
  /** Another card has the same label: it ends with the id. */
  looksLikeOthers: boolean;
}

/**
 * Discord goes on from the label that was picked, so the label is whole or there is no row, and it has nothing that
 * separates two cards.
 */
export function listChoices(locale: string, rows: readonly ListRow[]): APIApplicationCommandOptionChoice<string>[] {
  const choices = rows.map(({ before, card: { id, ...card }, looksLikeOthers }) => {
    const [name = '', set, number] = [card.name, card.set, card.number].map(unseparated);
    const label = fullLabel(locale, { id, name, set, number });
    return { name: before + label + (looksLikeOthers ? ` · ${unseparated(id)}` : ''), value: before + id };
  });
  return choices
    .filter(({ name, value }) => name.length <= MAX_LENGTH && value.length <= MAX_LENGTH)
    .slice(0, MAX_ROWS);
}

function unseparated(text = ''): string {
  return text.replace(/[\s,;]+/g, ' ').trim();
}

/** `Name · Set · number` in at most 100 characters, without Markdown; what is absent is left out. */
export function cardLabel(locale: string, card: ListedCard): string {
  const full = fullLabel(locale, card);
  if (full.length <= MAX_LENGTH) return full;
  const { id, name, set = '', number = '' } = card;
  const printing = [plainText(set, SET_LENGTH), plainText(number, NUMBER_LENGTH)].filter(Boolean);
  const after = printing.map((part) => ` · ${part}`).join('');
  return clip(fullLabel(locale, { id, name }), MAX_LENGTH - after.length) + after;
}

function fullLabel(locale: string, { id, name, set = '', number = '' }: ListedCard): string {
  const [shownName, shownId, ...printing] = [name, id, set, number].map((text) => plainText(text, Infinity));
  return [shownName || shownId || formatMessage(locale, 'noName'), ...printing].filter(Boolean).join(' · ');
}

/** Which of several cards is meant. @param customId of the menu */
export function severalCards(locale: string, cards: readonly ListedCard[], customId: string): ListMessage {
  const rows = offered(cards);
  const content = formatMessage(locale, 'severalCards', { cards: rows.length });
  return { content, components: menus(locale, rows, customId) };
}

/** Other cards of the name of one that is shown. @param customId of the menu */
export function otherPrintings(locale: string, cards: readonly ListedCard[], customId: string): ListMessage {
  const rows = offered(cards);
  if (rows.length === 0) return { content: formatMessage(locale, 'noOtherPrintings'), components: [] };
  const content = formatMessage(locale, 'otherPrintings', { cards: rows.length });
  return { content, components: menus(locale, rows, customId) };
}

/** What no known card is called. */
export interface UnknownCard {
  locale: string;
  /** What the member typed. */
  text: string;
  /** Cards with similar names; absent when names cannot be searched right now. */
  similar?: readonly ListedCard[];
  menuId: string;
  /** The id of the button that spends a lookup on the text. When it does not fit, there is no button. */
  askId: string;
}

/** No card of that name is known: what it may be instead, and a button to ask the card service all the same. */
export function unknownCard({ locale, text, similar, menuId, askId }: UnknownCard): ListMessage {
  const rows = offered(similar ?? []);
  const names = new Set(rows.map(({ name }) => plainMarkdown(name, MAX_LENGTH)).filter(Boolean));
  const askAnyway = buttons(locale, { askAnyway: askId });
  const sentences = [
    formatMessage(locale, similar ? 'unknownCard' : 'namesUnsearched', {
      text: plainMarkdown(text, TEXT_LENGTH) || formatMessage(locale, 'invisibleId'),
    }),
    names.size > 0 && formatMessage(locale, 'similarNames', { names: listed(locale, names) }),
    askAnyway.length > 0 && formatMessage(locale, 'askAnywayCost'),
  ];
  return {
    content: sentences.filter(Boolean).join('\n'),
    components: [...menus(locale, rows, menuId), ...askAnyway],
  };
}

/** Texts of a list that may be ids all the same: one that is chosen costs a lookup. */
export function askAnywayMenus(locale: string, texts: readonly string[], customId: string): MenuRow[] {
  const cards = offered(texts.map((text) => ({ id: text, name: text })));
  const options = cards.map((card) => ({ label: cardLabel(locale, card), value: card.id }));
  return menu(locale, 'askAnyway', customId, options);
}

function menus(locale: string, cards: readonly ListedCard[], customId: string): MenuRow[] {
  const options = cards.map((card) => {
    const description = plainText(card.id, MAX_LENGTH);
    return { label: cardLabel(locale, card), value: card.id, ...(description && { description }) };
  });
  return menu(locale, 'chooseCard', customId, options);
}

/** The first cards whose ids fit into a value. */
function offered(cards: readonly ListedCard[]): ListedCard[] {
  return cards.filter(({ id }) => id.length > 0 && id.length <= MAX_LENGTH).slice(0, MAX_ROWS);
}
