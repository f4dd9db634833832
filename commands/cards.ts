import { SlashCommandBuilder } from '@discordjs/builders';
import { ApplicationIntegrationType, InteractionContextType } from 'discord.js';
import { MOST_LISTED } from '../src/catalog/catalog.ts';
import type { Command, Response } from '../src/discord/interactions/command.ts';
import { requesterOf } from '../src/model/quota.ts';
import { listChoices } from '../src/render/card-list.ts';
import { formatMessage } from '../src/render/messages.ts';
import { suggestedByMs } from './card-suggestions.ts';
import { answerCards, showCards } from './cards-answer.ts';

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
    const { ids, unclear, unsearched } = await services.catalog.resolveList(
      options.getString('ids', true),
      requesterOf(invocation),
    );
    const count = ids.length + unclear.length + unsearched.length;
    if (count === 0 || count > MOST_LISTED) {
      return sentence(formatMessage(locale, count === 0 ? 'noCardsNamed' : 'tooManyCards'));
    }
    const showPrices = options.getBoolean('prices') ?? true;
    const queries = ids.map((cardId) => ({ cardId, showPrices }));
    const list = { queries, unclear: [...unclear], unsearched: [...unsearched] };
    return answerCards({ list, isPrivate: options.getBoolean('private') ?? false }, invocation, services);
  },

  async autocomplete({ typed, ...invocation }, { catalog }) {
    const found = await catalog.searchInList(typed, requesterOf(invocation), suggestedByMs(invocation));
    return listChoices(invocation.locale, found);
  },

  completeList: (reply, outcome, services) => showCards(reply, outcome, services),
} satisfies Command;

function sentence(content: string): Response {
  return { kind: 'reply', private: true, source: 'bot', message: { content } };
}
