import type { z } from 'zod';
import type { Config } from '../../config/config.ts';
import { PLAN_LIMITS, PLANS } from '../../model/plan.ts';
import { CardAnswer, ErrorBody } from '../../service/answers.ts';
import { cardUrl } from '../../service/card-service.ts';
import { readRateLimit } from '../../service/rate-limit-headers.ts';
import type { ServiceResponse } from '../../service/request.ts';
import { inspect, isAnswer, type NoAnswer, RunDeadline } from '../request.ts';
import { checkBulk } from './bulk-check.ts';
import { type Finding, right, unknown, unreachable, wrong } from './finding.ts';

const CHECK = 'card service';
const PLAN_CHECK = 'plan';
/** Any id does: a service that says properly that it has no such card is reached. */
const CARD_ID = 'base1-4';

/** Whether cards can be looked up. Costs one request of the quota, and with `CARD_SERVICE_BULK_PATH` another. */
export async function checkCardService(config: Config): Promise<Finding[]> {
  const { baseUrl, cardPath, bulkPath, apiKey } = config.cardService;
  const deadline = new RunDeadline();
  const leftMs = () => deadline.leftMs(config.cardService.timeoutMs);
  const url = cardUrl(baseUrl, cardPath, CARD_ID);
  url.searchParams.set('includePrices', 'true');
  const response = await inspect(url, { apiKey, timeoutMs: leftMs() });
  if (!isAnswer(response)) return [failureFinding(response, url)];
  const answered = answerFinding(response, config.cardService);
  if (!answered.ok) return [answered];
  const card = { id: CARD_ID, exists: response.status !== 404 };
  const bulkOptions = { baseUrl, apiKey, timeoutMs: leftMs() };
  const bulk = bulkPath === undefined ? [] : [await checkBulk({ ...bulkOptions, bulkPath }, card)];
  return [answered, ...bulk, planFinding(response, config.plan)];
}

function failureFinding({ kind, reason }: NoAnswer, { host }: URL): Finding {
  switch (kind) {
    case 'answered':
      return wrong(CHECK, `${host} answers with ${reason}. Check CARD_SERVICE_URL.`);
    case 'silent':
      return wrong(CHECK, `${host} cannot be used (${reason}). Check CARD_SERVICE_URL, or try again later.`);
    case 'unreached':
      return unreachable(CHECK, host, reason, 'CARD_SERVICE_URL');
  }
}

/** What the answer to the lookup of a card says of address, path and key. */
export function answerFinding(
  response: Answer,
  { cardPath, apiKey }: Pick<Config['cardService'], 'cardPath' | 'apiKey'>,
): Finding {
  const { status, headers, body } = response;
  const error = ErrorBody.safeParse(body).data;
  if (status === 401 || (status === 403 && error)) return wrong('API key', apiKey === undefined ? NO_KEY : BAD_KEY);
  if (status >= 300 && status < 400) {
    const to = headers.get('location') ?? 'an address that it does not name';
    const why = `It redirects to ${to}, and the bot follows no redirect.`;
    return wrong(CHECK, `${why} Set CARD_SERVICE_URL to the service itself.`);
  }
  if (status === 408 || status >= 500) {
    return wrong(CHECK, `It answers with status ${status}: it has a problem of its own. Try again later.`);
  }
  if (status === 404 && (error === undefined || isAboutPath(error))) {
    return wrong(CHECK, `It has no path ${cardPath}. Check CARD_SERVICE_CARD_PATH, and the path in CARD_SERVICE_URL.`);
  }
  return FINDINGS[status] ?? cardFinding(response);
}

/** The interface does not name the error of a card that does not exist, so only words that cannot be about one count. */
function isAboutPath({ _tag, message }: z.infer<typeof ErrorBody>): boolean {
  const text = `${_tag} ${message}`;
  return /path|route|endpoint|url/i.test(text) && !/card/i.test(text);
}

type Answer = Pick<ServiceResponse, 'status' | 'headers' | 'body'>;

const NO_KEY = 'The card service needs a key. Set CARD_SERVICE_API_KEY.';
const BAD_KEY = 'The card service does not accept this key. Set CARD_SERVICE_API_KEY to a current one.';

const FINDINGS: Readonly<Record<number, Finding>> = {
  403: wrong(CHECK, 'A firewall in front of it refuses this machine. Ask whoever runs the service.'),
  404: right(CHECK, `it answers, and has no card ${CARD_ID}`),
  429: unknown(
    CHECK,
    'It answers and asks to wait (status 429), so key, path and plan could not be checked. Try again later.',
  ),
};

function cardFinding({ status, body }: Answer): Finding {
  if (status >= 200 && status <= 299 && CardAnswer.safeParse(body).success)
    return right(CHECK, 'it answers with a card');
  const what = status >= 200 && status <= 299 ? 'something that is not a card' : `status ${status}`;
  return wrong(CHECK, `It answers with ${what}. Check CARD_SERVICE_URL and CARD_SERVICE_CARD_PATH.`);
}

/** The plan in the headers against the plan in the settings. */
export function planFinding({ headers }: Pick<ServiceResponse, 'headers'>, setting: Config['plan']): Finding {
  const { limit, remaining } = readRateLimit(headers, 0, 0);
  const asFree = 'so the bot keeps to the pace of Free';
  if (limit === undefined) {
    if (setting.plan !== 'auto' || setting.requestsPerMinute !== undefined) return right(PLAN_CHECK, setting.plan);
    const why = `The service does not say how many requests a day it allows, ${asFree}.`;
    return wrong(PLAN_CHECK, `${why} Set CARD_SERVICE_PLAN to your plan.`);
  }
  const perDay = `${limit.toLocaleString('en')} requests a day`;
  const found = PLANS.find((plan) => plan !== 'enterprise' && PLAN_LIMITS[plan].requestsPerDay === limit);
  const isPaced = setting.requestsPerMinute !== undefined && setting.burst !== undefined;
  if (setting.plan === 'auto' && found === undefined && !isPaced) {
    const why = `The service allows ${perDay}, which matches no known plan, ${asFree}.`;
    return wrong(PLAN_CHECK, `${why} Set CARD_SERVICE_REQUESTS_PER_MINUTE and CARD_SERVICE_BURST.`);
  }
  if (setting.plan !== 'auto' && setting.plan !== 'enterprise' && found !== setting.plan) {
    const is = found === undefined ? '' : `, which is the plan ${found}`;
    const why = `CARD_SERVICE_PLAN is ${setting.plan}, and the service allows ${perDay}${is}.`;
    return wrong(PLAN_CHECK, `${why} Write auto, or the plan that you have.`);
  }
  const left = remaining === undefined ? '' : `, ${remaining.toLocaleString('en')} left`;
  return right(PLAN_CHECK, `${found ?? setting.plan}: ${perDay}${left}`);
}
