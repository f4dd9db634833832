import { SlashCommandBuilder } from '@discordjs/builders';
import { isFetchedFor } from '../src/lookup/outcomes.ts';
import type { CardQuery, Known } from '../src/model/card.ts';
import { MAX_CARD_ID_LENGTH, parseCardId } from '../src/model/card-id.ts';
import type { Asked } from '../src/model/invocation.ts';
import { drawableDays } from '../src/model/price-history.ts';
import { cardEmbed, noSuchCard } from '../src/render/card-embed.ts';
import { cardChoices, otherPrintings, severalCards, unknownCard } from '../src/render/card-list.ts';
import { buttons } from '../src/render/components.ts';
import { historyMessage } from '../src/render/history-message.ts';
import en from '../src/render/languages/en.json' with { type: 'json' };
import { copyNote, errorMessage, formatMessage, timeToCome } from '../src/render/messages.ts';
import { replyLocale } from '../src/render/reply-locale.ts';
import { choiceIds, customId, type HistoryAction, readAction } from './card-actions.ts';
import {
  type Command,
  type CommandUse,
  privately,
  type Reply,
  repliesPrivately,
  type Services,
  sentence,
  type Use,
} from './command.ts';
import { withDelete } from './delete-reply.ts';
import { ANY_INSTALL, EVERYWHERE } from './places.ts';
import { EMPTY_FORM } from './watch-form.ts';

export default {
  data: new SlashCommandBuilder()
    .setName('card')
    .setDescription(en.command_card)
    .setContexts(...EVERYWHERE)
    .setIntegrationTypes(...ANY_INSTALL)
    .addStringOption((option) =>
      option
        .setName('id')
        .setDescription(en.command_card_id)
        .setRequired(true)
        .setAutocomplete(true)
        .setMinLength(1)
        .setMaxLength(MAX_CARD_ID_LENGTH),
    )
    .addBooleanOption((option) => option.setName('prices').setDescription(en.command_card_prices))
    .addBooleanOption((option) => option.setName('private').setDescription(en.command_card_private))
    .toJSON(),

  async ask(use, services) {
    const { options } = use;
    const cardId = parseCardId(options.getString('id', true));
    const query = { cardId, showPrices: options.getBoolean('prices') ?? true };
    return whatToShow(query, repliesPrivately(use), use, services);
  },

  async autocomplete({ typed, suggestByMs, locale, requester }, { catalog }) {
    return cardChoices(locale, await catalog.search(typed, requester, suggestByMs));
  },

  cardOf(argument) {
    const action = readAction(argument);
    return action && 'cardId' in action ? action.cardId : undefined;
  },

  async component({ argument, values, repliedTo, manageMessages, locale, ...who }, services) {
    const action = readAction(argument);
    if (action?.kind === 'delete') {
      const isAllowed = who.requester.memberId === repliedTo?.memberId || manageMessages;
      return isAllowed
        ? { kind: 'delete', interactionId: repliedTo?.interactionId }
        : sentence(formatMessage(locale, 'notYoursToDelete'));
    }
    if (action?.kind === 'printings' || action?.kind === 'named') {
      const { kind, page = 0, cardId } = action;
      const isOthers = kind === 'printings';
      const found = await services.catalog.printings(cardId, { page, isOthers }, who.requester);
      if (!found) return sentence(formatMessage(locale, 'namesUnsearched'));
      const ids = choiceIds(action, cardId, kind);
      const message = isOthers ? otherPrintings(locale, found, ids) : severalCards(locale, found, ids);
      return { ...privately(message), isInPlace: action.page !== undefined };
    }
    if (action?.kind === 'history') return priceHistory(action, values, { ...who, locale }, services);
    const chosen = action?.cardId ?? values[0];
    if (!action || chosen === undefined) return sentence(formatMessage(locale, 'outOfDate'));
    const { showPrices, isPrivate } = action;
    const cardId = services.readCardId(parseCardId(chosen));
    if (cardId === undefined) return privately(unknownCard(locale, chosen, [], choiceIds(action), false));
    return { queries: [{ cardId, showPrices }], unclear: [], unsearched: [], isPrivate };
  },

  show({ queries: [query], isPrivate }, { cards: [outcome], permitAtMs, requestedAtMs }, view) {
    const { locale } = view;
    const shown = (content: string) => (view.isPrivate ? { content } : withDelete({ content }, locale));
    if (!query || !outcome) {
      const { time } = timeToCome(permitAtMs);
      return shown(time ? formatMessage(locale, 'permitAt', { time }) : formatMessage(locale, 'stillAsking'));
    }
    const { answer, ...copy } = outcome;
    if (!answer) return shown(copy.error ? errorMessage(locale, copy.error) : '');
    const { cardId, showPrices } = query;
    const { card } = answer;
    const note = copyNote(locale, copy);
    if (!card) return shown(noSuchCard(locale, cardId, answer.fetchedAtMs, note !== undefined));
    const isJustFetched = isFetchedFor(requestedAtMs, answer);
    const embed = cardEmbed({ ...view, card, answer, showPrices, note, isJustFetched });
    const hasHistory = showPrices && drawableDays(answer.history ?? [], Date.now()).length > 0;
    const components = buttons(locale, {
      ...(hasHistory && { showHistory: customId({ kind: 'history', isPrivate: true, cardId }) }),
      ...(showPrices && card.prices?.market !== undefined && { watchCard: EMPTY_FORM + cardId }),
      showPrintings: customId({ kind: 'printings', showPrices, isPrivate, cardId }),
      // A private reply has Discord's own way to be dismissed.
      ...(isPrivate
        ? { showToEveryone: view.canReplyPublicly && customId({ kind: 'show', showPrices, isPrivate: false, cardId }) }
        : { deleteReply: customId({ kind: 'delete' }) }),
    });
    return { embeds: [embed], components };
  },
} satisfies Command;

