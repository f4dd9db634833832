import { ApplicationCommandOptionType } from 'discord.js';
import { MOST_LISTED } from '../src/catalog/answers.ts';
import type { Asked } from '../src/model/invocation.ts';
import type { CardView } from '../src/render/card-embed.ts';
import { cardMenu, listChoices, unclearChoice } from '../src/render/card-list.ts';
import { cardsMessage, unclearLines, unclearTexts } from '../src/render/cards-message.ts';
import { buttons } from '../src/render/components.ts';
import { copyNote } from '../src/render/messages.ts';
import {
  type Command,
  failedOf,
  type Message,
  privately,
  repliesPrivately,
  say,
  wanted,
  withDelete,
} from './command.ts';
import { choiceIds, customId, readAction } from './custom-ids.ts';
import { VIEW_OPTIONS } from './declare.ts';
import { listForm, pasted, pressed } from './pasted-list.ts';

/** Room for ten ids of 100 characters. */
const MAX_LENGTH = 1_000;

export default {
  data: {
    name: 'cards',
    options: {
      ids: { type: ApplicationCommandOptionType.String, autocomplete: true, min_length: 1, max_length: MAX_LENGTH },
      ...VIEW_OPTIONS,
    },
  },

  async ask(use, services) {
    const { options, locale, requester } = use;
    const text = options.getString('ids');
    if (text === null) return listForm(locale);
    const { ids, unclear, unsearched } = await services.catalog.resolveList(text, requester);
    const count = ids.length + unclear.length + unsearched.length;
    if (count === 0 || count > MOST_LISTED) {
      return say(locale, count === 0 ? 'noCardsNamed' : 'tooManyCards');
    }
    const showPrices = options.getBoolean('prices') ?? true;
    const queries = ids.map((cardId) => ({ cardId, showPrices }));
    return wanted(queries, repliesPrivately(use), { unclear: [...unclear], unsearched: [...unsearched] });
  },

  async autocomplete({ typed, suggestByMs, locale, requester }, { catalog }) {
    return listChoices(locale, await catalog.searchInList(typed, requester, suggestByMs));
  },

  submit: pasted,

  /**
   * Does what the buttons of a pasted list do; offers in private the cards that the unclear texts of a public reply may
   * mean.
   */
  async component(use, services) {
    const { argument, content, locale, requester } = use;
    const { catalog } = services;
    const action = readAction(argument);
    if (action?.kind === 'fetch' || action?.kind === 'show') return pressed(action, use, services);
    const { kind, showPrices = true } = action ?? {};
    const texts = kind === 'choose' ? unclearTexts(content) : [];
    const { unclear, unsearched } = await catalog.resolveList(texts.join('\n'), requester);
    const components = unclearChoice(locale, unclear, choiceIds({ showPrices, isPrivate: false }));
    if (components.length === 0) return say(locale, unsearched.length > 0 ? 'namesUnsearched' : 'outOfDate');
    return privately({ content: unclearLines(locale, unclear).join('\n'), components });
  },

  /** Shows the cards, and once none is to come which are missing; in the end also how many requests they cost. */
  show(asked, outcomes, { quota, ...view }) {
    const { locale } = view;
    const cards = asked.queries.map((query, at) => ({ ...query, outcome: outcomes.cards[at] }));
    const views = cards.flatMap(({ showPrices, outcome: { answer, isJustFetched, ...copy } = {} }): CardView[] => {
      if (!answer?.card) return [];
      const note = copyNote(locale, copy);
      return [{ ...view, card: answer.card, answer, showPrices, quota: undefined, note, isJustFetched }];
    });
    const toCome = cards.filter(({ outcome }) => outcome === undefined).length;
    const message = cardsMessage({
      ...outcomes,
      ...{ locale, quota, views, unclear: asked.unclear, unsearched: asked.unsearched },
      // A kept "no such card" counts as not found even when its renewal failed.
      notFound: cards.filter(({ outcome }) => outcome?.answer && !outcome.answer.card).map(({ cardId }) => cardId),
      failed: failedOf(asked, outcomes),
      toCome,
      isEnd: outcomes.cards.every((outcome) => outcome && !outcome.isRenewing),
    });
    return withDelete({ ...message, components: toCome === 0 ? choices(asked, locale) : [] }, view);
  },
} satisfies Command;

/** `/card` answers these menus. In a public reply anybody could use one, so a button opens it in private. */
function choices(
  { queries, unclear, unsearched, isPrivate }: Asked,
  locale: string,
): NonNullable<Message['components']> {
  const showPrices = queries.every((query) => query.showPrices);
  const ids = choiceIds({ showPrices, isPrivate });
  if (unsearched.length > 0) {
    const texts = unsearched.map((text) => ({ id: text, name: text }));
    return cardMenu(locale, texts, ids.menu, 'askAnyway'); // they may be ids all the same
  }
  const cards = new Set(unclear.flatMap(({ cards }) => cards.map(({ id }) => id)));
  const isAlone = isPrivate || queries.length === 0 || cards.size <= 1;
  return isAlone
    ? unclearChoice(locale, unclear, ids)
    : buttons(locale, { chooseCard: customId('cards', { kind: 'choose', showPrices }) });
}
