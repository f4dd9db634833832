import { MOST_DIFFERENT, readPastedList } from '../src/catalog/lines.ts';
import { meantBy } from '../src/catalog/list.ts';
import { blockedError } from '../src/lookup/booked-request.ts';
import type { Outcomes } from '../src/lookup/lookups.ts';
import { dearest, fromHundredths, type PricedLine, type Worth, worthOf } from '../src/members/worth.ts';
import type { CardServiceError } from '../src/model/errors.ts';
import type { Asked, AskedList, Invocation, ListedCard } from '../src/model/invocation.ts';
import type { MessageFile } from '../src/model/message.ts';
import type { Requester } from '../src/model/quota.ts';
import { costs, FRESH_COLOUR } from '../src/render/card-embed.ts';
import { age, clip, formatPrice, joined, type Line, plainMarkdown } from '../src/render/formats.ts';
import {
  buttons,
  copyNote,
  errorMessage,
  formatMessage,
  listed,
  MAX_DESCRIPTION,
  onTheirWay,
  untilMsOf,
} from '../src/render/messages.ts';
import type { Action, CardsWanted, Form, FormUse, Message, Reply, Services, Use, View } from './command.ts';
import { customId, failedOf, say, sentence, wanted, withDelete } from './command.ts';

/** Discord's limit of a text in a form. */
const LONGEST_LIST = 4_000;

/** The form that a list is pasted into. */
export function listForm(locale: string): Form {
  const texts = { label: formatMessage(locale, 'worthField'), placeholder: formatMessage(locale, 'worthHint') };
  return {
    kind: 'form',
    customId: 'cards:list',
    title: formatMessage(locale, 'worthTitle'),
    fields: [{ id: 'text', lines: 'many', maxLength: LONGEST_LIST, ...texts }],
  };
}

