import card from '../../commands/card.ts';
import { type Command, repliesPrivately, sentence } from '../../commands/command.ts';

/** Shows the card that this server asks for most. */
export default {
  data: { name: 'most-wanted' },

  async ask(use, services) {
    const [favourite] = await services.catalog.search('', use.requester, Date.now() + 1_000);
    if (!favourite) return sentence('Nobody has looked up a card here yet. Try /card first.');
    const queries = [{ cardId: favourite.id, showPrices: true }];
    return { kind: 'cards', queries, unclear: [], unsearched: [], isPrivate: repliesPrivately(use) };
  },

  show: card.show,
} satisfies Command;
