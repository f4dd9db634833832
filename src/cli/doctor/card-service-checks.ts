import type { z } from 'zod';
import type { Config } from '../../config/config.ts';
import { UnexpectedAnswer } from '../../model/errors.ts';
import { plansOf } from '../../model/plan.ts';
import type { ServiceDescription } from '../../model/service-description.ts';
import { cardUrl } from '../../service/address.ts';
import { type Answered, CardAnswer, ErrorBody, read } from '../../service/answers.ts';
import { CardReader } from '../../service/described-card.ts';
import { listAnswer, listRequest, listsOthers } from '../../service/listing-format.ts';
import { isOfProxy, PROXY_LIMIT } from '../../service/proxy-limit.ts';
import { readRateLimit } from '../../service/rate-limit-headers.ts';
import type { ServiceResponse } from '../../service/request.ts';
import { inspect, isAnswer, type NoAnswer, RunDeadline } from '../request.ts';
import { type Finding, hindrance, right, unknown, unreachable, wrong } from './finding.ts';

const CHECK = 'card service';
const KEY_CHECK = 'API key';
const BULK_CHECK = 'bulk requests';
const PLAN_CHECK = 'plan';
/** Any id does: a service that says properly that it has no such card is reached. */
const CARD_ID = 'base1-4';
/** The statuses with which a service answers a wrong key or a wrong path. */
const REFUSALS: readonly number[] = [401, 403, 404];

/** Whether cards can be looked up. Costs one request of the quota, and with `CARD_SERVICE_BULK_PATH` another. */
export async function checkCardService({ cardService, plan }: Config): Promise<Finding[]> {
  const { baseUrl, description, apiKey } = cardService;
  const { list, isDefault } = description;
  const deadline = new RunDeadline();
  const ask = (url: URL, json?: object) =>
    inspect(url, { ...cardService, timeoutMs: deadline.leftMs(cardService.timeoutMs) }, json);
  const url = cardUrl(baseUrl, description, CARD_ID);
  const response = await ask(url);
  if (!isAnswer(response)) return [failureFinding(response, url)];
  const answered = answerFinding(response, cardService);
  if (!answered.ok) {
    const isOneOfTwo = apiKey !== undefined && REFUSALS.includes(response.status);
    return [answered, ...(isOneOfTwo ? await otherFault(answered, cardService, deadline) : [])];
  }
  const findings = [answered, planFinding(response, plan, description)];
  if (list === undefined) return findings;
  const { url: listUrl, json } = listRequest({ baseUrl, list, isDefault }, [CARD_ID]);
  const about = { id: CARD_ID, exists: response.status !== 404, description };
  return [...findings, bulkFinding(await ask(listUrl, json), about)];
}

/**
 * An answer tells of a wrong key or of a wrong path, and not of both. So one more request, which does without what is known
 * to be wrong, finds out about the other.
 */
async function otherFault(
  first: Finding,
  cardService: Config['cardService'],
  deadline: RunDeadline,
): Promise<Finding[]> {
  const isOfKey = first.check === KEY_CHECK;
  const { baseUrl, description } = cardService;
  const url = isOfKey ? cardUrl(baseUrl, description, CARD_ID) : new URL(`${baseUrl}/v1/usage`);
  const apiKey = isOfKey ? undefined : cardService.apiKey;
  const answer = await inspect(url, { ...cardService, apiKey, timeoutMs: deadline.leftMs(cardService.timeoutMs) });
  const second = isAnswer(answer) && REFUSALS.includes(answer.status) && answerFinding(answer, cardService);
  return second && second.ok === false && second.check !== first.check ? [second] : [];
}

function failureFinding(failure: NoAnswer, { host }: URL): Finding {
  const { kind, reason } = failure;
  if (kind === 'unreached') return unreachable(CHECK, host, failure, 'CARD_SERVICE_URL');
  return kind === 'answered'
    ? wrong(CHECK, `${host} answers with ${reason}. Check CARD_SERVICE_URL.`)
    : wrong(CHECK, `${host} cannot be used (${reason}). Check CARD_SERVICE_URL, or try again later.`);
}

type Answer = Pick<ServiceResponse, 'status' | 'headers' | 'body'>;

