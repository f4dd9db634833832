import { SlashCommandBuilder } from '@discordjs/builders';
import { ApplicationIntegrationType, InteractionContextType } from 'discord.js';
import { MAX_CARD_ID_LENGTH, parseCardId } from '../src/model/card.ts';
import { requesterOf } from '../src/model/quota.ts';
import { cardActions } from '../src/render/card-actions.ts';
import { cardEmbed, foundId, noSuchCard } from '../src/render/card-embed.ts';
import { cardChoices } from '../src/render/card-list.ts';
import { clockTime } from '../src/render/formats.ts';
import { errorMessage, formatMessage, notRenewedMessage } from '../src/render/messages.ts';
import { type CardRequest, customId, offerCards, offerPrintings, offerSimilar, readAction } from './card-choices.ts';
import { type Ask, type Command, type CommandUse, type Reply, sentence } from './command.ts';
import type { Services } from './services.ts';

export default {
  data: new SlashCommandBuilder()
    .setName('card')
    .setDescription('Show a trading card: picture, set, rarity and prices')
    .setContexts(InteractionContextType.Guild, InteractionContextType.BotDM)
    .setIntegrationTypes(ApplicationIntegrationType.GuildInstall)
    .addStringOption((option) =>
      option
        .setName('id')
        .setDescription("The card's name or id, such as base1-4")
        .setRequired(true)
        .setAutocomplete(true)
        .setMinLength(1)
        .setMaxLength(MAX_CARD_ID_LENGTH),
    )
    .addBooleanOption((option) => option.setName('prices').setDescription('Show prices (default: yes)'))
    .addBooleanOption((option) => option.setName('private').setDescription('Show the card only to you (default: no)'))
    .toJSON(),

  async ask(use, services) {
    const { options } = use;
    const cardId = parseCardId(options.getString('id', true));
    const query = { cardId, showPrices: options.getBoolean('prices') ?? true };
    return askFor({ query, isPrivate: options.getBoolean('private') ?? false }, use, services);
  },

  async autocomplete({ typed, suggestByMs, locale, ...who }, { catalog }) {
    return cardChoices(locale, await catalog.search(typed, requesterOf(who), suggestByMs));
  },

  cardOf(argument) {
    const action = readAction(argument);
    return action && 'cardId' in action ? action.cardId : undefined;
  },

  async component({ argument, values, askedBy, manageMessages, locale, ...who }, { catalog }) {
    const action = readAction(argument);
    if (action?.kind === 'delete') {
      const isAllowed = who.memberId === askedBy || manageMessages;
      return isAllowed ? { kind: 'delete' } : sentence(formatMessage(locale, 'notYoursToDelete'));
    }
    if (action?.kind === 'printings') {
      return offerPrintings(await catalog.printings(action.cardId, requesterOf(who)), action, locale);
    }
    const chosen = action?.cardId ?? values[0];
    if (!action || chosen === undefined) return sentence(formatMessage(locale, 'outOfDate'));
    const { showPrices, isPrivate } = action;
    return { queries: [{ cardId: parseCardId(chosen), showPrices }], unclear: [], unsearched: [], isPrivate };
  },

  show({ queries: [query], isPrivate }, { cards: [outcome], permitAtMs }, view) {
    const { locale } = view;
    if (!query || !outcome) {
      const time = permitAtMs === undefined ? '' : clockTime(permitAtMs);
      return { content: formatMessage(locale, 'permitAt', { time }) };
    }
    const { answer, error, isRenewing } = outcome;
    if (!answer) return { content: error ? errorMessage(locale, error) : '' };
    const { cardId, showPrices, isResolved } = query;
    const { card } = answer;
    const note = error ? notRenewedMessage(locale, error) : isRenewing && formatMessage(locale, 'renewing');
    if (!card) return { content: noSuchCard(locale, cardId, answer.fetchedAtMs, note !== undefined) };
    const embed = cardEmbed({ ...view, card, answer, showPrices, note });
    const components = cardActions(locale, {
      printings: customId({ kind: 'printings', showPrices, isPrivate, cardId }),
      // A private reply has Discord's own way to be dismissed.
      ...(isPrivate
        ? { everyone: customId({ kind: 'show', showPrices, isPrivate: false, cardId }) }
        : { delete: customId({ kind: 'delete' }) }),
    });
    return { ...(isResolved && { content: foundId(locale, cardId) }), embeds: [embed], components };
  },
} satisfies Command;

/** A card that is kept under exactly this id, or else what the text means in the catalog: neither costs a request. */
async function askFor(request: CardRequest, use: CommandUse, { cards, catalog }: Services): Promise<Ask | Reply> {
  const { query, isPrivate } = request;
  const { locale } = use;
  const known = await cards.known(query.cardId, query.showPrices);
  const asked = { queries: [query], unclear: [], unsearched: [], isPrivate, read: [known] };
  const isKept = known.kind !== 'missing' && known.answer.card !== undefined;
  if (isKept) return asked;

  const meant = await catalog.resolve(query.cardId, requesterOf(use));
  switch (meant.kind) {
    case 'one':
      return { ...asked, queries: [{ ...query, cardId: meant.card.id, isResolved: true }], read: [] };
    case 'several':
      return offerCards(meant.cards, request, locale);
    case 'none':
      // That the service denied exactly this text is more than that nothing is called so.
      return known.kind === 'missing' ? offerSimilar(meant.similar, request, locale) : asked;
    case 'unsearched':
      return known.kind === 'fresh' ? asked : offerSimilar(undefined, request, locale);
    case 'id':
      return asked;
  }
}
