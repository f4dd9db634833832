import { readCardServiceConfig } from '../../config/config.ts';
import { redaction } from '../../log.ts';
import { CardAnswer, ErrorBody } from '../../service/answers.ts';
import { cardUrl } from '../../service/card-service.ts';
import { readRateLimit, serviceClock } from '../../service/rate-limit-headers.ts';
import type { ServiceResponse } from '../../service/request.ts';
import type { CliContext, Subcommand } from '../context.ts';
import { inspect, isAnswer, RunDeadline } from '../request.ts';

const HELP = `
Asks a real card service, with the bot's settings (CARD_SERVICE_URL, CARD_SERVICE_API_KEY, CARD_SERVICE_CARD_PATH), and
prints a table for a report. Costs three of today's requests: a card, a card that does not exist (without the key), and the
usage report.

Exit codes: 0 the service answered with a card · 1 it did not`;

/** No service has a card of this id. */
const NO_CARD_ID = 'cardbot-contract-check-no-such-card';

/** `npm run contract` */
export const subcommand: Subcommand = (command, context, run) => {
  command.option('--id <id>', 'a card that exists', 'base1-4').addHelpText('after', HELP);
  command.action(run(({ id }: { id: string }) => report(id, context)));
};

/** @returns the exit code @throws ConfigError */
async function report(cardId: string, { env, stdout, stderr }: CliContext): Promise<number> {
  const service = readCardServiceConfig(env);
  stderr.write(`This costs ${service.apiKey === undefined ? 'two' : 'three'} of today's requests.\n`);
  const observations = await observe(service, cardId);
  const results = contractRows(observations, service);
  const rows = [['not shown', 'turned out'], ['---', '---'], ...results].map((row) => `| ${row.join(' | ')} |\n`);
  stdout.write(redaction([service.apiKey])(rows.join('')));
  return isCard(observations.card) ? 0 : 1;
}

type Service = ReturnType<typeof readCardServiceConfig>;
type Answer = ServiceResponse | undefined;

/** What a real service answered; `undefined` where nothing came that can be read, or nothing was sent. */
interface Observations {
  /** To the lookup of a card that should exist, with the key. */
  card: Answer;
  /** To the lookup of one that cannot exist, without the key. */
  noSuchCard: Answer;
  /** The usage report, which needs a key. */
  usage: Answer;
  /** Why requests have no answer. */
  failures: string[];
}

/** Costs three requests of the quota, or two without a key, one after the other. */
async function observe({ baseUrl, cardPath, apiKey, timeoutMs }: Service, cardId: string): Promise<Observations> {
  const deadline = new RunDeadline();
  const failures: string[] = [];
  const ask = async (url: URL, key: string | undefined) => {
    const answer = await inspect(url, { apiKey: key, timeoutMs: deadline.leftMs(timeoutMs) });
    if (isAnswer(answer)) return answer;
    failures.push(answer.failure);
    return undefined;
  };
  const lookup = (id: string) => {
    const url = cardUrl(baseUrl, cardPath, id);
    url.searchParams.set('includePrices', 'true');
    return url;
  };
  const card = await ask(lookup(cardId), apiKey);
  const noSuchCard = await ask(lookup(NO_CARD_ID), undefined);
  const usage = apiKey === undefined ? undefined : await ask(new URL(`${baseUrl}/v1/usage`), apiKey);
  return { card, noSuchCard, usage, failures };
}

const NOT_SEEN = 'not seen';
const NO_KEY = 'not tried, since there is no key';