/** What the answer to the lookup of a card says of address, path and key. */
export function answerFinding(
  { status, headers, body }: Answer,
  { description, apiKey }: Pick<Config['cardService'], 'description' | 'apiKey'>,
): Finding {
  const error = ErrorBody.safeParse(body).data;
  if (status === 401 || (status === 403 && error)) return wrong(KEY_CHECK, apiKey === undefined ? NO_KEY : BAD_KEY);
  if (status === 403)
    return wrong(
      CHECK,
      `A firewall in front of it refuses this machine. Ask whoever runs the service. Or ${PROXY_LIMIT}.`,
    );
  if (status === 404 && error && !isAboutPath(error)) return right(CHECK, `it answers, and has no card ${CARD_ID}`);
  if (status === 404)
    return wrong(
      CHECK,
      `It has no path ${description.card.path}. Check CARD_SERVICE_CARD_PATH, and the path in CARD_SERVICE_URL.`,
    );
  const hindered = hindrance(status);
  if (status === 429)
    return unknown(CHECK, `It ${hindered}, so key, path and plan could not be checked. Try again later.`);
  const orLimited = isOfProxy({ status, body }) ? ` Or ${PROXY_LIMIT}.` : '';
  if (hindered) return wrong(CHECK, `It ${hindered}. Try again later.${orLimited}`);
  if (status >= 300 && status < 400) {
    const why = `It redirects to ${headers.get('location')}, and the bot follows no redirect.`;
    return wrong(CHECK, `${why} Set CARD_SERVICE_URL to the service itself.`);
  }
  return cardFinding(status, body);
}

const NO_KEY = 'The card service needs a key. Set CARD_SERVICE_API_KEY.';
const BAD_KEY = 'The card service does not accept this key. Set CARD_SERVICE_API_KEY to a current one.';

function cardFinding(status: number, body: unknown): Finding {
  const isSuccess = status >= 200 && status <= 299;
  if (isSuccess && !(read(CardAnswer, body) instanceof UnexpectedAnswer)) return right(CHECK, 'it answers with a card');
  const what = isSuccess ? 'something that is not a card' : `status ${status}`;
  return wrong(CHECK, `It answers with ${what}. Check CARD_SERVICE_URL and CARD_SERVICE_CARD_PATH.`);
}

/** The interface does not name the error of a card that does not exist, so only words that cannot be about one count. */
function isAboutPath({ _tag, message }: z.infer<typeof ErrorBody>): boolean {
  const text = `${_tag} ${message}`;
  return /path|route|endpoint|url/i.test(text) && !/card/i.test(text);
}

/** What a list of one card says of `CARD_SERVICE_BULK_PATH`. @param card whether there is one is known from its lookup */
export function bulkFinding(
  response: Answered | NoAnswer,
  { id, exists, description }: { id: string; exists: boolean; description: ServiceDescription },
): Finding {
  const cure = 'Check CARD_SERVICE_BULK_PATH, or remove it.';
  const reader = new CardReader(description);
  if ('failure' in response) {
    const { kind, reason } = response;
    if (kind === 'answered') return wrong(BULK_CHECK, `It answers with ${reason}. ${cure}`);
    return unknown(BULK_CHECK, `The list failed (${reason}). Try again later.`);
  }
  const hindered = response.status === 501 ? undefined : hindrance(response.status);
  if (hindered) return unknown(BULK_CHECK, `It ${hindered}. Try again later.`);
  const answer = listAnswer(response, [id], reader);
  if (answer.kind === 'keyRefused') return wrong(BULK_CHECK, `It does not accept the key there. ${cure}`);
  if (answer.kind === 'listed' && listsOthers(response.body, [id], reader)) {
    const why = 'It lists cards that it was not asked for: the path may name the ids wrongly.';
    return wrong(BULK_CHECK, `${why} ${cure}`);
  }
  if (answer.kind === 'listed' && answer.cards.size > 0) return right(BULK_CHECK, 'it lists the card');
  if (!exists && (answer.kind === 'listed' || answer.kind === 'tooMany'))
    return unknown(BULK_CHECK, `It has no card ${id}, so whether it lists cards could not be found out.`);
  const what = answer.kind === 'listed' ? 'no card, though it has the one that it was asked for' : answer.detail;
  return wrong(BULK_CHECK, `It answers with ${what}. ${cure}`);
}

/** The plan in the headers against the plan in the settings. */
export function planFinding(
  answer: Pick<ServiceResponse, 'headers' | 'body'>,
  setting: Config['plan'],
  { quota: [window] }: Pick<ServiceDescription, 'quota'>,
): Finding {
  const { limit, remaining } = readRateLimit(answer, window ?? {}, 0, 0);
  const asFree = 'so the bot keeps to the pace of Free';
  if (limit === undefined) {
    if (setting.plan !== 'auto' || setting.requestsPerMinute !== undefined) return right(PLAN_CHECK, setting.plan);
    const why = `The service does not say how many requests a day it allows, ${asFree}.`;
    return wrong(PLAN_CHECK, `${why} Set CARD_SERVICE_PLAN to your plan.`);
  }
  const perDay = `${limit.toLocaleString('en')} requests a day`;
  const plans = plansOf(setting);
  const found = Object.keys(plans).find((plan) => plans[plan]?.requestsPerDay === limit);
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
