import { ApplicationCommandOptionType } from 'discord.js';
import {
  HIGHEST_LINE,
  type Lines,
  LOWEST_LINE,
  MOST_WATCHES,
  typedPrice,
  type Watch,
  type WatchCrossing,
} from '../src/members/watches.ts';
import type { CardRecord, PriceRow } from '../src/model/card.ts';
import { parseCardId } from '../src/model/card-id.ts';
import type { ListedCard } from '../src/model/invocation.ts';
import { FRESH_COLOUR } from '../src/render/card-embed.ts';
import { cardMenu } from '../src/render/card-list.ts';
import {
  age,
  clip,
  currencySigns,
  formatPercent,
  formatPrice,
  joined,
  plainText,
  rowLabel,
} from '../src/render/formats.ts';
import {
  buttons,
  formatMessage,
  MAX_DESCRIPTION,
  MAX_LENGTH,
  menu,
  nameText,
  typedText,
} from '../src/render/messages.ts';
import card from './card.ts';
import {
  CARD_OPTION,
  type Command,
  customId,
  EMPTY_FORM,
  type Form,
  privately,
  type Reply,
  readAction,
  type Services,
  say,
  sentence,
  type Use,
  type View,
} from './command.ts';

const LINE = { type: ApplicationCommandOptionType.Number, min_value: LOWEST_LINE, max_value: HIGHEST_LINE } as const;

export default {
  data: {
    name: 'watch',
    options: {
      card: CARD_OPTION,
      above: LINE,
      below: LINE,
      percent: { type: ApplicationCommandOptionType.Integer, min_value: 1, max_value: 99 },
    },
  },

  async ask({ options, ...use }, services) {
    const [above, below] = [options.getNumber('above') ?? undefined, options.getNumber('below') ?? undefined];
    const lines = { above, below, percent: options.getInteger('percent') ?? undefined };
    const { locale } = use;
    if ((above ?? below ?? lines.percent) === undefined) return say(locale, 'watchWhat');
    if (isMixedUp(lines)) return say(locale, 'watchMixedUp');
    const typed = parseCardId(options.getString('card', true));
    const text = services.readCardId(typed) ?? typed;
    const meant = await services.catalog.resolve(text, use.requester);
    // A menu of the cards that may be meant: who chooses one watches it. Its id is such as `watch:lines::40:30:`.
    const offered = (content: string, cards: readonly ListedCard[]) => {
      const id = customId('watch', { kind: 'lines', id: [above, below, lines.percent].join(':') });
      return privately({ content, components: cardMenu(locale, cards, id) });
    };
    switch (meant.kind) {
      case 'id':
        return watched(text, lines, use, services);
      case 'one':
        return watched(meant.card.id, lines, use, services);
      case 'several':
        return offered(formatMessage(locale, 'severalCards', { cards: meant.cards.length }), meant.cards);
      case 'none':
        return offered(unknown(text, locale), meant.similar);
      case 'unsearched':
        return say(locale, 'namesUnsearched');
    }
  },

  autocomplete: card.autocomplete,

  cardOf: (argument) => readForm(argument)?.cardId,

  /** The button below a card, or below a refusal of its form, was pressed; or a card of a menu was chosen. */
  async component({ argument, values: [cardId], ...use }, services) {
    const form = readForm(argument);
    if (form) {
      const found = await seen(form.cardId, services);
      if (!found) return sentence(unknown(form.cardId, use.locale));
      return watchForm(found.cardName, form, found.price, { locale: use.locale, currency: services.currency });
    }
    const { kind, id } = readAction(argument) ?? {};
    if (kind !== 'lines' || id === undefined || cardId === undefined) return say(use.locale, 'outOfDate');
    const [above, below, percent] = id.split(':').map((text) => (text === '' ? undefined : Number(text)));
    return watched(cardId, { above, below, percent }, use, services);
  },

  async submit({ argument, fields, ...use }, services) {
    const { cardId } = readForm(argument) ?? {};
    if (cardId === undefined) return say(use.locale, 'outOfDate');
    const typed = { above: fields.getTextInputValue('above'), below: fields.getTextInputValue('below') };
    const found = await seen(cardId, services);
    const ownSigns = currencySigns(use.locale, found?.price?.currency ?? services.currency);
    const lines = { above: typedPrice(typed.above, ownSigns), below: typedPrice(typed.below, ownSigns) };
    const content = refusalOf(typed, lines, use);
    if (content === undefined) return watched(cardId, lines, use, services);
    // A form cannot answer a form, so a button opens it again.
    return privately({ content, components: buttons(use.locale, { watchCorrect: formId({ ...typed, cardId }) }) });
  },
} satisfies Command;