/** What the interface does not show, and how it turned out. */
function contractRows({ card, noSuchCard, usage, failures }: Observations, { cardPath, apiKey }: Service): string[][] {
  const answers = [card, noSuchCard, usage].filter((answer) => answer !== undefined);
  const refused = answers.find(({ status }) => status === 401 || status === 403);
  const limited = answers.find(({ status }) => status === 429);
  const others = answers.filter(({ status }) => status >= 400 && ![401, 403, 404, 429].includes(status));
  const { prices } = isCard(card) ? Object(card.body) : {};
  const [had, without, left] = [card, noSuchCard, usage].map(remainingOf);
  return [
    ['version prefix of the card path', pathResult(card, cardPath)],
    ['whether the card lookup needs a key', keyResult(card, noSuchCard)],
    [
      'effect of includePrices',
      isCard(card) ? `true gives ${prices ? 'prices' : 'no prices for this card'}` : NOT_SEEN,
    ],
    ['currency', prices ? `fields of prices: ${names(prices)}` : NOT_SEEN],
    ['success status', isCard(card) ? String(card.status) : NOT_SEEN],
    ['status and tag of card-not-found', isCard(card) ? notFoundResult(noSuchCard) : NOT_SEEN],
    ['credentials errors', refused ? described(refused) : NOT_SEEN],
    ['other errors', [...others.map(described), ...failures].join('; ') || NOT_SEEN],
    ['format of Retry-After', limited ? `\`${limited.headers.get('retry-after') ?? 'absent'}\`` : NOT_SEEN],
    ['format of X-RateLimit-Reset', resetResult(answers)],
    [
      'what a request costs, and scope of counting',
      `remaining: ${had} with the key, ${without} without, ${left} with the usage report`,
    ],
    ['required usage fields', apiKey === undefined ? NO_KEY : usageFields(usage)],
  ];
}

function isSuccess({ status }: ServiceResponse): boolean {
  return status >= 200 && status <= 299;
}

/** Only then the path is known to be right, and its other answers say something about cards. */
function isCard(card: Answer): card is ServiceResponse & { body: object } {
  return card !== undefined && isSuccess(card) && CardAnswer.safeParse(card.body).success;
}

/** A 403 without an error body is of a firewall. */
function refusesKey({ status, body }: ServiceResponse): boolean {
  return status === 401 || (status === 403 && ErrorBody.safeParse(body).success);
}

function pathResult(card: Answer, cardPath: string): string {
  if (!card) return NOT_SEEN;
  if (isCard(card)) return `\`${cardPath}\` is right`;
  return `\`${cardPath}\` gave ${isSuccess(card) ? `${card.status}, and no card` : described(card)}`;
}

function keyResult(card: Answer, withoutKey: Answer): string {
  if (!withoutKey) return NOT_SEEN;
  if (refusesKey(withoutKey)) return `yes: ${described(withoutKey)} without one`;
  return isCard(card) && (withoutKey.status === 404 || isSuccess(withoutKey)) ? 'no' : NOT_SEEN;
}

function notFoundResult(noSuchCard: Answer): string {
  if (noSuchCard && refusesKey(noSuchCard)) return `${NOT_SEEN}, since the lookup needs a key`;
  const isHindered = !noSuchCard || [403, 408, 429].includes(noSuchCard.status) || noSuchCard.status >= 500;
  return isHindered ? NOT_SEEN : described(noSuchCard);
}

function resetResult(answers: readonly ServiceResponse[]): string {
  const answer = answers.find(({ headers }) => headers.has('x-ratelimit-reset'));
  if (!answer) return answers.length > 0 ? 'absent' : NOT_SEEN;
  const { headers, receivedAtMs } = answer;
  const { resetInMs } = readRateLimit(headers, receivedAtMs, receivedAtMs);
  const aheadSeconds = Math.round((serviceClock(headers, receivedAtMs) - receivedAtMs) / 1000);
  const clock = headers.has('date') ? `; the service's clock is ${aheadSeconds} s ahead of this one` : '';
  const left = resetInMs === undefined ? 'not understood' : `${Math.round(resetInMs / 1000)} s ahead`;
  return `\`${headers.get('x-ratelimit-reset')}\`, ${left}${clock}`;
}

function usageFields(usage: Answer): string {
  if (!usage) return NOT_SEEN;
  if (!isSuccess(usage)) return described(usage);
  const { period, requests } = Object(usage.body);
  return `${names(usage.body)}; period: ${names(period)}; requests: ${names(requests)}`;
}

function remainingOf(answer: Answer): number | string {
  return (answer && readRateLimit(answer.headers, 0, 0).remaining) ?? NOT_SEEN;
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
