import { SlashCommandBuilder } from '@discordjs/builders';
import { ApplicationIntegrationType, InteractionContextType } from 'discord.js';
import type { Command, Response } from '../src/discord/interactions/command.ts';
import { requesterOf } from '../src/model/quota.ts';
import { formatMessage } from '../src/render/messages.ts';
import { suggestCards } from './card-suggestions.ts';
import { answerCards, showCards } from './cards-answer.ts';
import { cardsMeant, completing, MOST_CARDS, partsOf } from './cards-parts.ts';

/** Ten of the longest ids. */
const MAX_LENGTH = 1_000;

export default {
  data: new SlashCommandBuilder()
    .setName('cards')
    .setDescription('Show up to ten trading cards at once')
    .setContexts(InteractionContextType.Guild, InteractionContextType.BotDM)
    .setIntegrationTypes(ApplicationIntegrationType.GuildInstall)
    .addStringOption((option) =>
      option
        .setName('ids')
        .setDescription('Names or ids, separated by commas, such as base1-4, base1-5')
        .setRequired(true)
        .setAutocomplete(true)
        .setMinLength(1)
        .setMaxLength(MAX_LENGTH),
    )
    .addBooleanOption((option) => option.setName('prices').setDescription('Show prices (default: yes)'))
    .addBooleanOption((option) => option.setName('private').setDescription('Show the cards only to you (default: no)'))
    .toJSON(),

  async run(invocation, services) {
    const { options, locale } = invocation;
    const parts = partsOf(options.getString('ids', true));
    const meant = await cardsMeant(parts, requesterOf(invocation), services.catalog);
    if (meant.ids.length + meant.unclear.length > MOST_CARDS || parts.length === 0) {
      return sentence(formatMessage(locale, parts.length === 0 ? 'noCardsNamed' : 'tooManyCards'));
    }
    const showPrices = options.getBoolean('prices') ?? true;
    const list = { queries: meant.ids.map((cardId) => ({ cardId, showPrices })), unclear: meant.unclear };
    return answerCards({ list, isPrivate: options.getBoolean('private') ?? false }, invocation, services);
  },

  async autocomplete({ typed, ...invocation }, services) {
    const { before, last } = completing(typed);
    return suggestCards(last, invocation, services, before);
  },

  completeList: (reply, outcome, services) => showCards(reply, outcome, services),
} satisfies Command;

function sentence(content: string): Response {
  return { kind: 'reply', private: true, source: 'bot', message: { content } };
}