/** The price of a card over time, from what is kept of it. Costs no request, and drawing takes some milliseconds. */
async function priceHistory(
  { cardId, days, ...action }: HistoryAction,
  [selected]: readonly string[],
  use: Use,
  { cards, currency }: Services,
): Promise<Reply> {
  const answer = await cards.kept(cardId);
  const [history, nowMs] = [answer?.history ?? [], Date.now()];
  const choices = drawableDays(history, nowMs);
  const wanted = choices.find((each) => String(each) === (selected ?? String(days))) ?? choices[0];
  if (!answer?.card || wanted === undefined) return sentence(formatMessage(use.locale, 'noHistory'));
  const isPrivate = action.isPrivate || !use.canReplyPublicly;
  const locale = replyLocale(use, isPrivate, use.server.language);
  const ids = isPrivate
    ? {
        menuId: customId({ kind: 'history', isPrivate, cardId }),
        showToEveryone: use.canReplyPublicly && customId({ kind: 'history', days: wanted, isPrivate: false, cardId }),
      }
    : { deleteReply: customId({ kind: 'delete' }) };
  const row = answer.missingRow ?? answer.card.prices;
  const view = { card: answer.card, label: row?.label, history, days: wanted, choices, nowMs, locale };
  const message = await historyMessage({ ...view, currency: row?.currency ?? currency }, ids);
  return { message, isPrivate, source: 'bot', isInPlace: selected !== undefined };
}

/**
 * Decides what `/card` shows: the kept copy of exactly this id, otherwise what the catalog makes of the text. Costs no
 * request. Only a text that may be an id, or means one card, is returned as `Asked`, for which a request may be sent;
 * anything else is answered with what the member may have meant.
 */
async function whatToShow(
  query: CardQuery,
  isPrivate: boolean,
  { locale, requester }: CommandUse,
  { cards, catalog, readCardId }: Services,
): Promise<Asked | Reply> {
  const { showPrices } = query;
  const cardId = readCardId(query.cardId);
  const known: Known = cardId === undefined ? { kind: 'missing' } : await cards.known(cardId, showPrices);
  const text = cardId ?? query.cardId;
  const queries: CardQuery[] = [{ cardId: text, showPrices, known }];
  const asked = { queries, unclear: [], unsearched: [], isPrivate };
  const isKept = known.kind !== 'missing' && known.answer.card !== undefined;
  if (isKept) return asked;

  const ids = choiceIds({ showPrices, isPrivate });
  const askId = cardId !== undefined && customId({ kind: 'show', showPrices, isPrivate, cardId });
  const meant = await catalog.resolve(text, requester);
  switch (meant.kind) {
    case 'one':
      return { ...asked, queries: [{ ...query, cardId: meant.card.id }] };
    case 'several':
      return privately(severalCards(locale, meant, choiceIds({ showPrices, isPrivate }, meant.cards[0]?.id)));
    case 'none':
      // The service has denied this very id, which says more than a name that nobody has.
      if (known.kind !== 'missing') return asked;
      return privately(unknownCard(locale, text, meant.similar, ids, askId));
    case 'unsearched':
      if (known.kind === 'fresh') return asked;
      return privately(unknownCard(locale, text, undefined, ids, askId));
    case 'id':
      return asked;
  }
}
