import { MOST_DIFFERENT, type PastedList, readPastedList } from '../src/catalog/lines.ts';
import { meantBy } from '../src/catalog/list.ts';
import { type Worth, worthOf } from '../src/lists/worth.ts';
import { blockedError } from '../src/lookup/booked-request.ts';
import type { Outcomes } from '../src/lookup/lookups.ts';
import type { Asked, AskedList, Invocation } from '../src/model/invocation.ts';
import type { Requester } from '../src/model/quota.ts';
import { onTheirWay } from '../src/render/cards-message.ts';
import { plainMarkdown } from '../src/render/formats.ts';
import { formatMessage } from '../src/render/messages.ts';
import { worthMessage } from '../src/render/worth-message.ts';
import type { CardsWanted, Form, FormUse, Message, Reply, Services, Use, View } from './command.ts';
import { failedOf, say, sentence, wanted, withDelete } from './command.ts';
import { type Action, customId } from './custom-ids.ts';

/** The field of the form. */
const FIELD = 'text';
/** Discord's limit of a text in a form. */
const LONGEST_LIST = 4_000;
const LONGEST_LINE = 200;

/** The form that a list is pasted into. */
export function listForm(locale: string): Form {
  const label = formatMessage(locale, 'worthField');
  const placeholder = formatMessage(locale, 'worthHint');
  return {
    kind: 'form',
    customId: 'cards:list',
    title: formatMessage(locale, 'worthTitle'),
    fields: [{ id: FIELD, lines: 'many', maxLength: LONGEST_LIST, label, placeholder }],
  };
}

/** A list was pasted: it is kept, and what it is worth is found out behind a private "thinking…". */
export async function pasted({ fields, interactionId, requester, locale }: FormUse, { lists }: Services) {
  const text = fields.getTextInputValue(FIELD);
  const read = readPastedList(text);
  if ('refusal' in read) return sentence(refusalText(read, locale));
  const isKept = await lists.add(requester.memberId, interactionId, text);
  return isKept ? askedFor({ id: interactionId, left: 0 }) : say(locale, 'notSaved');
}

const REFUSALS = {
  empty: 'worthEmpty',
  headingsOnly: 'worthHeadings',
  table: 'worthTable',
  tooManyCards: 'worthTooMany',
  count: 'worthCount',
} as const;

function refusalText(read: Extract<PastedList, { refusal: unknown }>, locale: string): string {
  const line = 'line' in read ? plainMarkdown(read.line, LONGEST_LINE) : '';
  return formatMessage(locale, REFUSALS[read.refusal], { most: MOST_DIFFERENT, line });
}

function askedFor(list: AskedList, cardIds: readonly string[] = [], isPrivate = true): CardsWanted {
  const queries = cardIds.map((cardId) => ({ cardId, showPrices: true }));
  return wanted(queries, isPrivate, { list });
}

/** A button below what a list is worth. Its number is of the requests that it may cost. */
export async function pressed(
  { kind, id = '', number = 0 }: Action,
  { requester, locale }: Use,
  services: Services,
): Promise<CardsWanted | Reply> {
  const list = await readList(id, requester, services);
  if (!list) return sentence(withoutList(locale, services));
  if (kind === 'show') return askedFor({ id, left: 0 }, [], false);
  return askedFor({ id, left: number }, costOf(list.worth, services).requests.slice(0, number).flat());
}

/** Renders the reply to a pasted list, from what is kept of its cards. */
export async function showList(
  { asked, requester }: Pick<Invocation, 'requester'> & { asked: Asked },
  { id }: AskedList,
  outcomes: Outcomes,
  { canReplyPublicly, ...view }: View,
  services: Services,
): Promise<Message> {
  const { locale } = view;
  const toCome = outcomes.cards.filter((outcome) => !outcome || outcome.isRenewing).length;
  // Without an embed, by which a list that is complete is known.
  if (toCome > 0) return { content: onTheirWay({ ...outcomes, toCome, locale }) };
  const list = await readList(id, requester, services);
  if (!list) return withDelete({ content: withoutList(locale, services) }, view);
  const { requests, waitMs } = costOf(list.worth, services);
  const refusal = services.limiter.view().refusalFor('members');
  const message = worthMessage({
    ...{ ...view, ...list, requests: outcomes.requests },
    cost: { lookups: requests.length, waitMs },
    failed: failedOf(asked, outcomes),
    notRenewed: outcomes.cards.flatMap((outcome) => (outcome?.answer && outcome.error) || []),
    left: await leftToday(requester, services),
    refusal: refusal && blockedError(refusal),
    freshMs: services.cards.pricesFreshMs,
    ids: {
      fetch: customId('cards', { kind: 'fetch', number: requests.length, id }),
      show: canReplyPublicly && customId('cards', { kind: 'show', id }),
    },
  });
  return withDelete(message, view);
}

/** It is kept no longer, or cannot be read while the store is away. */
function withoutList(locale: string, { limiter }: Services): string {
  return formatMessage(locale, limiter.view().storeAwaitedUntilMs === undefined ? 'worthPasteAgain' : 'StoreAway');
}

/**
 * A list with what its lines mean now, and what is kept of their cards. Costs no request.
 *
 * @returns `undefined` when it is kept no longer, or cannot be read now
 */
async function readList(id: string, { memberId }: Requester, services: Services) {
  const read = readPastedList((await services.lists.read(memberId, id)) ?? '');
  if ('refusal' in read) return undefined;
  const meant = await services.catalog.resolveLines(read.lines);
  const { lines, passedOver } = meantBy(read, meant);
  const cardIds = new Set(lines.flatMap(({ cards }) => cards.map((card) => card.id)));
  const known = Array.from(cardIds, async (cardId) => [cardId, await services.cards.kept(cardId)] as const);
  return {
    worth: worthOf(lines, new Map(await Promise.all(known)), services.currency),
    merged: lines.reduce((sum, { times }) => sum + times, -lines.length),
    passedOver,
    isUnsearched: meant.some((each) => each.isUnsearched),
  };
}

/** The requests that are left for a list: prices that are not known go before those that are old. */
function costOf({ missing, stale }: Worth, { lookupQueue }: Services) {
  return lookupQueue.costOf([...missing, ...stale]);
}

/** What the member may still cause today, by whichever limit leaves least. */
async function leftToday(requester: Requester, { budget, limiter }: Services): Promise<number | undefined> {
  const { caps, spent } = await budget.allowanceOf(requester);
  const { member = Infinity, guild = Infinity } = caps;
  const left = Math.min(limiter.view().quota?.remaining ?? Infinity, member - spent.member, guild - spent.guild);
  return Number.isFinite(left) ? Math.max(0, left) : undefined;
}
