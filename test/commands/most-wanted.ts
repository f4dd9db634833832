import { SlashCommandBuilder } from '@discordjs/builders';
import card from '../../commands/card.ts';
import { type Command, sentence } from '../../commands/command.ts';
import { requesterOf } from '../../src/model/quota.ts';

/** Shows the card that this server asks for most. */
export default {
  data: new SlashCommandBuilder().setName('most-wanted').setDescription("Show this server's favourite card").toJSON(),

  async ask(use, { catalog }) {
    const [favourite] = await catalog.search('', requesterOf(use), Date.now() + 1_000);
    if (!favourite) return sentence('Nobody has looked up a card here yet. Try /card first.');
    return { queries: [{ cardId: favourite.id, showPrices: true }], unclear: [], unsearched: [], isPrivate: false };
  },

  show: card.show,
} satisfies Command;
