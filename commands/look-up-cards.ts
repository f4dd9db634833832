import { ContextMenuCommandBuilder } from '@discordjs/builders';
import { ApplicationCommandType } from 'discord.js';
import en from '../src/render/languages/en.json' with { type: 'json' };
import cards from './cards.ts';
import { type Command, say, wanted } from './command.ts';
import { ANY_INSTALL, EVERYWHERE } from './places.ts';

/** Discord hands over the message that was chosen, so this needs no intent to read messages. */
export default {
  data: new ContextMenuCommandBuilder()
    .setName(en.menu_look_up_cards)
    .setType(ApplicationCommandType.Message)
    .setContexts(...EVERYWHERE)
    .setIntegrationTypes(...ANY_INSTALL)
    .toJSON(),

  async ask({ text, locale, requester }, { catalog }) {
    const mentions = await catalog.mentions(text, requester);
    const { ids, ambiguous } = mentions ?? { ids: [], ambiguous: [] };
    if (ids.length === 0) return say(locale, mentions ? 'noCardsMentioned' : 'namesUnsearched');
    const queries = ids.map((cardId) => ({ cardId, showPrices: true }));
    return wanted(queries, true, { unclear: [...ambiguous] });
  },

  show: cards.show,
} satisfies Command;
