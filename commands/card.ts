import type { Known } from '../src/model/card.ts';
import { parseCardId } from '../src/model/card-id.ts';
import { drawableDays, lastDays } from '../src/model/price-history.ts';
import { cardEmbed, noSuchCard } from '../src/render/card-embed.ts';
import { cardChoices, otherPrintings, severalCards, unknownCard } from '../src/render/card-list.ts';
import { buttons, menu } from '../src/render/components.ts';
import { rowLabel } from '../src/render/formats.ts';
import { historyFile } from '../src/render/history-picture.ts';
import { copyNote, errorMessage, formatMessage, nameText, timeToCome } from '../src/render/messages.ts';
import {
  type Command,
  privately,
  type Reply,
  repliesPrivately,
  replyLocale,
  type Services,
  say,
  type Use,
  wanted,
  withDelete,
} from './command.ts';
import { type Action, choiceIds, customId, DELETE, EMPTY_FORM, readAction } from './custom-ids.ts';
import { CARD_OPTION, VIEW_OPTIONS } from './declare.ts';

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
    const [showPrices, isPrivate] = [options.getBoolean('prices') ?? true, repliesPrivately(use)];
    const id = readCardId(typed);
    const known: Known = id === undefined ? { kind: 'missing' } : await cards.known(id, showPrices);
    const text = id ?? typed;
    const asked = wanted([{ cardId: text, showPrices, known }], isPrivate);
    if (known.answer?.card) return asked;

    const meant = await catalog.resolve(text, requester);
    if (meant.kind === 'one') return wanted([{ cardId: meant.card.id, showPrices }], isPrivate);
    if (meant.kind === 'several') {
      const ids = choiceIds({ showPrices, isPrivate }, meant.cards[0]?.id);
      return privately(severalCards(locale, meant, ids));
    }
    // That the service has denied this very id says more than a name that nobody has.
    const isDenied = known.kind === 'fresh' || (known.kind === 'stale' && meant.kind === 'none');
    if (meant.kind === 'id' || isDenied) return asked;
    const similar = meant.kind === 'none' ? meant.similar : undefined;
    const ids = choiceIds({ showPrices, isPrivate });
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
        return sameNamed({ ...action, id }, use, services);
      case 'history':
        return priceHistory({ ...action, id }, values, use, services);
      case 'show': {
        const cardId = services.readCardId(parseCardId(id));
        if (cardId === undefined) return privately(unknownCard(locale, id, [], choiceIds(action), false));
        return wanted([{ cardId, showPrices: action.showPrices }], action.isPrivate);
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
      return shown(time ? formatMessage(locale, 'permitAt', { time }) : formatMessage(locale, 'stillAsking'));
    }
    const { answer, isJustFetched, ...copy } = outcome;
    if (!answer) return shown(copy.error ? errorMessage(locale, copy.error) : '');
    const { cardId, showPrices } = query;
    const { card } = answer;
    const note = copyNote(locale, copy);
    if (!card) return shown(noSuchCard(locale, cardId, answer.fetchedAtMs, note !== undefined));
    const embed = cardEmbed({ ...view, card, answer, showPrices, note, isJustFetched });
    const hasHistory = showPrices && drawableDays(answer.history ?? [], Date.now()).length > 0;
    const components = buttons(locale, {
      showHistory: hasHistory && customId('card', { kind: 'history', isPrivate: true, id: cardId }),
      watchCard: showPrices && card.prices?.market !== undefined && EMPTY_FORM + cardId,
      showPrintings: customId('card', { kind: 'printings', showPrices, isPrivate, id: cardId }),
      showToEveryone: isPrivate && view.canReplyPublicly && customId('card', { kind: 'show', showPrices, id: cardId }),
      // A private reply has Discord's own way to be dismissed.
      deleteReply: !isPrivate && DELETE,
    });
    return { embeds: [embed], components };
  },
} satisfies Command;

/** The other printings of a card, or all cards of its name. With a page it replaces the message that has the button. */
async function sameNamed(
  { kind, id, number, ...options }: Action & { id: string },
  { locale }: Use,
  { catalog }: Services,
): Promise<Reply> {
  const isOthers = kind === 'printings';
  const found = await catalog.printings(id, { page: number ?? 0, isOthers });
  if (!found) return say(locale, 'namesUnsearched');
  const ids = choiceIds(options, id, kind);
  const message = isOthers ? otherPrintings(locale, found, ids) : severalCards(locale, found, ids);
  return { ...privately(message), isInPlace: number !== undefined };
}

/** The price of a card over time, from what is kept of it. Costs no request, and drawing takes some milliseconds. */
async function priceHistory(
  { id, number: days, ...action }: Action & { id: string },
  [selected]: readonly string[],
  use: Use,
  { cards, currency: ofOthers }: Services,
): Promise<Reply> {
  const { answer } = await cards.kept(id);
  const [history, nowMs] = [answer?.history ?? [], Date.now()];
  const choices = drawableDays(history, nowMs);
  const wanted = choices.find((each) => each === Number(selected ?? days)) ?? choices[0];
  if (!answer?.card || wanted === undefined) return say(use.locale, 'noHistory');
  const isPrivate = action.isPrivate || !use.canReplyPublicly;
  const locale = replyLocale(use, isPrivate, use.server.language);
  const { label, currency = ofOthers } = answer.missingRow ?? answer.card.prices ?? {};
  const option = (each: number) => ({
    label: formatMessage(locale, 'historyDays', { days: each }),
    value: String(each),
    default: each === wanted,
  });
  const menuId = customId('card', { kind: 'history', isPrivate, id });
  const message = {
    content: formatMessage(locale, 'history', { name: nameText(locale, answer.card.name, 256) }) + rowLabel(label),
    files: [await historyFile(lastDays(history, wanted, nowMs), locale, currency)],
    components: [
      ...(isPrivate && choices.length > 1 ? menu(option(wanted).label, menuId, choices.map(option)) : []),
      ...buttons(locale, {
        showToEveryone: isPrivate && use.canReplyPublicly && customId('card', { kind: 'history', number: wanted, id }),
        deleteReply: !isPrivate && DELETE,
      }),
    ],
  };
  return { ...privately(message), isPrivate, isInPlace: selected !== undefined };
}