export const watches = {
  data: { name: 'watches' },

  ask: listed,

  /** The menu shows the others in place; the button of a message about one says that it has ended. */
  async component({ argument, values, ...use }, services) {
    const { kind, id = values[0] ?? '' } = readAction(argument) ?? {};
    if (kind !== 'stop') return say(use.locale, 'outOfDate');
    if (!(await services.watches.stop(use.requester.memberId, id))) return say(use.locale, 'watchNotKept');
    if (values.length === 0) return say(use.locale, 'watchStopped');
    return { ...(await listed(use, services)), isInPlace: true };
  },
} satisfies Command;

function isMixedUp({ above, below }: Lines): boolean {
  return above !== undefined && below !== undefined && above <= below;
}

/** @returns `undefined` when there is nothing to refuse of what was typed into the form */
function refusalOf({ above, below }: Omit<FormOfCard, 'cardId'>, lines: Lines, { locale }: Use): string | undefined {
  const unread = [lines.above === undefined && above.trim(), lines.below === undefined && below.trim()].find(Boolean);
  if (unread || (lines.above ?? lines.below) === undefined) {
    return formatMessage(locale, 'watchNoPrice', {
      typed: unread ? 'some' : 'none',
      text: unread ? typedText(locale, unread, MAX_LENGTH) : '',
      example: formatPrice(locale, 12.5, undefined),
    });
  }
  return isMixedUp(lines) ? formatMessage(locale, 'watchMixedUp') : undefined;
}

/** A card's name, and what it cost last. Costs no request. @returns `undefined` when nobody has seen it */
async function seen(cardId: string, { cards, catalog }: Services) {
  const { answer: kept } = await cards.kept(cardId);
  const named = kept?.card ?? (await catalog.printings(cardId, { page: 0, isOthers: false }));
  return named?.name === undefined ? undefined : { cardName: named.name, price: lastPrice(kept) };
}

/** Sets the watch if the card is known. Costs no request. */
async function watched(cardId: string, lines: Lines, { requester, locale }: Use, services: Services): Promise<Reply> {
  const { watches, currency } = services;
  const found = await seen(cardId, services);
  if (!found) return sentence(unknown(cardId, locale));
  const { cardName, price } = found;
  const set = await watches.set({ memberId: requester.memberId, locale, cardId, cardName, ...lines }, price?.market);
  if (set === 'tooMany') return say(locale, 'tooManyWatches', { most: MOST_WATCHES });
  if (set === 'notKept') return say(locale, 'watchNotKept');
  return privately(watchSet(set.watch, set.isReplaced, price, { locale, currency }));
}

function unknown(text: string, locale: string): string {
  return formatMessage(locale, 'watchUnknown', { text: typedText(locale, text, MAX_LENGTH) });
}

/** What a card cost when somebody last asked for it. */
type LastPrice = { market: number; atMs: number } & PriceRow;

/** @returns `undefined` when the next price cannot be compared with that */
function lastPrice(kept: CardRecord | undefined): LastPrice | undefined {
  const [atMs, market = 0] = kept?.history?.at(-1) ?? [];
  return kept && atMs === kept.fetchedAtMs ? { ...kept.card?.prices, market, atMs } : undefined;
}

async function listed({ requester, locale }: Use, { watches, cards, currency }: Services): Promise<Reply> {
  const own = await watches.find({ member: requester.memberId });
  if (!own) return say(locale, 'watchNotKept');
  if (own.length === 0) return say(locale, 'noWatches');
  const found = own.map(async (watch) => ({ watch, last: lastPrice((await cards.kept(watch.cardId)).answer) }));
  return privately(watchList(await Promise.all(found), { locale, currency }));
}

/** The form of a watch, and what a member types into it. */
interface FormOfCard {
  above: string;
  below: string;
  cardId: string;
}

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

type To = Pick<View, 'locale' | 'currency'>;

/** The form that a watch of a card is set with, and what stands in it. */
export function watchForm(
  cardName: string,
  { cardId, ...typed }: FormOfCard,
  last: LastPrice | undefined,
  { locale, ...to }: To,
): Form {
  const price = last && formatPrice(locale, last.market, last.currency ?? to.currency);
  const placeholder = price && formatMessage(locale, 'watchHint', { price });
  const field = (id: 'above' | 'below', label: string) => {
    const value = typed[id] || undefined;
    return { id, label, placeholder, value, maxLength: 20, lines: 'one', isOptional: true } as const;
  };
  return {
    kind: 'form',
    customId: EMPTY_FORM + cardId,
    title: formatMessage(locale, 'watchForm', { name: nameText(locale, cardName, 30, plainText) }),
    fields: [field('above', formatMessage(locale, 'watchAbove')), field('below', formatMessage(locale, 'watchBelow'))],
  };
}

const NAME_LENGTH = 60;

