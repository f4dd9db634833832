import { SlashCommandBuilder } from '@discordjs/builders';
import { ApplicationIntegrationType, InteractionContextType } from 'discord.js';
import { MOST_LISTED } from '../src/catalog/catalog.ts';
import type { Outcome } from '../src/lookup/outcomes.ts';
import type { CardQuery } from '../src/model/card.ts';
import type { Asked } from '../src/model/invocation.ts';
import { requesterOf } from '../src/model/quota.ts';
import type { CardView } from '../src/render/card-embed.ts';
import { askAnywayMenus, listChoices } from '../src/render/card-list.ts';
import { cardsMessage, type MissingCard } from '../src/render/cards-message.ts';
import { formatMessage, notRenewedMessage } from '../src/render/messages.ts';
import { customId } from './card-choices.ts';
import { type Command, sentence, type View } from './command.ts';

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

  async ask({ options, locale, ...who }, { catalog }) {
    const { ids, unclear, unsearched } = await catalog.resolveList(options.getString('ids', true), requesterOf(who));
    const count = ids.length + unclear.length + unsearched.length;
    if (count === 0 || count > MOST_LISTED) {
      return sentence(formatMessage(locale, count === 0 ? 'noCardsNamed' : 'tooManyCards'));
    }
    const showPrices = options.getBoolean('prices') ?? true;
    const isPrivate = options.getBoolean('private') ?? false;
    const queries = ids.map((cardId) => ({ cardId, showPrices }));
    return { queries, unclear: [...unclear], unsearched: [...unsearched], isPrivate };
  },

  async autocomplete({ typed, suggestByMs, locale, ...who }, { catalog }) {
    return listChoices(locale, await catalog.searchInList(typed, requesterOf(who), suggestByMs));
  },

  /** At the end also what is missing, and what it cost. */
  show(asked, outcomes, { quota, ...view }) {
    const cards = asked.queries.map((query, at) => ({ query, outcome: outcomes.cards[at] }));
    const views = cards.flatMap((card) => viewOf(card, view) ?? []);
    const missing = [
      ...cards.flatMap((card) => missingOf(card) ?? []),
      ...asked.unclear.map((text) => ({ text, isUnclear: true })),
      ...asked.unsearched.map((text) => ({ text, isUnsearched: true })),
    ];
    const toCome = cards.filter(({ outcome }) => outcome === undefined).length;
    const isEnd = cards.every(({ outcome }) => outcome && !outcome.isRenewing);
    const message = cardsMessage({ ...outcomes, ...view, views, missing, toCome, isEnd, quota });
    const components = isEnd ? askAnyway(asked, view.locale) : [];
    return { ...message, ...(components.length > 0 && { components }) };
  },
} satisfies Command;

/** The menu belongs to `/card`, which shows the card that is chosen. */
function askAnyway({ queries, unsearched, isPrivate }: Asked, locale: string): ReturnType<typeof askAnywayMenus> {
  const showPrices = queries.every((query) => query.showPrices);
  return askAnywayMenus(locale, unsearched, customId({ kind: 'show', showPrices, isPrivate }));
}

interface AskedCard {
  query: CardQuery;
  outcome: Outcome | undefined;
}

function viewOf({ query, outcome }: AskedCard, view: Omit<View, 'quota'>): CardView | undefined {
  const { answer, error, isRenewing } = outcome ?? {};
  if (!answer?.card) return undefined;
  const note = error ? notRenewedMessage(view.locale, error) : isRenewing && formatMessage(view.locale, 'renewing');
  return { ...view, card: answer.card, answer, showPrices: query.showPrices, quota: undefined, ...(note && { note }) };
}

/** A copy that says that there is no such card is as good without a renewal. */
function missingOf({ query, outcome }: AskedCard): MissingCard | undefined {
  if (!outcome || outcome.answer?.card) return undefined;
  return { text: query.cardId, ...(!outcome.answer && { error: outcome.error }) };
}
