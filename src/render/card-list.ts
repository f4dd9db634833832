import type { APIApplicationCommandOptionChoice } from 'discord-api-types/v10';
import { type ButtonRow, buttons, labelledButtons, MAX_LENGTH, type MenuRow, menu } from './components.ts';
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
/** So many similar names are said. */
const MOST_NAMES = 3;

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

/** Some of the cards that may be meant. */
export interface ListedPage {
  /** At most 25. */
  cards: readonly ListedCard[];
  /** From 0. */
  page: number;
  /** How many cards there are on all pages. */
  total: number;
  /** What all of them are called; absent when they have different names. */
  name?: string;
}

/** The custom ids of what a member may press. */
export interface ChoiceIds {
  menu: string;
  /** Shows this card: a single one is a button. Absent when it is a menu, too. */
  show?: ((cardId: string) => string) | undefined;
  /** Replaces the page by this one; absent when there are no other pages. */
  page?: ((page: number) => string) | undefined;
}

/** Which of several cards is meant. */
export function severalCards(locale: string, found: ListedPage, ids: ChoiceIds): ListMessage {
  const { total, name } = found;
  const cards = offered(found.cards);
  const shownName = plainMarkdown(name ?? '', MAX_LENGTH);
  const content =
    total > MAX_ROWS
      ? formatMessage(locale, 'manyCards', { total, named: shownName ? 'yes' : 'no', name: shownName })
      : formatMessage(locale, 'severalCards', { cards: cards.length });
  return { content, components: choice(locale, found, ids) };
}

/** Other cards of the name of one that is shown. */
export function otherPrintings(locale: string, found: ListedPage, ids: ChoiceIds): ListMessage {
  const { total } = found;
  if (total === 0) return { content: formatMessage(locale, 'noOtherPrintings'), components: [] };
  return { content: formatMessage(locale, 'otherPrintings', { cards: total }), components: choice(locale, found, ids) };
}

/** What no known card is called. */
export interface UnknownCard {
  locale: string;
  /** What the member typed. */
  text: string;
  /** Cards with similar names; absent when names cannot be searched right now. */
  similar?: readonly ListedCard[];
  ids: ChoiceIds;
  /** The id of the button that spends a lookup on the text. When it does not fit, there is no button. */
  askId: string;
}

/** No card of that name is known: what it may be instead, and a button to ask the card service all the same. */
export function unknownCard({ locale, text, similar, ids, askId }: UnknownCard): ListMessage {
  const names = similarNames(locale, similar ?? []);
  const sentences = [
    formatMessage(locale, similar ? 'unknownCard' : 'namesUnsearched', {
      text: plainMarkdown(text, TEXT_LENGTH) || formatMessage(locale, 'invisibleId'),
    }),
    names && formatMessage(locale, 'similarNames', { names }),
    askId.length <= MAX_LENGTH && formatMessage(locale, 'askAnywayCost'),
  ];
  return {
    content: sentences.filter(Boolean).join('\n'),
    components: choice(locale, { cards: similar ?? [] }, ids, [[formatMessage(locale, 'askAnyway'), askId]]),
  };
}

/** The first few names, each once; empty when there is none to show. */
function similarNames(locale: string, cards: readonly ListedCard[], length = MAX_LENGTH): string {
  const names = new Set(offered(cards).map(({ name }) => plainMarkdown(name, length)));
  return listed(locale, [...names].filter(Boolean).slice(0, MOST_NAMES));
}

/** Texts of a list that may be ids all the same: one that is chosen costs a lookup. */
export function askAnywayMenus(locale: string, texts: readonly string[], customId: string): MenuRow[] {
  const cards = offered(texts.map((text) => ({ id: text, name: text })));
  const options = cards.map((card) => ({ label: cardLabel(locale, card), value: card.id }));
  return menu(formatMessage(locale, 'askAnyway'), customId, options);
}

/** One card is a button, more are a menu, with buttons for the pages before and after it. */
function choice(
  locale: string,
  { cards, page = 0, total = 0 }: Partial<ListedPage> & Pick<ListedPage, 'cards'>,
  { menu: menuId, show, page: pageId }: ChoiceIds,
  more: readonly [label: string, customId: string][] = [],
): ListMessage['components'] {
  const rows = offered(cards);
  const [only, ...others] = rows;
  const from = page * MAX_ROWS;
  const to = from + rows.length;
  const showId = only && others.length === 0 && total <= 1 ? show?.(only.id) : undefined;
  if (only && showId !== undefined && showId.length <= MAX_LENGTH) {
    const name = plainText(only.name, MAX_LENGTH) || plainText(only.id, MAX_LENGTH) || formatMessage(locale, 'noName');
    return labelledButtons([[formatMessage(locale, 'showCard', { name }), showId], ...more]);
  }
  const options = rows.map((card) => {
    const description = plainText(card.id, MAX_LENGTH);
    return { label: cardLabel(locale, card), value: card.id, ...(description && { description }) };
  });
  const placeholder =
    total > MAX_ROWS && pageId
      ? formatMessage(locale, 'chooseOnPage', { from: from + 1, to, total })
      : formatMessage(locale, 'chooseCard');
  const pages: Partial<Record<'previousCards' | 'nextCards', string>> = {
    ...(pageId && page > 0 && { previousCards: pageId(page - 1) }),
    ...(pageId && to < total && { nextCards: pageId(page + 1) }),
  };
  return [...menu(placeholder, menuId, options), ...buttons(locale, pages), ...labelledButtons(more)];
}

/** The first cards whose ids fit into a value. */
function offered(cards: readonly ListedCard[]): ListedCard[] {
  return cards.filter(({ id }) => id.length > 0 && id.length <= MAX_LENGTH).slice(0, MAX_ROWS);
}
