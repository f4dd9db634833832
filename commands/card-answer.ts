import type { Invocation, Message, Response } from '../src/discord/interactions/command.ts';
import type { Known } from '../src/lookup/cards.ts';
import type { CardQuery, CardRecord } from '../src/model/card.ts';
import type { CardServiceError } from '../src/model/errors.ts';
import { type Requester, requesterOf } from '../src/model/quota.ts';
import { cardActions } from '../src/render/card-actions.ts';
import { cardEmbed, foundId, noSuchCard } from '../src/render/card-embed.ts';
import { formatMessage, notRenewedMessage } from '../src/render/messages.ts';
import { customId } from './card-choices.ts';
import type { Services } from './services.ts';

/** One card as a member wants to see it. */
export interface CardRequest {
  query: CardQuery;
  isPrivate: boolean;
}

/**
 * The card with what is known of it: fresh at once; stale at once, and then renewed; missing: deferred and looked up.
 *
 * @throws CardServiceError when a missing card is not admitted to the lookup queue
 */
export async function answerCard(
  { query, isPrivate }: CardRequest,
  known: Known,
  invocation: Invocation,
  services: Services,
): Promise<Response> {
  if (known.kind === 'missing') {
    const { deadlineMs } = invocation;
    const requester = requesterOf(invocation);
    const admission = await services.lookupQueue.admit({ ...query, lane: 'members', requester, deadlineMs });
    if ('refusal' in admission) throw admission.refusal;
    return { kind: 'defer', private: isPrivate, query, reservation: admission.reservation };
  }
  // That there is no such card matters to the one who asked alone.
  const request = { query, isPrivate: isPrivate || known.answer.card === undefined };
  if (known.kind === 'stale') return showAndRenew(request, known.answer, invocation, services);
  services.ledger.saved(invocation);
  const message = showAsked(request, known.answer, invocation, services);
  return { kind: 'reply', private: request.isPrivate, source: 'cache', card: request.query.cardId, message };
}

/** The card of a member's lookup, which counts for what is suggested to them and, unless it is private, their server. */
export function showAsked(
  request: CardRequest,
  answer: CardRecord,
  { locale, ...who }: Requester & { locale: string },
  services: Services,
  note?: string,
): Message {
  if (answer.card) services.catalog.asked(answer.card.id, requesterOf(who), request.isPrivate);
  return show(request, answer, locale, services, note);
}

/** The stale copy at once; the renewed one, or why there is none, as a correction. */
async function showAndRenew(
  request: CardRequest,
  stale: CardRecord,
  invocation: Invocation,
  services: Services,
): Promise<Response> {
  const { query, isPrivate } = request;
  const { locale } = invocation;
  const reply = { kind: 'reply', private: isPrivate, source: 'stale', card: query.cardId } as const;
  const requester = requesterOf(invocation);
  const deadlineMs = invocation.receivedAtMs + services.longestWaitMs;
  const admission = await services.lookupQueue.admit({ ...query, lane: 'renewals', requester, deadlineMs });
  const note =
    'refusal' in admission ? notRenewedMessage(locale, admission.refusal) : formatMessage(locale, 'renewing');
  const message = showAsked(request, stale, invocation, services, note);
  if ('refusal' in admission) return { ...reply, message };
  const correction = admission.reservation.start().then(
    (renewed) => show(request, renewed, locale, services),
    (error: CardServiceError) => show(request, stale, locale, services, notRenewedMessage(locale, error)),
  );
  return { ...reply, message, correction };
}

function show(
  { query, isPrivate }: CardRequest,
  answer: CardRecord,
  locale: string,
  { limiter, currency }: Services,
  note?: string,
): Message {
  const { cardId, showPrices, isResolved } = query;
  const { card } = answer;
  if (card === undefined) return { content: noSuchCard(locale, cardId, answer.fetchedAtMs, note !== undefined) };
  const embed = cardEmbed({ card, answer, showPrices, locale, currency, quota: limiter.quota(), note });
  const components = cardActions(locale, {
    printings: customId({ kind: 'printings', showPrices, isPrivate, cardId }),
    // A private reply has Discord's own way to be dismissed.
    ...(isPrivate
      ? { everyone: customId({ kind: 'show', showPrices, isPrivate: false, cardId }) }
      : { delete: customId({ kind: 'delete' }) }),
  });
  return { ...(isResolved && { content: foundId(locale, cardId) }), embeds: [embed], components };
}
