import { dearest, fromHundredths, type PricedLine, type Worth } from '../lists/worth.ts';
import type { CardServiceError } from '../model/errors.ts';
import type { ListedCard } from '../model/invocation.ts';
import type { Message, MessageFile } from '../model/message.ts';
import type { WindowQuota } from '../model/quota.ts';
import { FRESH_COLOUR, leftToday } from './card-embed.ts';
import { buttons } from './components.ts';
import { age, clip, formatPrice, plainMarkdown } from './formats.ts';
import { copyNote, errorMessage, formatMessage, listed } from './messages.ts';

export interface WorthView {
  worth: Worth;
  /** How many lines say what another says, and are counted with it. */
  merged: number;
  /** Lines that are no cards. */
  passedOver: readonly string[];
  /** Names could not be searched, so that a line that has one is not clear. */
  isUnsearched: boolean;
  /** The cards whose lookups failed or were refused. */
  failed: readonly { cardId: string; error: CardServiceError }[];
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
  quota: WindowQuota | undefined;
  locale: string;
  /** Others see neither what was pasted, nor what was not understood of it. */
  isPrivate: boolean;
  /** Custom ids of the buttons. */
  ids: { fetch: string; show: string | false };
}

const MOST_NAMED = 10;
const NAME_LENGTH = 60;
/** Ten lines fit into a field. */
const SET_LENGTH = 20;
const NUMBER_LENGTH = 12;
/** Discord's limit. */
const DESCRIPTION_LENGTH = 4_096;
const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;

/** What a list is worth, what of it is not known, and what that costs. */
export function worthMessage(view: WorthView): Message {
  const { worth, locale, isPrivate, requests, ids } = view;
  const top = dearest(worth).map((each) => dearLine(each, locale));
  const spent = requests > 0 && formatMessage(locale, 'cardsCost', { requests });
  const footer = [spent, leftToday(locale, view.quota)].filter(Boolean).join(' · ');
  const lines = [...sumLines(view), ...(isPrivate ? privateLines(view) : [])];
  const embed = {
    title: formatMessage(locale, 'worthTitle'),
    description: clip(lines.filter(Boolean).join('\n'), DESCRIPTION_LENGTH),
    color: FRESH_COLOUR,
    ...(top.length > 0 && { fields: [{ name: formatMessage(locale, 'worthDearest'), value: top.join('\n') }] }),
    ...(footer && { footer: { text: footer } }),
  };
  const hasBegun = requests > 0 || view.failed.length > 0;
  const isKnown = worth.priced.some(({ kept }) => kept);
  const components = buttons(locale, {
    [hasBegun ? 'worthFetchRest' : 'worthFetch']: unfetched(worth) > 0 && ids.fetch,
    showToEveryone: isKnown && ids.show,
  });
  return { embeds: [embed], files: isKnown ? [worthFile(view)] : [], ...(isPrivate && { components }) };
}

/** A line that may be missing. */
type Line = string | false | undefined;

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

/** Of a hundred cards, each may be told another minute: by the last of them, no press is too early. */
function latest(failed: WorthView['failed']): CardServiceError {
  const untilMs = (error: CardServiceError) => ('untilMs' in error ? Number(error.untilMs) || 0 : 0);
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
  return [cost, rest].filter(Boolean).join(' ');
}

function namesOf(names: readonly string[], locale: string): string {
  const shown = names.slice(0, MOST_NAMED).map((name) => `**${plainMarkdown(name, NAME_LENGTH)}**`);
  const more = names.length - shown.length;
  return listed(locale, more > 0 ? [...shown, formatMessage(locale, 'worthMore', { count: more })] : shown, 'and');
}

function dearLine(priced: PricedLine, locale: string): string {
  const { market = 0, currency } = priced.prices ?? {};
  const { name, set = '', number = '' } = named(priced);
  const shown = [
    plainMarkdown(name, NAME_LENGTH / 2),
    plainMarkdown(set, SET_LENGTH),
    plainMarkdown(number, NUMBER_LENGTH),
  ];
  return `${priced.count}× **${formatPrice(locale, market, currency)}** ${shown.filter(Boolean).join(' · ')}`;
}

/** An id that no catalogue knows is a name as it was typed, until the service has said what the card is called. */
function named({ card, kept }: PricedLine): Pick<ListedCard, 'name' | 'set' | 'number'> {
  const found = isTyped(card) ? kept?.card : undefined;
  return found ? { name: found.name, set: found.set?.name, number: found.number } : card;
}

function isTyped({ id, name }: ListedCard): boolean {
  return id === name;
}

const COLUMNS = ['Count', 'Name', 'Set', 'Number', 'Foil', 'ID', 'Market', 'Low', 'Currency', 'Priced at', 'Line'];

/** Every line with its price. What was pasted stands in the file of a private reply alone. */
function worthFile({ worth, locale, isPrivate }: WorthView): MessageFile {
  const shown = worth.priced.filter(({ card, kept }) => isPrivate || !isTyped(card) || kept?.card);
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
