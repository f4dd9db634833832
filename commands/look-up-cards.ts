import { ContextMenuCommandBuilder } from '@discordjs/builders';
import { ApplicationCommandType, ApplicationIntegrationType, InteractionContextType } from 'discord.js';
import type { Command } from '../src/discord/interactions/command.ts';
import { requesterOf } from '../src/model/quota.ts';
import { formatMessage } from '../src/render/messages.ts';
import { answerCards, showCards } from './cards-answer.ts';

/** Discord hands over the message that was chosen, so this needs no intent to read messages. */
export default {
  data: new ContextMenuCommandBuilder()
    .setName('Look up cards')
    .setType(ApplicationCommandType.Message)
    .setContexts(InteractionContextType.Guild, InteractionContextType.BotDM)
    .setIntegrationTypes(ApplicationIntegrationType.GuildInstall)
    .toJSON(),

  async runOnMessage({ text, ...invocation }, services) {
    const mentions = await services.catalog.mentions(text, requesterOf(invocation));
    const { ids, ambiguous } = mentions ?? { ids: [], ambiguous: [] };
    if (ids.length === 0) {
      const content = formatMessage(invocation.locale, mentions ? 'noCardsMentioned' : 'namesUnsearched');
      return { kind: 'reply', private: true, source: 'bot', message: { content } };
    }
    const queries = ids.map((cardId) => ({ cardId, showPrices: true }));
    return answerCards({ list: { queries, unclear: [...ambiguous] }, isPrivate: true }, invocation, services);
  },

  completeList: (reply, outcome, services) => showCards(reply, outcome, services),
} satisfies Command;
