import type { APIApplicationCommandOptionChoice } from 'discord-api-types/v10';
import type { CardPage, ListedCard, Unclear } from '../model/invocation.ts';
import { clip, joined, plainMarkdown, plainText } from './formats.ts';
import { buttons, formatMessage, listed, MAX_LENGTH, menu, typedText } from './messages.ts';

/** Discord's limit of choices, and of options of a menu. */
const MAX_ROWS = 25;
const SET_LENGTH = 48;
const NUMBER_LENGTH = 20;
/** A sentence names at most so many similar cards. */
const MOST_NAMES = 3;

/** A phone cuts a longer label, and the number tells more than the end of a set's name. */
const SHOWN_LENGTH = 40;

/** Suggestions while an id is typed: the label is shown, the id is sent. Labels that are the same end with it. */
export function cardChoices(locale: string, cards: readonly ListedCard[]): APIApplicationCommandOptionChoice<string>[] {
  const rows = labelled(locale, offered(cards));
  return rows.map(({ label: name, value }) => {
    if (rows.filter(({ label }) => label === name).length === 1) return { name, value };
    const id = ` · ${plainText(value, SET_LENGTH)}`;
    return { name: clip(name, MAX_LENGTH - id.length) + id, value };
  });
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
  const cards = rows.map(({ card }) => card);
  const labels = labelled(locale, cards, Infinity, unseparated);
  const choices = rows.map(({ before, card: { id }, looksLikeOthers }, at) => {
    return { name: before + labels[at]?.label + (looksLikeOthers ? ` · ${unseparated(id)}` : ''), value: before + id };
  });
  return choices
    .filter(({ name, value }) => name.length <= MAX_LENGTH && value.length <= MAX_LENGTH)
    .slice(0, MAX_ROWS);
}

const plain = (text = '', length = Infinity) => plainText(text, length);
const unseparated: typeof plain = (text = '', length) => plain(text.replace(/[,;]/g, ' '), length);

/**
 * Each with its label: `Name · Set · number`, or the number before the set in all of them when one is longer than a
 * phone shows; without Markdown, and what is absent is left out.
 *
 * @param most characters; name, set and number are cut only when all together are longer
 */
function labelled(locale: string, cards: readonly ListedCard[], most = MAX_LENGTH, shown = plain) {
  const parts = cards.map(({ id, name, set, number, knownAs }) => {
    const other = shown(knownAs) && ` (${shown(knownAs)})`;
    const called = (shown(name) || shown(id) || formatMessage(locale, 'noName')) + other;
    const setFirst = joined([called, shown(set), shown(number)], ' · ');
    return { value: id, called, set, number, setFirst };
  });
  const isShort = parts.every(({ setFirst }) => setFirst.length <= SHOWN_LENGTH);
  return parts.map(({ value, called, set, number, setFirst }) => {
    const label = isShort ? setFirst : joined([called, shown(number), shown(set)], ' · ');
    if (label.length <= most) return { value, label };
    const printing = joined([shown(number, NUMBER_LENGTH), shown(set, SET_LENGTH)], ' · ');
    const behind = printing && ` · ${printing}`;
    return { value, label: clip(called, most - behind.length) + behind };
  });
}

/** The custom ids of what a member may press. */
export interface ChoiceIds {
  menu: string;
  /** Shows this card. */
  show(cardId: string): string;
  /** Replaces the page by this one. */
  page(page: number): string;
}

/** Which of several cards is meant. */
export function severalCards(locale: string, found: CardPage, ids: ChoiceIds) {
  const { total, cards } = found;
  if (cards.length === 0) return { content: formatMessage(locale, 'outOfDate'), components: [] };
  const name = plainMarkdown(found.name ?? '', MAX_LENGTH);
  const figures = { total, cards: cards.length, named: name ? 'yes' : 'no', name };
  return {
    content: formatMessage(locale, total > MAX_ROWS ? 'manyCards' : 'severalCards', figures),
    components: choice(locale, found, ids),
  };
}

/** Other cards of the name of one that is shown. */
export function otherPrintings(locale: string, found: CardPage, ids: ChoiceIds) {
  const key = found.total === 0 ? 'noOtherPrintings' : 'otherPrintings';
  return { content: formatMessage(locale, key, { cards: found.total }), components: choice(locale, found, ids) };
}

/**
 * No card of that name is known: what it may be instead, and a button to ask the card service all the same.
 *
 * @param similar cards with similar names; `undefined` when names cannot be searched right now
 * @param askId of the button that spends a lookup on the text; when it does not fit, or the text can be no id, there is no button
 */