/** A list was pasted: it is kept, and what it is worth is found out behind a private "thinking…". */
export async function pasted({ fields, interactionId, requester, locale }: FormUse, { lists }: Services) {
  const text = fields.getTextInputValue('text');
  const read = readPastedList(text);
  if ('refusal' in read) {
    const line = 'line' in read ? plainMarkdown(read.line, 200) : '';
    return say(locale, REFUSALS[read.refusal], { most: MOST_DIFFERENT, line });
  }
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

function askedFor(list: AskedList, cardIds: readonly string[] = [], isPrivate = true): CardsWanted {
  return wanted(cardIds, { showPrices: true, isPrivate }, { list });
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
  view: View,
  services: Services,
): Promise<Message> {
  const { locale } = view;
  const toCome = outcomes.cards.filter((outcome) => !outcome || outcome.isRenewing).length;
  // Without an embed, by which a list that is complete is known.
  if (toCome > 0) return { content: onTheirWay(locale, toCome, outcomes.permitAtMs) };
  const list = await readList(id, requester, services);
  if (!list) return withDelete({ content: withoutList(locale, services) }, view);
  const { requests, waitMs } = costOf(list.worth, services);
  const refusal = services.limiter.view().blockedFor('members');
  const message = worthMessage({
    ...view,
    ...list,
    id,
    requests: outcomes.requests,
    cost: { lookups: requests.length, waitMs },
    failed: failedOf(asked, outcomes),
    notRenewed: outcomes.cards.flatMap((outcome) => (outcome?.answer && outcome.error) || []),
    left: await leftToday(requester, services),
    refusal: refusal && blockedError(refusal),
    freshMs: services.cards.pricesFreshMs,
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
    /** How many lines say what another says, and are counted with it. */
    merged: lines.reduce((sum, { times }) => sum + times, -lines.length),
    /** Lines that are no cards. */
    passedOver,
    /** Names could not be searched, so that a line that has one is not clear. */
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

/** What is known of a list, and of what came of its cards. */
export interface WorthView extends NonNullable<Awaited<ReturnType<typeof readList>>>, Omit<View, 'display'> {
  id: string;
  /** The cards whose lookups failed or were refused. */
  failed: ReturnType<typeof failedOf>;
  /** Why old prices stay as they are, of each. */
  notRenewed: readonly CardServiceError[];
  /** What the prices that are not known and those that are old cost at most. */
  cost: { lookups: number; waitMs: number };
  /** How many lookups the member has left today; absent: that is not known. */
  left: number | undefined;
  /** Why nothing can be looked up now. */
  refusal: CardServiceError | undefined;
  /** After so long a price is old. */
  freshMs: number;
  /** What this answer has cost. */
  requests: number;
}

const MOST_NAMED = 10;
const NAME_LENGTH = 60;
const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;

/**
 * What a list is worth, what of it is not known, and what that costs. In public neither what was pasted, nor what was
 * not understood of it.
 */
export function worthMessage(view: WorthView): Message {
  const { worth, locale, isPrivate, requests, id } = view;
  const top = dearest(worth).map((each) => {
    const { market = 0, currency } = each.prices ?? {};
    const { name, set = '', number = '' } = named(each);
    const parts = [plainMarkdown(name, 30), plainMarkdown(set, 20), plainMarkdown(number, 12)]; // ten fit into a field
    return `${each.count}× **${formatPrice(locale, market, currency)}** ${joined(parts, ' · ')}`;
  });
  const footer = joined(costs(view), ' · ');
  const embed = {
    title: formatMessage(locale, 'worthTitle'),
    description: clip(joined([...sumLines(view), ...(isPrivate ? privateLines(view) : [])]), MAX_DESCRIPTION),
    color: FRESH_COLOUR,
    ...(top.length > 0 && { fields: [{ name: formatMessage(locale, 'worthDearest'), value: top.join('\n') }] }),
    ...(footer && { footer: { text: footer } }),
  };
  const hasBegun = requests > 0 || view.failed.length > 0;
  const isKnown = worth.priced.some(({ kept }) => kept);
  const components = buttons(locale, {
    [hasBegun ? 'worthFetchRest' : 'worthFetch']:
      unfetched(worth) > 0 && customId('cards', { kind: 'fetch', number: view.cost.lookups, id }),
    showToEveryone: isKnown && view.canReplyPublicly && customId('cards', { kind: 'show', id }),
  });
  return { embeds: [embed], files: isKnown ? [worthFile(view)] : [], ...(isPrivate && { components }) };
}

function unfetched({ missing, stale }: Worth): number {
  return missing.length + stale.length;
}

function sumLines({ worth: { sums, unpriced, oldestAtMs }, locale }: WorthView): Line[] {
  const sumLine = (key: 'worthMarket' | 'worthOffers', figure: 'market' | 'low') => {
    const known = sums.filter(({ cards }) => cards[figure] > 0);
    const cards = known.reduce((count, each) => count + each.cards[figure], 0);
    const texts = known.map(({ currency, [figure]: sum }) =>
      formatPrice(locale, fromHundredths(sum, currency), currency),
    );
    return cards > 0 && formatMessage(locale, key, { sum: texts.join(' + '), cards });
  };
  return [
    sumLine('worthMarket', 'market'),
    sumLine('worthOffers', 'low'),
    unpriced > 0 && formatMessage(locale, 'worthUnpriced', { cards: unpriced }),
    oldestAtMs !== undefined && `-# ${formatMessage(locale, 'pricesFrom', { since: age(oldestAtMs) })}`,
  ];
}

function privateLines(view: WorthView): Line[] {
  const { worth, merged, failed, notRenewed, freshMs, locale } = view;
  const { priced, unclear, stale, oldestAtMs, guessed } = worth;
  const nameOf = new Map(priced.map(({ card }) => [card.id, card.name]));
  const named = (key: 'worthUnclear' | 'worthPassedOver' | 'cardsNotFound', names: readonly string[]) =>
    names.length > 0 && formatMessage(locale, key, { names: namesOf(names, locale) });
  return [
    formatMessage(locale, 'worthLines', { clear: priced.length, lines: priced.length + unclear.length }),
    unfetched(worth) > 0 && costText(view),
    stale.length > 0 &&
      formatMessage(locale, 'worthOld', {
        cards: stale.length,
        hours: Math.round(freshMs / HOUR_MS),
        since: age(oldestAtMs ?? Date.now()),
      }),
    view.isUnsearched && formatMessage(locale, 'namesUnsearched'),
    merged > 0 && formatMessage(locale, 'worthMerged', { lines: merged }),
    guessed > 0 && formatMessage(locale, 'worthGuessed', { lines: guessed }),
    named(
      'worthUnclear',
      unclear.map(({ typed }) => typed),
    ),
    named('worthPassedOver', view.passedOver),
    named('cardsNotFound', worth.notFound),
    ...new Set(notRenewed.map((error) => copyNote(locale, { error }))),
    ...[...Map.groupBy(failed, ({ error }) => error.name).values()].map((cards) => {
      const names = namesOf(
        cards.map(({ cardId }) => nameOf.get(cardId) ?? cardId),
        locale,
      );
      return formatMessage(locale, 'cardsFailed', { names, reason: errorMessage(locale, latest(cards)) });
    }),
  ];
}

/** Each of a hundred cards may be told another minute: a press is too early for none of them after the last. */
function latest(failed: WorthView['failed']): CardServiceError {
  const untilMs = (error: CardServiceError) => untilMsOf(error) ?? 0;
  return failed.map(({ error }) => error).reduce((last, each) => (untilMs(each) > untilMs(last) ? each : last));
}

/** What a press costs at most, and what is left for it or why it would bring nothing now. */
function costText({ worth, cost: { lookups, waitMs }, left, refusal, locale }: WorthView): string {
  const wait = Number.isFinite(waitMs) ? 'known' : 'unknown';
  const minutes = Math.ceil(waitMs / MINUTE_MS);
  const cost = formatMessage(locale, 'worthCost', { cards: unfetched(worth), lookups, wait, minutes });
  const rest = refusal
    ? errorMessage(locale, refusal)
    : left !== undefined && formatMessage(locale, 'worthLeft', { left });
  return joined([cost, rest], ' ');
}

function namesOf(names: readonly string[], locale: string): string {
  const shown = names.slice(0, MOST_NAMED).map((name) => `**${plainMarkdown(name, NAME_LENGTH)}**`);
  const more = names.length - shown.length;
  return listed(locale, more > 0 ? [...shown, formatMessage(locale, 'worthMore', { count: more })] : shown, 'and');
}

/** An id that no catalogue knows is a name as it was typed, until the service has said what the card is called. */
function named({ card, kept }: PricedLine): Pick<ListedCard, 'name' | 'set' | 'number'> {
  const found = card.id === card.name ? kept?.card : undefined;
  return found ? { name: found.name, set: found.set?.name, number: found.number } : card;
}

const COLUMNS = ['Count', 'Name', 'Set', 'Number', 'Foil', 'ID', 'Market', 'Low', 'Currency', 'Priced at', 'Line'];

/** Every line with its price. What was pasted stands in the file of a private reply alone. */
function worthFile({ worth, locale, isPrivate }: WorthView): MessageFile {
  const shown = worth.priced.filter(({ card, kept }) => isPrivate || card.id !== card.name || kept?.card);
  const priced = shown.map((line) => {
    const { name, set, number } = named(line);
    const { count, finish, card, kept, prices, typed } = line;
    const pricedAt = prices && kept && new Date(kept.fetchedAtMs).toISOString();
    const figures = [prices?.market, prices?.low, prices?.currency, pricedAt];
    return [count, name, set, number, finish, card.id, ...figures, typed];
  });
  const unclear = worth.unclear.map(({ count, typed }) => [count, ...Array(9).fill(''), typed]);
  const rows = isPrivate ? [COLUMNS, ...priced, ...unclear] : [COLUMNS, ...priced].map((row) => row.slice(0, -1));
  return {
    name: 'list.csv',
    contentType: 'text/csv',
    data: new TextEncoder().encode(csvOf(rows)),
    description: formatMessage(locale, 'worthFile'),
  };
}

/** A spreadsheet would run a cell that begins so; behind an apostrophe it is text. */
const RUN = /^\s*[=+\-@＝＋－＠]/;
const QUOTED = /[",\r\n]/;
/** Without it, Excel takes UTF-8 for the code page of its machine. */
const BOM = '\uFEFF';

/** A table as CSV (RFC 4180). A number is written as it is, with a point. */
export function csvOf(rows: readonly (readonly (string | number | undefined)[])[]): string {
  return BOM + rows.map((row) => `${row.map(cellOf).join(',')}\r\n`).join('');
}

function cellOf(value: string | number = ''): string {
  if (typeof value === 'number') return String(value);
  const text = RUN.test(value) ? `'${value}` : value;
  return QUOTED.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
