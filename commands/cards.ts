import { ApplicationCommandOptionType, ApplicationCommandType } from 'discord.js';
import { MOST_LISTED } from '../src/catalog/list.ts';
import type { Outcomes } from '../src/lookup/lookups.ts';
import type { Asked } from '../src/model/invocation.ts';
import { type CardView, cardEmbeds } from '../src/render/card-embed.ts';
import { cardMenu, listChoices, unclearChoice, unclearLines, unclearTexts } from '../src/render/card-list.ts';
import { joined, type Line } from '../src/render/formats.ts';
import {
  buttons,
  copyNote,
  errorMessage,
  formatMessage,
  listed,
  onTheirWay,
  typedText,
} from '../src/render/messages.ts';
import {
  type Command,
  choiceIds,
  customId,
  failedOf,
  privately,
  readAction,
  say,
  showingOf,
  VIEW_OPTIONS,
  wanted,
  withDelete,
} from './command.ts';
import { listForm, pasted, pressed } from './pasted-list.ts';

/** Room for ten ids of 100 characters. */
const MAX_LENGTH = 1_000;
/** Ten ids or names of this length leave room for the other sentences. */
const TEXT_LENGTH = 80;

const cards = {
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
    return wanted(ids, showingOf(use), { unclear: [...unclear], unsearched: [...unsearched] });
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
    const action = readAction(argument);
    if (action?.kind === 'fetch' || action?.kind === 'show') return pressed(action, use, services);
    const { kind, showPrices = true } = action ?? {};
    const texts = kind === 'choose' ? unclearTexts(content) : [];
    const { unclear, unsearched } = await services.catalog.resolveList(texts.join('\n'), requester);
    const components = unclearChoice(locale, unclear, choiceIds({ showPrices, isPrivate: false }));
    if (components.length === 0) return say(locale, unsearched.length > 0 ? 'namesUnsearched' : 'outOfDate');
    return privately({ content: unclearLines(locale, unclear).join('\n'), components });
  },

  /**
   * Shows the cards, each with one of its prices and its front alone, in the end the last with what all cost; in the
   * text what is still to come, or else what was not found.
   */
  show(asked, outcomes, view) {
    const { locale, quota } = view;
    const { cards, requests } = outcomes;
    const views = asked.queries.flatMap(({ showPrices }, at): CardView[] => {
      const { answer, isJustFetched, ...copy } = cards[at] ?? {};
      if (!answer?.card) return [];
      const note = copyNote(locale, copy);
      const front = { card: { ...answer.card, backImageUrl: undefined }, answer: { ...answer, others: undefined } };
      return [{ ...view, ...front, showPrices, quota: undefined, note, isJustFetched }];
    });
    const toCome = asked.queries.filter((_, at) => !cards[at]).length;
    const isEnd = cards.every((outcome) => outcome && !outcome.isRenewing);
    const shown = views.map((each, at) => (isEnd && at === views.length - 1 ? { ...each, requests, quota } : each));
    const embeds = cardEmbeds(shown, views.length + toCome > 1);
    const message =
      toCome > 0
        ? { content: onTheirWay(locale, toCome, outcomes.permitAtMs, views.length), embeds }
        : { content: joined(notShown(asked, outcomes, locale)), embeds, components: choices(asked, locale) };
    return withDelete(message, view);
  },
} satisfies Command;

export default cards;

/** Discord hands over the message that was chosen, so this needs no intent to read messages. */
export const lookUpCards = {
  data: { name: 'Look up cards', type: ApplicationCommandType.Message },

  async ask({ text, locale }, { catalog }) {
    const mentions = await catalog.mentions(text);
    if (!mentions) return say(locale, 'namesUnsearched');
    const { ids, ambiguous } = mentions;
    if (ids.length === 0) return say(locale, 'noCardsMentioned');
    return wanted(ids, { showPrices: true, isPrivate: true }, { unclear: [...ambiguous] });
  },

  show: cards.show,
} satisfies Command;

function notShown(asked: Asked, outcomes: Outcomes, locale: string): Line[] {
  const { queries, unclear, unsearched } = asked;
  const named = (texts: readonly string[]) => {
    const names = texts.map((text) => typedText(locale, text, TEXT_LENGTH));
    return { names: listed(locale, names, 'and', '**') };
  };
  // A kept "no such card" counts as not found even when its renewal failed.
  const notFound = queries.flatMap(({ cardId }, at) => {
    const answer = outcomes.cards[at]?.answer;
    return answer && !answer.card ? cardId : [];
  });
  const reasons = Map.groupBy(failedOf(asked, outcomes), ({ error }) => errorMessage(locale, error));
  return [
    notFound.length > 0 && formatMessage(locale, 'cardsNotFound', named(notFound)),
    ...unclearLines(locale, unclear),
    unsearched.length > 0 && formatMessage(locale, 'cardsUnsearched', named(unsearched)),
    ...[...reasons].map(([reason, failed]) => {
      return formatMessage(locale, 'cardsFailed', { ...named(failed.map(({ cardId }) => cardId)), reason });
    }),
  ];
}

/** `/card` answers these menus. In a public reply anybody could use one, so a button opens it in private. */
function choices({ queries, unclear, unsearched, isPrivate }: Asked, locale: string) {
  const showPrices = queries.every((query) => query.showPrices);
  const ids = choiceIds({ showPrices, isPrivate });
  if (unsearched.length > 0) {
    const texts = unsearched.map((text) => ({ id: text, name: text }));
    return cardMenu(locale, texts, ids.menu, 'askAnyway'); // they may be ids all the same
  }
  const cards = new Set(unclear.flatMap(({ cards }) => cards.map(({ id }) => id)));
  return isPrivate || queries.length === 0 || cards.size <= 1
    ? unclearChoice(locale, unclear, ids)
    : buttons(locale, { chooseCard: customId('cards', { kind: 'choose', showPrices }) });
}