export function unknownCard(
  locale: string,
  text: string,
  similar: readonly ListedCard[] | undefined,
  ids: ChoiceIds,
  askId: string | false,
) {
  const names = similarNames(locale, similar ?? []);
  return {
    content: joined([
      formatMessage(locale, similar ? 'unknownCard' : 'namesUnsearched', {
        text: typedText(locale, text, 300),
      }),
      names.names && formatMessage(locale, 'similarNames', names),
      askId && askId.length <= MAX_LENGTH && formatMessage(locale, 'askAnywayCost'),
    ]),
    components: choice(locale, { cards: similar ?? [] }, ids, askId),
  };
}

/** All cards that they may mean, to choose from. */
export function unclearChoice(locale: string, unclear: readonly Unclear[], ids: ChoiceIds) {
  return choice(locale, { cards: unclear.flatMap(({ cards }) => cards) }, ids);
}

/** In French a space comes before the colon, and in Japanese the colon is as wide as a character. */
const UNCLEAR_LINE = /^\*\*((?:\\.|[^*\\])+)\*\*\s?[:：]/gm;

/** What each of them may mean: a line of at most 180 characters. */
export function unclearLines(locale: string, unclear: readonly Unclear[]): string[] {
  return unclear.map(({ text, cards, total }) => {
    const similar = similarNames(locale, cards, 30);
    const how = total > MAX_ROWS ? 'many' : total > 1 ? 'several' : similar.names ? 'similar' : 'none';
    return formatMessage(locale, 'cardUnclear', { text: typedText(locale, text, 60), how, total, ...similar });
  });
}

/** The texts of those lines in a message; one that was too long is cut. */
export function unclearTexts(content: string): string[] {
  return Array.from(content.matchAll(UNCLEAR_LINE), ([, text = '']) => text.replace(/\\(.)/g, '$1'));
}

/** The first few names, each once, as alternatives and as a plain list; empty when there is none to show. */
function similarNames(locale: string, cards: readonly ListedCard[], length = MAX_LENGTH) {
  const names = offered(cards).map(({ name }) => plainMarkdown(name, length));
  const shown = [...new Set(names)].filter(Boolean).slice(0, MOST_NAMES);
  return { names: listed(locale, shown, 'or'), list: listed(locale, shown, 'and') };
}

/** A menu of cards, whose values are the ids; none without a card whose id fits. */
export function cardMenu(
  locale: string,
  cards: readonly ListedCard[],
  customId: string,
  placeholder: 'chooseCard' | 'askAnyway' = 'chooseCard',
) {
  return menu(formatMessage(locale, placeholder), customId, labelled(locale, offered(cards)));
}

/**
 * One card is a button, several are a menu; cards of one name are always a menu, with buttons for the pages before and
 * after.
 *
 * @param askId of a further button
 */
function choice(
  locale: string,
  { cards, page = 0, total = 0, name }: Pick<CardPage, 'cards'> & Partial<CardPage>,
  ids: ChoiceIds,
  askId: string | false = false,
) {
  const rows = offered(cards);
  const [only] = rows;
  if (only && rows.length === 1 && name === undefined && ids.show(only.id).length <= MAX_LENGTH) {
    const [{ label: shown = '' } = {}] = labelled(locale, [{ id: only.id, name: only.name }], Infinity);
    return buttons(locale, { showCard: ids.show(only.id), askAnyway: askId }, { name: shown });
  }
  const options = labelled(locale, rows).map((row) => {
    const description = plainText(row.value, MAX_LENGTH);
    return { ...row, ...(description && { description }) };
  });
  const from = page * MAX_ROWS;
  const to = from + rows.length;
  const hasPages = name !== undefined && total > MAX_ROWS;
  const key = hasPages ? 'chooseOnPage' : 'chooseCard';
  const placeholder = formatMessage(locale, key, { from: from + 1, to, total });
  const more = buttons(locale, {
    previousCards: hasPages && page > 0 && ids.page(page - 1),
    nextCards: hasPages && to < total && ids.page(page + 1),
    askAnyway: askId,
  });
  return [...menu(placeholder, ids.menu, options), ...more];
}

/** The first cards whose ids fit into a value, each once. */
function offered(cards: readonly ListedCard[]): ListedCard[] {
  const fitting = cards.filter(({ id }) => id.length > 0 && id.length <= MAX_LENGTH);
  return [...new Map(fitting.map((card) => [card.id, card])).values()].slice(0, MAX_ROWS);
}
