import card from '../../commands/card.ts';
import { type Command, sentence, showingOf, wanted } from '../../commands/command.ts';

/** Shows the card that this server asks for most. */
export default {
  data: { name: 'most-wanted' },

  async ask(use, services) {
    const [favourite] = await services.catalog.search('', use.requester, Date.now() + 1_000);
    if (!favourite) return sentence('Nobody has looked up a card here yet. Try /card first.');
    return wanted([favourite.id], showingOf(use));
  },

  show: card.show,
} satisfies Command;
