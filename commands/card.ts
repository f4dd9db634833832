import type { Known } from '../src/model/card.ts';
import { parseCardId } from '../src/model/card-id.ts';
import { drawableDays, lastDays } from '../src/model/price-history.ts';
import { cardEmbed, noSuchCard } from '../src/render/card-embed.ts';
import { cardChoices, otherPrintings, severalCards, unknownCard } from '../src/render/card-list.ts';
import { rowLabel } from '../src/render/formats.ts';
import { historyFile } from '../src/render/history-picture.ts';
import { buttons, copyNote, errorMessage, formatMessage, menu, nameText, timeToCome } from '../src/render/messages.ts';
import {
  type Action,
  CARD_OPTION,
  type Command,
  type ComponentUse,
  choiceIds,
  customId,
  DELETE,
  EMPTY_FORM,
  privately,
  type Reply,
  readAction,
  replyLocale,
  type Services,
  say,
  showingOf,
  type Use,
  VIEW_OPTIONS,
  wanted,
  withDelete,
} from './command.ts';

export default {
  data: { name: 'card', options: { id: CARD_OPTION, ...VIEW_OPTIONS } },

  /**
   * Shows the kept copy of exactly this id, otherwise what the catalog makes of the text. Costs no request. Only a text
   * that may be an id, or means one card, is wanted, for which a request may be sent; anything else is answered with
   * what the member may have meant.
   */
  async ask(use, { cards, catalog, readCardId }) {
    const { options, locale, requester } = use;
    const typed = parseCardId(options.getString('id', true));
    const showing = showingOf(use);
    const { showPrices } = showing;
    const id = readCardId(typed);
    const known: Known = id === undefined ? { kind: 'missing' } : await cards.known(id, showPrices);
    const text = id ?? typed;
    const asked = wanted([], showing, { queries: [{ cardId: text, showPrices, known }] });
    if (known.answer?.card) return asked;

    const meant = await catalog.resolve(text, requester);
    if (meant.kind === 'one') return wanted([meant.card.id], showing);
    if (meant.kind === 'several') return privately(severalCards(locale, meant, choiceIds(showing, meant.cards[0]?.id)));
    // That the service has denied this very id says more than a name that nobody has.
    const isDenied = known.kind === 'fresh' || (known.kind === 'stale' && meant.kind === 'none');
    if (meant.kind === 'id' || isDenied) return asked;
    const similar = meant.kind === 'none' ? meant.similar : undefined;
    const ids = choiceIds(showing);
    return privately(unknownCard(locale, text, similar, ids, id !== undefined && ids.show(id)));
  },

  async autocomplete({ typed, suggestByMs, locale, requester }, { catalog }) {
    return cardChoices(locale, await catalog.search(typed, requester, suggestByMs));
  },

  cardOf: (argument) => readAction(argument)?.id,

  async component(use, services) {
    const { argument, values, repliedTo, manageMessages, locale } = use;
    const action = readAction(argument);
    if (action?.kind === 'delete') {
      const isAllowed = use.requester.memberId === repliedTo?.memberId || manageMessages;
      return isAllowed ? { kind: 'delete', interactionId: repliedTo?.interactionId } : say(locale, 'notYoursToDelete');
    }
    const id = action?.id ?? values[0];
    if (!action || id === undefined) return say(locale, 'outOfDate');
    switch (action.kind) {
      case 'printings':
      case 'named':
        return sameNamed(id, action, use, services);
      case 'history':
        return priceHistory(id, action, use, services);
      case 'show': {
        const cardId = services.readCardId(parseCardId(id));
        if (cardId === undefined) return privately(unknownCard(locale, id, [], choiceIds(action), false));
        return wanted([cardId], action);
      }
      default:
        return say(locale, 'outOfDate');
    }
  },

  show({ queries: [query], isPrivate }, { cards: [outcome], permitAtMs }, view) {
    const { locale } = view;
    const shown = (content: string) => withDelete({ content }, view);
    if (!query || !outcome) {
      const { time } = timeToCome(permitAtMs);
      return shown(formatMessage(locale, time ? 'permitAt' : 'stillAsking', { time }));
    }
    const { answer, isJustFetched, ...copy } = outcome;
    if (!answer) return shown(copy.error ? errorMessage(locale, copy.error) : '');
    const { cardId, showPrices } = query;
    const { card } = answer;
    const note = copyNote(locale, copy);
    if (!card) return shown(noSuchCard(locale, cardId, answer.fetchedAtMs, note !== undefined));
    const hasHistory = showPrices && drawableDays(answer.history ?? [], Date.now()).length > 0;
    const components = buttons(locale, {
      showHistory: hasHistory && customId('card', { kind: 'history', isPrivate: true, id: cardId }),
      watchCard: showPrices && card.prices?.market !== undefined && EMPTY_FORM + cardId,
      showPrintings: customId('card', { kind: 'printings', showPrices, isPrivate, id: cardId }),
      showToEveryone: isPrivate && view.canReplyPublicly && customId('card', { kind: 'show', showPrices, id: cardId }),
      // A private reply has Discord's own way to be dismissed.
      deleteReply: !isPrivate && DELETE,
    });
    return { embeds: [cardEmbed({ ...view, card, answer, showPrices, note, isJustFetched })], components };
  },
} satisfies Command;

/** The other printings of a card, or all cards of its name. With a page it replaces the message that has the button. */
async function sameNamed(id: string, action: Action, { locale }: Use, { catalog }: Services): Promise<Reply> {
  const { kind, number: page } = action;
  const isOthers = kind === 'printings';
  const found = await catalog.printings(id, { page: page ?? 0, isOthers });
  if (!found) return say(locale, 'namesUnsearched');
  const message = (isOthers ? otherPrintings : severalCards)(locale, found, choiceIds(action, id, kind));
  return { ...privately(message), isInPlace: page !== undefined };
}

/** The price of a card over time, from what is kept of it. Costs no request, and drawing takes some milliseconds. */
async function priceHistory(
  id: string,
  action: Action,
  use: ComponentUse,
  { cards, currency: ofOthers }: Services,
): Promise<Reply> {
  const { answer } = await cards.kept(id);
  const [history, nowMs] = [answer?.history ?? [], Date.now()];
  const choices = drawableDays(history, nowMs);
  const [selected] = use.values;
  const wanted = choices.find((each) => each === Number(selected ?? action.number)) ?? choices[0];
  if (!answer?.card || wanted === undefined) return say(use.locale, 'noHistory');
  const isPrivate = action.isPrivate || !use.canReplyPublicly;
  const locale = replyLocale(use, isPrivate, use.server.language);
  const { label, currency = ofOthers } = answer.missingRow ?? answer.card.prices ?? {};
  const option = (each: number) => ({
    label: formatMessage(locale, 'historyDays', { days: each }),
    value: String(each),
    default: each === wanted,
  });
  const message = {
    content: formatMessage(locale, 'history', { name: nameText(locale, answer.card.name, 256) }) + rowLabel(label),
    files: [await historyFile(lastDays(history, wanted, nowMs), locale, currency)],
    components: [
      ...(isPrivate && choices.length > 1
        ? menu(option(wanted).label, customId('card', { kind: 'history', isPrivate, id }), choices.map(option))
        : []),
      ...buttons(locale, {
        showToEveryone: isPrivate && use.canReplyPublicly && customId('card', { kind: 'history', number: wanted, id }),
        deleteReply: !isPrivate && DELETE,
      }),
    ],
  };
  return { ...privately(message), isPrivate, isInPlace: selected !== undefined };
}
