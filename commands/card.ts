import { SlashCommandBuilder } from '@discordjs/builders';
import { ApplicationIntegrationType, InteractionContextType } from 'discord.js';
import type { Command, Invocation, Response } from '../src/discord/interactions/command.ts';
import { MAX_CARD_ID_LENGTH, parseCardId } from '../src/model/card.ts';
import { requesterOf } from '../src/model/quota.ts';
import { errorMessage, formatMessage } from '../src/render/messages.ts';
import { answerCard, type CardRequest, showAsked } from './card-answer.ts';
import { offerCards, offerPrintings, offerSimilar, readAction } from './card-choices.ts';
import { suggestCards } from './card-suggestions.ts';
import type { Services } from './services.ts';

export default {
  data: new SlashCommandBuilder()
    .setName('card')
    .setDescription('Show a trading card: picture, set, rarity and prices')
    .setContexts(InteractionContextType.Guild, InteractionContextType.BotDM)
    .setIntegrationTypes(ApplicationIntegrationType.GuildInstall)
    .addStringOption((option) =>
      option
        .setName('id')
        .setDescription("The card's name or id, such as base1-4")
        .setRequired(true)
        .setAutocomplete(true)
        .setMinLength(1)
        .setMaxLength(MAX_CARD_ID_LENGTH),
    )
    .addBooleanOption((option) => option.setName('prices').setDescription('Show prices (default: yes)'))
    .addBooleanOption((option) => option.setName('private').setDescription('Show the card only to you (default: no)'))
    .toJSON(),

  async run(invocation, services) {
    const { options } = invocation;
    const cardId = parseCardId(options.getString('id', true));
    const query = { cardId, showPrices: options.getBoolean('prices') ?? true };
    return answerText({ query, isPrivate: options.getBoolean('private') ?? false }, invocation, services);
  },

  autocomplete: ({ typed, ...invocation }, services) => suggestCards(typed, invocation, services),

  cardOf(argument) {
    const action = readAction(argument);
    return action && 'cardId' in action ? action.cardId : undefined;
  },

  async component({ argument, values, askedBy, manageMessages, ...invocation }, services) {
    const { locale, memberId } = invocation;
    const action = readAction(argument);
    if (action?.kind === 'delete') {
      const isAllowed = memberId === askedBy || manageMessages;
      return isAllowed ? { kind: 'delete' } : sentence(formatMessage(locale, 'notYoursToDelete'));
    }
    if (action?.kind === 'printings') {
      const cards = await services.catalog.printings(action.cardId, requesterOf(invocation));
      return offerPrintings(cards, action, locale);
    }
    const chosen = action?.cardId ?? values[0];
    if (!action || chosen === undefined) return sentence(formatMessage(locale, 'outOfDate'));
    const query = { cardId: parseCardId(chosen), showPrices: action.showPrices };
    const known = await services.cards.known(query.cardId, query.showPrices);
    return answerCard({ query, isPrivate: action.isPrivate }, known, invocation, services);
  },

  complete: (reply, outcome, services) =>
    'answer' in outcome
      ? showAsked({ query: reply.query, isPrivate: reply.private }, outcome.answer, reply, services)
      : { content: errorMessage(reply.locale, outcome.error) },
} satisfies Command;

/** A card that is kept under exactly this id, or else what the text means in the catalog: neither costs a request. */
async function answerText(request: CardRequest, invocation: Invocation, services: Services): Promise<Response> {
  const { query } = request;
  const { locale } = invocation;
  const known = await services.cards.known(query.cardId, query.showPrices);
  const isKept = known.kind !== 'missing' && known.answer.card !== undefined;
  if (isKept) return answerCard(request, known, invocation, services);

  const meant = await services.catalog.resolve(query.cardId, requesterOf(invocation));
  switch (meant.kind) {
    case 'one': {
      const found = { ...query, cardId: meant.card.id, isResolved: true };
      const knownOfIt = await services.cards.known(found.cardId, found.showPrices);
      return answerCard({ ...request, query: found }, knownOfIt, invocation, services);
    }
    case 'several':
      return offerCards(meant.cards, request, locale);
    case 'none':
      // That the service denied exactly this text is more than that nothing is called so.
      if (known.kind === 'missing') return offerSimilar(meant.similar, request, locale);
      break;
    case 'unsearched':
      if (known.kind !== 'fresh') return offerSimilar(undefined, request, locale);
      break;
    case 'id':
  }
  return answerCard(request, known, invocation, services);
}

function sentence(content: string): Response {
  return { kind: 'reply', private: true, source: 'bot', message: { content } };
}
