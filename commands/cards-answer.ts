import type { CardList, Invocation, ListDeferral, Message, Response } from '../src/discord/interactions/command.ts';
import {
  type CardOutcome,
  knownAtOnce,
  type ListedLookup,
  type ListOutcome,
  listEnd,
  lookUpList,
} from '../src/lookup/list-lookup.ts';
import type { CardQuery } from '../src/model/card.ts';
import { type Requester, requesterOf } from '../src/model/quota.ts';
import type { CardView } from '../src/render/card-embed.ts';
import { askAnywayMenus } from '../src/render/card-list.ts';
import { cardsMessage, type MissingCard } from '../src/render/cards-message.ts';
import { formatMessage, notRenewedMessage } from '../src/render/messages.ts';
import { customId } from './card-choices.ts';
import type { Services } from './services.ts';

/** What is known at once; the rest is looked up, and shown as it comes. Private when there is nothing to show. */
export async function answerCards(
  { list, isPrivate }: { list: CardList; isPrivate: boolean },
  invocation: Invocation,
  services: Services,
): Promise<Response | ListDeferral> {
  const admitted = await Promise.all(list.queries.map((query) => admittedLookup(query, invocation, services)));
  const lookups = admitted.map(({ lookup }) => lookup);
  if (lookups.some(({ known, start }) => !known && start)) {
    const cancel = () => {
      for (const each of admitted) each.cancel();
    };
    return { kind: 'deferList', private: isPrivate, list, lookups, cancel };
  }
  const shown = { ...invocation, list, private: isPrivate };
  const atOnce = knownAtOnce(lookups);
  const renewed = lookUpList(lookups);
  const isRenewing = lookups.some(({ start }) => start);
  const outcome = isRenewing ? atOnce : await renewed;
  const message = showCards(shown, outcome, services);
  const end = listEnd(outcome);
  return {
    kind: 'reply',
    private: isPrivate || !message.embeds?.length,
    source: isRenewing ? 'stale' : end.outcome === 'answered' ? 'cache' : 'bot',
    end,
    message,
    ...(isRenewing && { correction: renewed.then((end) => showCards(shown, end, services)) }),
  };
}

/** What a reply of several cards shows; at the end also what is missing, and what it cost. */
export function showCards(
  reply: Requester & { list?: CardList | undefined; locale: string; private: boolean },
  outcome: ListOutcome,
  services: Services,
): Message {
  const { list, locale } = reply;
  const { queries, unclear, unsearched = [] } = list ?? { queries: [], unclear: [] };
  const asked = queries.map((query, at) => ({ query, outcome: outcome.cards[at] }));
  const views = asked.flatMap((card) => viewOf(card, locale, services.currency) ?? []);
  const missing = [
    ...asked.flatMap((card) => missingOf(card) ?? []),
    ...unclear.map((text) => ({ text, isUnclear: true })),
    ...unsearched.map((text) => ({ text, isUnsearched: true })),
  ];
  const toCome = asked.filter((card) => card.outcome === undefined).length;
  const isEnd = asked.every((card) => card.outcome && !card.outcome.isRenewing);
  if (isEnd) for (const { card } of views) services.catalog.asked(card.id, requesterOf(reply), reply.private);
  const message = cardsMessage({ ...outcome, views, missing, toCome, isEnd, quota: services.limiter.quota(), locale });
  const components = isEnd ? askAnyway(unsearched, queries, reply) : [];
  return { ...message, ...(components.length > 0 && { components }) };
}

/** The menu belongs to `/card`, which shows the card that is chosen. */
function askAnyway(
  texts: readonly string[],
  queries: readonly CardQuery[],
  { locale, private: isPrivate }: { locale: string; private: boolean },
): ReturnType<typeof askAnywayMenus> {
  const showPrices = queries.every((query) => query.showPrices);
  return askAnywayMenus(locale, texts, customId({ kind: 'show', showPrices, isPrivate }));
}

interface AskedCard {
  query: CardQuery;
  outcome: CardOutcome | undefined;
}

function viewOf({ query, outcome }: AskedCard, locale: string, currency: string | undefined): CardView | undefined {
  const { answer, error, isRenewing } = outcome ?? {};
  if (!answer?.card) return undefined;
  const note = error ? notRenewedMessage(locale, error) : isRenewing && formatMessage(locale, 'renewing');
  const { card } = answer;
  return { card, answer, showPrices: query.showPrices, locale, currency, quota: undefined, ...(note && { note }) };
}

/** A copy that says that there is no such card is as good without a renewal. */
function missingOf({ query, outcome }: AskedCard): MissingCard | undefined {
  if (!outcome || outcome.answer?.card) return undefined;
  return { text: query.cardId, ...(!outcome.answer && { error: outcome.error }) };
}

/** Fresh: no lookup. Stale: renewed when there is room. Missing: wanted. */
async function admittedLookup(
  query: CardQuery,
  invocation: Invocation,
  { cards, lookupQueue, ledger, longestWaitMs }: Services,
): Promise<{ lookup: ListedLookup; cancel(): void }> {
  const nothing = () => {};
  const requester = requesterOf(invocation);
  const found = await cards
    .known(query.cardId, query.showPrices)
    .catch((refusal) => ({ kind: 'refused', refusal }) as const);
  if (found.kind === 'refused') return { lookup: { refusal: found.refusal }, cancel: nothing };
  const known = found.kind === 'missing' ? undefined : found.answer;
  if (found.kind === 'fresh') {
    ledger.saved(requester);
    return { lookup: { known }, cancel: nothing };
  }
  const lane = known ? 'renewals' : 'members';
  const deadlineMs = known ? invocation.receivedAtMs + longestWaitMs : invocation.deadlineMs;
  const admission = await lookupQueue.admit({ ...query, lane, requester, deadlineMs });
  if ('refusal' in admission) return { lookup: { known, refusal: admission.refusal }, cancel: nothing };
  const { reservation } = admission;
  return {
    lookup: { known, start: (listeners) => reservation.start(listeners) },
    cancel: () => reservation.cancel(),
  };
}
