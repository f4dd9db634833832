import { SlashCommandBuilder } from '@discordjs/builders';
import { ApplicationIntegrationType, InteractionContextType } from 'discord.js';
import type { Command, Invocation, Message, Response } from '../src/discord/interactions/command.ts';
import { type CardQuery, type CardRecord, MAX_CARD_ID_LENGTH, parseCardId } from '../src/model/card.ts';
import type { CardServiceError } from '../src/model/errors.ts';
import { requesterOf } from '../src/model/quota.ts';
import { cardEmbed, noSuchCard } from '../src/render/card-embed.ts';
import { errorMessage, formatMessage, notRenewedMessage } from '../src/render/messages.ts';
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
        .setDescription('The card id, such as base1-4')
        .setRequired(true)
        .setMinLength(1)
        .setMaxLength(MAX_CARD_ID_LENGTH),
    )
    .addBooleanOption((option) => option.setName('prices').setDescription('Show prices (default: yes)'))
    .addBooleanOption((option) => option.setName('private').setDescription('Show the card only to you (default: no)'))
    .toJSON(),

  async run(invocation, services) {
    const { options, deadlineMs } = invocation;
    const query = {
      cardId: parseCardId(options.getString('id', true)),
      showPrices: options.getBoolean('prices') ?? true,
    };
    const requester = requesterOf(invocation);
    const isPrivate = options.getBoolean('private') ?? false;
    const known = await services.cards.known(query.cardId, query.showPrices);
    if (known.kind === 'stale') return replyAndRenew(query, known.answer, isPrivate, invocation, services);
    if (known.kind === 'fresh') {
      services.ledger.saved(invocation);
      const message = show(query, known.answer, invocation, services);
      return { kind: 'reply', private: isPrivate, source: 'cache', message };
    }
    const admission = await services.lookupQueue.admit({ ...query, lane: 'members', requester, deadlineMs });
    if ('refusal' in admission) throw admission.refusal;
    return { kind: 'defer', private: isPrivate, query, reservation: admission.reservation };
  },

  complete: ({ query, locale }, outcome, services) =>
    'answer' in outcome
      ? show(query, outcome.answer, { locale }, services)
      : { content: errorMessage(locale, outcome.error) },
} satisfies Command;

/** The stale copy at once; the renewed one, or why there is none, as a correction. */
async function replyAndRenew(
  query: CardQuery,
  stale: CardRecord,
  isPrivate: boolean,
  invocation: Invocation,
  services: Services,
): Promise<Response> {
  const { locale } = invocation;
  const showStale = (note: string) => show(query, stale, invocation, services, note);
  const showNotRenewed = (error: CardServiceError) => showStale(notRenewedMessage(locale, error));

  const reply = { kind: 'reply', private: isPrivate, source: 'stale' } as const;
  const requester = requesterOf(invocation);
  const deadlineMs = invocation.receivedAtMs + services.longestWaitMs;
  const admission = await services.lookupQueue.admit({ ...query, lane: 'renewals', requester, deadlineMs });
  if ('refusal' in admission) return { ...reply, message: showNotRenewed(admission.refusal) };
  const correction = admission.reservation
    .start()
    .then((renewed) => show(query, renewed, invocation, services), showNotRenewed);
  return { ...reply, message: showStale(formatMessage(locale, 'renewing')), correction };
}

function show(
  { cardId, showPrices }: CardQuery,
  answer: CardRecord,
  { locale }: Pick<Invocation, 'locale'>,
  { limiter, currency }: Services,
  note?: string,
): Message {
  const { card } = answer;
  if (card === undefined) {
    return { content: noSuchCard(locale, cardId, answer.fetchedAtMs, note !== undefined) };
  }
  return { embeds: [cardEmbed({ card, answer, showPrices, locale, currency, quota: limiter.quota(), note })] };
}
