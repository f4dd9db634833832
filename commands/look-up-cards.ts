import { ApplicationCommandType } from 'discord.js';
import cards from './cards.ts';
import { type Command, say, wanted } from './command.ts';

/** Discord hands over the message that was chosen, so this needs no intent to read messages. */
export default {
  data: { name: 'Look up cards', type: ApplicationCommandType.Message },

  async ask({ text, locale }, { catalog }) {
    const mentions = await catalog.mentions(text);
    const { ids, ambiguous } = mentions ?? { ids: [], ambiguous: [] };
    if (ids.length === 0) return say(locale, mentions ? 'noCardsMentioned' : 'namesUnsearched');
    const queries = ids.map((cardId) => ({ cardId, showPrices: true }));
    return wanted(queries, true, { unclear: [...ambiguous] });
  },

  show: cards.show,
} satisfies Command;
