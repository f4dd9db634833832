import type {
  APIActionRowComponent,
  APIApplicationCommandOptionChoice,
  APIButtonComponent,
  APIStringSelectComponent,
} from 'discord-api-types/v10';
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
  components: APIActionRowComponent<APIButtonComponent | APIStringSelectComponent>[];
}

// Discord's limits: 25 choices or options; 100 characters in a name, a label, a value, a description and a custom id
// (https://docs.discord.com/developers/components/reference). In UTF-16 units, which are never fewer than characters.
const MAX_ROWS = 25;
const MAX_LENGTH = 100;
const SET_LENGTH = 48;
const NUMBER_LENGTH = 20;
/** A text that a member typed is cut to this length in a sentence. */
const TEXT_LENGTH = 300;

// discord-api-types has these as enums, which render/ does not load.
const ACTION_ROW = 1;
const BUTTON = 2;
const STRING_SELECT = 3;
const SECONDARY = 2;

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
  const choices = rows.map(({ before, card, looksLikeOthers }) => {
    const { id, name, set = '', number = '' } = card;
    const label = fullLabel(locale, {
      id,
      name: unseparated(name),
      set: unseparated(set),
      number: unseparated(number),
    });
    return { name: before + label + (looksLikeOthers ? ` · ${unseparated(id)}` : ''), value: before + id };
  });
  return choices
    .filter(({ name, value }) => name.length <= MAX_LENGTH && value.length <= MAX_LENGTH)
    .slice(0, MAX_ROWS);
}

function unseparated(text: string): string {
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
  return {
    content: formatMessage(locale, 'severalCards', { cards: rows.length }),
    components: menus(locale, rows, customId),
  };
}

/** Other cards of the name of one that is shown. @param customId of the menu */
export function otherPrintings(locale: string, cards: readonly ListedCard[], customId: string): ListMessage {
  const rows = offered(cards);
  if (rows.length === 0) return { content: formatMessage(locale, 'noOtherPrintings'), components: [] };
  return {
    content: formatMessage(locale, 'otherPrintings', { cards: rows.length }),
    components: menus(locale, rows, customId),
  };
}

/** What no known card is called. */
export interface UnknownCard {
  locale: string;
  /** What the member typed. */
  text: string;
  /** Cards with similar names; `undefined` when names cannot be searched right now. */
  similar: readonly ListedCard[] | undefined;
  menuId: string;
  /** The id of the button that spends a lookup on the text. When it does not fit, there is no button. */
  askId: string;
}

/** No card of that name is known: what it may be instead, and a button to ask the card service all the same. */
export function unknownCard({ locale, text, similar, menuId, askId }: UnknownCard): ListMessage {
  const rows = offered(similar ?? []);
  const names = new Set(rows.map(({ name }) => plainMarkdown(name, MAX_LENGTH)).filter(Boolean));
  const isAskable = askId.length <= MAX_LENGTH;
  const sentences = [
    formatMessage(locale, similar ? 'unknownCard' : 'namesUnsearched', {
      text: plainMarkdown(text, TEXT_LENGTH) || formatMessage(locale, 'invisibleId'),
    }),
    names.size > 0 && formatMessage(locale, 'similarNames', { names: listed(locale, names) }),
    isAskable && formatMessage(locale, 'askAnywayCost'),
  ];
  return {
    content: sentences.filter(Boolean).join('\n'),
    components: [...menus(locale, rows, menuId), ...(isAskable ? [button(locale, askId)] : [])],
  };
}

type MenuRow = APIActionRowComponent<APIStringSelectComponent>;

/** Texts of a list that may be ids all the same: one that is chosen costs a lookup. */
export function askAnywayMenus(locale: string, texts: readonly string[], customId: string): MenuRow[] {
  const options = offered(texts.map((text) => ({ id: text, name: text }))).map((text) => ({
    label: cardLabel(locale, text),
    value: text.id,
  }));
  return menusOf(options, customId, formatMessage(locale, 'askAnyway'));
}

function menus(locale: string, cards: readonly ListedCard[], customId: string): MenuRow[] {
  const options = cards.map((card) => {
    const description = plainText(card.id, MAX_LENGTH);
    return { label: cardLabel(locale, card), value: card.id, ...(description && { description }) };
  });
  return menusOf(options, customId, formatMessage(locale, 'chooseCard'));
}

/** One menu; none without options, since Discord refuses an empty one. */
function menusOf(options: APIStringSelectComponent['options'], customId: string, placeholder: string): MenuRow[] {
  const menu = { type: STRING_SELECT, custom_id: customId, placeholder, options } as const;
  return options.length === 0 ? [] : [{ type: ACTION_ROW, components: [menu] }];
}

function button(locale: string, customId: string): APIActionRowComponent<APIButtonComponent> {
  const label = formatMessage(locale, 'askAnyway');
  return { type: ACTION_ROW, components: [{ type: BUTTON, style: SECONDARY, custom_id: customId, label }] };
}

/** The first cards whose ids fit into a value. */
function offered(cards: readonly ListedCard[]): ListedCard[] {
  return cards.filter(({ id }) => id.length > 0 && id.length <= MAX_LENGTH).slice(0, MAX_ROWS);
}