/** What the member will be told of, with a button that ends it. */
export function watchSet(watch: Watch, isReplaced: boolean, last: LastPrice | undefined, to: To) {
  const { locale } = to;
  const { lines, price } = argumentsOf(watch, last, to);
  const content = joined([
    formatMessage(locale, 'watchSet', { card: nameText(locale, watch.cardName, NAME_LENGTH), ...lines }),
    price && watch.crossed.length > 0 && formatMessage(locale, 'watchBeyond', price),
    isReplaced && formatMessage(locale, 'watchReplaced'),
    `-# ${price ? formatMessage(locale, 'watchPrice', price) : formatMessage(locale, 'watchUnpriced')}`,
  ]);
  return { content, components: buttons(locale, { stopWatch: stopId(watch.id) }) };
}

function stopId(id?: string): string {
  return customId('watches', { kind: 'stop', id });
}

/** All of a member's watches, of which a menu holds as many, to end one. */
export function watchList(watches: readonly { watch: Watch; last: LastPrice | undefined }[], to: To) {
  const { locale } = to;
  const rows = watches.map(({ watch, last }) => {
    const { lines, price } = argumentsOf(watch, last, to);
    const when = formatMessage(locale, 'watchLines', lines);
    const small = joined([when, price && formatMessage(locale, 'watchPrice', price)], ' · ');
    const label = nameText(locale, watch.cardName, NAME_LENGTH, plainText);
    const option = { label, value: watch.id, description: clip(when, MAX_LENGTH) };
    return { text: `**${nameText(locale, watch.cardName, NAME_LENGTH)}**\n-# ${small}`, option };
  });
  const text = joined([...rows.map(({ text }) => text), formatMessage(locale, 'watchesTold')]);
  const embed = {
    title: formatMessage(locale, 'watches'),
    description: clip(text, MAX_DESCRIPTION),
    color: FRESH_COLOUR,
  };
  const options = rows.map(({ option }) => option);
  return { embeds: [embed], components: menu(formatMessage(locale, 'chooseWatch'), stopId(), options) };
}

/** Those of sentences about a watch, and about the last price of its card. */
function argumentsOf({ above, below, percent }: Lines, last: LastPrice | undefined, { locale, ...to }: To) {
  const { currency = to.currency } = last ?? {};
  const shown = (value: number | undefined) => (value === undefined ? '' : formatPrice(locale, value, currency));
  const named = joined([above !== undefined && 'Above', below !== undefined && 'Below'], '');
  const lines = named + (percent !== undefined && named !== 'AboveBelow' ? 'Percent' : '');
  return {
    lines: {
      lines: lines.replace(/^./, (first) => first.toLowerCase()),
      above: shown(above),
      below: shown(below),
      percent: formatPercent(locale, (percent ?? 0) / 100),
    },
    price: last && { price: shown(last.market) + rowLabel(last.label), since: age(last.atMs) },
  };
}

const NOTICE_NAME_LENGTH = 100;

/** For so long a message says that a price is there; after that, since when it was. */
const STILL_THERE_MS = 600_000;

/**
 * Prices that a member wanted to be told of, in their language. At most 2,000 characters.
 *
 * @param isLate no message could be sent, and the member is told with their next command
 */
export function watchNotices(
  crossings: readonly WatchCrossing[],
  { currency: ofOthers, isLate }: Pick<To, 'currency'> & { isLate: boolean },
) {
  const shown = (['watchesLate', 'watchesLateAgain'] as const).flatMap((head) => {
    const isFirst = head === 'watchesLate';
    const told = crossings.filter(({ crossing }) => isFirst === (crossing.triedAtMs === undefined));
    return told.map(({ watch: { id, locale, cardId, cardName }, crossing }, at) => {
      const { line, atMs, label, currency = ofOthers } = crossing;
      const price = formatPrice(locale, crossing.price, currency);
      const target = formatPrice(locale, crossing.target, currency);
      const key = isLate || Date.now() - atMs > STILL_THERE_MS ? 'priceReachedBefore' : 'priceReached';
      const text = formatMessage(locale, key, {
        card: nameText(locale, cardName, NOTICE_NAME_LENGTH),
        line: price === target ? 'at' : line,
        price: price + rowLabel(label),
        target,
        since: age(atMs),
      });
      const name = nameText(locale, cardName, NOTICE_NAME_LENGTH, plainText);
      const showCard = customId('card', { kind: 'show', isPrivate: true, id: cardId });
      return {
        text: isLate && at === 0 ? `${formatMessage(locale, head)}\n${text}` : text,
        row: buttons(locale, { showCard, stopWatch: stopId(id) }, { name }),
      };
    });
  });
  return { content: shown.map(({ text }) => text).join('\n'), components: shown.flatMap(({ row }) => row) };
}
