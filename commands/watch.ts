import { ApplicationCommandOptionType } from 'discord.js';
import type { CardRecord } from '../src/model/card.ts';
import { parseCardId } from '../src/model/card-id.ts';
import type { ListedCard } from '../src/model/invocation.ts';
import { cardMenu } from '../src/render/card-list.ts';
import { buttons, MAX_LENGTH } from '../src/render/components.ts';
import { currencySigns, formatPrice } from '../src/render/formats.ts';
import { formatMessage, typedText } from '../src/render/messages.ts';
import { HIGHEST_LINE, type Lines, LOWEST_LINE, typedPrice } from '../src/watches/watch.ts';
import { MOST_WATCHES } from '../src/watches/watches.ts';
import card from './card.ts';
import { type Command, type Form, privately, type Reply, type Services, say, sentence, type Use } from './command.ts';
import { type FormOfCard, formId, linesId, readAction, readForm, readLines } from './custom-ids.ts';
import { CARD_OPTION } from './declare.ts';
import { type LastPrice, watchForm, watchList, watchSet } from './watch-messages.ts';

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
    const lines = {
      above: options.getNumber('above') ?? undefined,
      below: options.getNumber('below') ?? undefined,
      percent: options.getInteger('percent') ?? undefined,
    };
    const { locale } = use;
    if (Object.values(lines).every((line) => line === undefined)) return say(locale, 'watchWhat');
    if (isMixedUp(lines)) return say(locale, 'watchMixedUp');
    const typed = parseCardId(options.getString('card', true));
    const text = services.readCardId(typed) ?? typed;
    const meant = await services.catalog.resolve(text, use.requester);
    // A menu of the cards that may be meant: who chooses one watches it.
    const offered = (content: string, cards: readonly ListedCard[]) =>
      privately({ content, components: cardMenu(locale, cards, linesId(lines)) });
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
    if (form) return opened(form, use, services);
    const { kind, id } = readAction(argument) ?? {};
    if (kind !== 'lines' || id === undefined || cardId === undefined) return say(use.locale, 'outOfDate');
    return watched(cardId, readLines(id), use, services);
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
    const isStopped = await services.watches.stop(use.requester.memberId, id);
    if (!isStopped) return say(use.locale, 'watchNotKept');
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
    const text = unread ? typedText(locale, unread, MAX_LENGTH) : '';
    const example = formatPrice(locale, 12.5, undefined);
    return formatMessage(locale, 'watchNoPrice', { typed: unread ? 'some' : 'none', text, example });
  }
  return isMixedUp(lines) ? formatMessage(locale, 'watchMixedUp') : undefined;
}

async function opened(form: FormOfCard, { locale }: Use, services: Services): Promise<Reply | Form> {
  const found = await seen(form.cardId, services);
  if (!found) return sentence(unknown(form.cardId, locale));
  return watchForm(found.cardName, form, found.price, { locale, currency: services.currency });
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
  const { watch, isReplaced } = set;
  return privately(watchSet(watch, isReplaced, price, { locale, currency }));
}

function unknown(text: string, locale: string): string {
  return formatMessage(locale, 'watchUnknown', { text: typedText(locale, text, MAX_LENGTH) });
}

/** What a card cost when somebody last asked for it, if the next price can be compared with that. */
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
