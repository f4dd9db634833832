import { CardAnswer, ErrorBody } from '../../service/answers.ts';
import { readRateLimit, serviceClock } from '../../service/rate-limit-headers.ts';
import type { ServiceResponse } from '../../service/request.ts';
import { isAnswer, type NoAnswer } from '../request.ts';

type Observed = ServiceResponse | NoAnswer;

/** What a real service answered to three requests. */
export interface Observations {
  /** A card that should exist, with the key. */
  card: Observed;
  /** One that cannot exist, without the key. */
  noSuchCard: Observed;
  /** The usage report; `undefined` without a key. */
  usage: Observed | undefined;
}

const NOT_TRIED = 'not tried';
const NOT_SEEN = 'not seen';
const NO_KEY = `${NOT_TRIED}, since there is no key`;

/** The table to file, in the order of docs/contributing.md: what the interface does not show, and how it turned out. */
export function contractRows({ card, noSuchCard, usage }: Observations, cardPath: string): [string, string][] {
  const all = [card, noSuchCard, ...(usage ? [usage] : [])].filter(isAnswer);
  const refused = all.find(({ status }) => status === 401 || status === 403);
  const limited = all.find(({ status }) => status === 429);
  const failed = all.filter(({ status }) => status >= 400 && ![401, 403, 404, 429].includes(status));
  return [
    ['version prefix of the card path', pathResult(card, cardPath)],
    ['whether the card lookup needs a key', keyResult(card, noSuchCard)],
    ['effect of includePrices', pricesResult(card)],
    ['currency', priceFields(card)],
    ['success status', isCard(card) ? String(card.status) : NOT_SEEN],
    ['status and tag of card-not-found', isCard(card) ? notFoundResult(noSuchCard) : NOT_SEEN],
    ['credentials errors', refused ? described(refused) : NOT_SEEN],
    ['other errors', [...failed.map(described), ...failures([card, noSuchCard, usage])].join('; ') || NOT_SEEN],
    ['format of Retry-After', limited ? `\`${limited.headers.get('retry-after') ?? 'absent'}\`` : NOT_SEEN],
    ['format of X-RateLimit-Reset', resetResult(all)],
    ['what a request costs', costResult(card, noSuchCard, usage)],
    ['scope of counting', usage === undefined ? NO_KEY : scopeResult(card, noSuchCard)],
    ['required usage fields', usageFields(usage)],
    ['meaning of burst', NOT_TRIED],
    ['bulk listing', NOT_TRIED],
    ['algorithm behind "per minute" and "burst"', NOT_TRIED],
  ];
}

function isSuccess({ status }: ServiceResponse): boolean {
  return status >= 200 && status <= 299;
}

/** Only then the path is known to be right, and its other answers say something about cards. */
export function isCard(card: Observed): card is ServiceResponse & { body: object } {
  return isAnswer(card) && isSuccess(card) && CardAnswer.safeParse(card.body).success;
}

/** A 403 without an error body is of a firewall. */
function refusesKey(observed: Observed): observed is ServiceResponse {
  if (!isAnswer(observed)) return false;
  return observed.status === 401 || (observed.status === 403 && ErrorBody.safeParse(observed.body).success);
}

function pathResult(card: Observed, cardPath: string): string {
  if (!isAnswer(card)) return NOT_SEEN;
  if (isCard(card)) return `\`${cardPath}\` is right`;
  return `\`${cardPath}\` gave ${isSuccess(card) ? `${card.status}, and no card` : described(card)}`;
}

function keyResult(card: Observed, withoutKey: Observed): string {
  if (refusesKey(withoutKey)) return `yes: ${described(withoutKey)} without one`;
  const isAllowed = isAnswer(withoutKey) && (withoutKey.status === 404 || isSuccess(withoutKey));
  return isCard(card) && isAllowed ? 'no' : NOT_SEEN;
}

function pricesResult(card: Observed): string {
  if (!isCard(card)) return NOT_SEEN;
  return 'prices' in Object(card.body) ? 'true gives prices' : 'true gave no prices for this card';
}

function priceFields(card: Observed): string {
  const prices = isCard(card) ? Object(card.body).prices : undefined;
  return prices === undefined ? NOT_SEEN : `fields of prices: ${names(prices)}`;
}

function notFoundResult(noSuchCard: Observed): string {
  if (refusesKey(noSuchCard)) return `${NOT_SEEN}, since the lookup needs a key`;
  const isHindered = !isAnswer(noSuchCard) || [403, 408, 429].includes(noSuchCard.status) || noSuchCard.status >= 500;
  return isHindered ? NOT_SEEN : described(noSuchCard);
}

function resetResult(answers: readonly ServiceResponse[]): string {
  const [answer] = answers.filter(({ headers }) => headers.has('x-ratelimit-reset'));
  if (!answer) return answers.length > 0 ? 'absent' : NOT_SEEN;
  const { headers, receivedAtMs } = answer;
  const { resetInMs } = readRateLimit(headers, receivedAtMs, receivedAtMs);
  const aheadSeconds = Math.round((serviceClock(headers, receivedAtMs) - receivedAtMs) / 1000);
  const clock = headers.has('date') ? `; the service's clock is ${aheadSeconds} s ahead of this one` : '';
  const left = resetInMs === undefined ? 'not understood' : `${Math.round(resetInMs / 1000)} s ahead`;
  return `\`${headers.get('x-ratelimit-reset')}\`, ${left}${clock}`;
}

/** The one without a key may be counted elsewhere. */
function costResult(card: Observed, noSuchCard: Observed, usage: Observed | undefined): string {
  const [before, after] = [remainingOf(card), remainingOf(usage)];
  if (before === undefined || after === undefined || !isAnswer(noSuchCard)) return NOT_SEEN;
  return `remaining was ${before}, and ${after} after a lookup of no card without the key and the usage report`;
}

function scopeResult(withKey: Observed, withoutKey: Observed): string {
  const [first, second] = [remainingOf(withKey), remainingOf(withoutKey)];
  if (first === undefined || second === undefined) return NOT_SEEN;
  return `remaining ${first} with the key, then ${second} without`;
}

function usageFields(usage: Observed | undefined): string {
  if (usage === undefined) return NO_KEY;
  if (!isAnswer(usage) || !isSuccess(usage) || typeof usage.body !== 'object')
    return isAnswer(usage) ? described(usage) : NOT_SEEN;
  const { period, requests } = Object(usage.body);
  return `${names(usage.body)}; period: ${names(period)}; requests: ${names(requests)}`;
}

function remainingOf(observed: Observed | undefined): number | undefined {
  return isAnswer(observed) ? readRateLimit(observed.headers, 0, 0).remaining : undefined;
}

function failures(observed: readonly (Observed | undefined)[]): string[] {
  return observed.flatMap((each) => (each && 'failure' in each ? each.failure : []));
}

const LONGEST_TAG = 60;

function described({ status, body }: ServiceResponse): string {
  const error = ErrorBody.safeParse(body).data;
  return error ? `${status}, \`_tag\` ${cell(error._tag.slice(0, LONGEST_TAG))}` : `${status} without an error body`;
}

function names(value: unknown): string {
  return Object.keys(Object(value)).map(cell).join(', ') || 'none';
}

/** Text of the service, for a cell of a Markdown table. */
function cell(text: string): string {
  return `\`${text.replace(/[`|\n\r]/g, ' ')}\``;
}
