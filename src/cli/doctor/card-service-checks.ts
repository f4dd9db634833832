import type { Config } from '../../config/config.ts';
import { cardIdReader } from '../../model/card-id.ts';
import { UnexpectedAnswer } from '../../model/errors.ts';
import { plansOf } from '../../model/plan.ts';
import type { ServiceDescription } from '../../model/service-description.ts';
import { cardUrl, endpoint } from '../../service/address.ts';
import { type Answered, ErrorBody, isAbsent, refusalIn } from '../../service/answers.ts';
import { CardReader } from '../../service/described-card.ts';
import { listAnswer, listRequest, listsOthers } from '../../service/listing-format.ts';
import { readRateLimit } from '../../service/rate-limit-headers.ts';
import type { ServiceResponse } from '../../service/request.ts';
import { catalogFolder } from '../../storage/state.ts';
import { DEFAULT_ID, knownId, madeUpId } from '../card-to-try.ts';
import { inspect, isAnswer, type NoAnswer, RunDeadline } from '../request.ts';
import { fieldFindings } from './described-fields.ts';
import { type Finding, hindrance, right, unknown, unreachable, wrong } from './finding.ts';

const CHECK = 'card service';
const KEY_CHECK = 'API key';
const BULK_CHECK = 'bulk requests';
const PLAN_CHECK = 'plan';
/** The statuses with which a service answers a wrong key or a wrong path. */
const REFUSALS: readonly number[] = [401, 403, 404];

/** What is to be asked: a card, and where it is known to exist also one that does not; both where cards are listed. */
export interface CardCheck {
  host: string;
  id: string;
  absentId: string | undefined;
  costs: 'one' | 'two' | 'three';
}

/** @param given the operator's own card @param dataDir where the bot may know one by name */
export function cardCheck(
  { baseUrl, description, scope }: Config['cardService'],
  given: string | undefined,
  dataDir: string | undefined,
): CardCheck {
  const { card, isDefault, list } = description;
  const known =
    given ??
    (isDefault || dataDir === undefined ? undefined : knownId(catalogFolder(dataDir, scope), cardIdReader(card)));
  const id = known ?? (isDefault ? DEFAULT_ID : madeUpId(card));
  const absentId = isDefault || known === undefined ? undefined : madeUpId(card);
  const costs = absentId && list ? 'three' : absentId || list ? 'two' : 'one';
  return { host: new URL(baseUrl).host, id, absentId, costs };
}

/** Whether cards can be looked up. Costs what `check` says. @param plan absent: what each field became is found, too */
export async function checkCardService(
  { cardService, plan }: Pick<Config, 'cardService'> & Partial<Pick<Config, 'plan'>>,
  { id, absentId }: CardCheck,
): Promise<Finding[]> {
  const { baseUrl, description, apiKey } = cardService;
  const { list, isDefault } = description;
  const deadline = new RunDeadline();
  const ask = (url: URL, json?: object) =>
    inspect(url, { ...cardService, timeoutMs: deadline.leftMs(cardService.timeoutMs) }, json);
  const url = cardUrl(baseUrl, description, id);
  const response = await ask(url);
  if (!isAnswer(response)) return [failureFinding(response, url, description)];
  const answered = answerFinding(response, cardService, id);
  const fields = plan || response.status > 299 ? [] : fieldFindings(description, response);
  if (!answered.ok) {
    const isOneOfTwo = apiKey !== undefined && REFUSALS.includes(response.status);
    return [answered, ...fields, ...(isOneOfTwo ? await otherFault(answered, cardService, id, deadline) : [])];
  }
  const exists = !isAbsent(response, description);
  const findings = [answered, ...fields, ...(plan ? [planFinding(response, plan, description)] : [])];
  const absent = absentId !== undefined && exists && (await ask(cardUrl(baseUrl, description, absentId)));
  if (absent && isAnswer(absent)) findings.push(answerFinding(absent, cardService, absentId));
  if (!exists && !isDefault) findings.push(unknown('card', `None was looked up. Name one that it has: --id ID`));
  if (list === undefined) return findings;
  const { url: listUrl, json } = listRequest({ baseUrl, list, isDefault }, [id]);
  return [...findings, bulkFinding(await ask(listUrl, json), { id, exists, description })];
}

/** What an operator has to put right: variables, or where a description is used, that. */
function places({ isDefault, name }: ServiceDescription) {
  if (isDefault) return { url: 'CARD_SERVICE_URL', path: 'CARD_SERVICE_CARD_PATH', list: 'CARD_SERVICE_BULK_PATH' };
  const of = (keys: string) => `${keys} in the description of ${name}`;
  return { url: of('`url`'), path: of('`card`, `absent` and `fields`'), list: of('`list`') };
}

/**
 * An answer tells of a wrong key or of a wrong path, and not of both. So one more request, which does without what is known
 * to be wrong, finds out about the other.
 */
async function otherFault(
  first: Finding,
  cardService: Config['cardService'],
  id: string,
  deadline: RunDeadline,
): Promise<Finding[]> {
  const isOfKey = first.check === KEY_CHECK;
  const { baseUrl, description } = cardService;
  if (!isOfKey && !description.usage) return [];
  const url = isOfKey ? cardUrl(baseUrl, description, id) : endpoint(baseUrl, description.usage?.path ?? '');
  const apiKey = isOfKey ? undefined : cardService.apiKey;
  const answer = await inspect(url, { ...cardService, apiKey, timeoutMs: deadline.leftMs(cardService.timeoutMs) });
  const second = isAnswer(answer) && REFUSALS.includes(answer.status) && answerFinding(answer, cardService, id);
  return second && second.ok === false && second.check !== first.check ? [second] : [];
}

function failureFinding(failure: NoAnswer, { host }: URL, description: ServiceDescription): Finding {
  const { kind, reason } = failure;
  const { url } = places(description);
  if (kind === 'unreached') return unreachable(CHECK, host, failure, url);
  return kind === 'answered'
    ? wrong(CHECK, `${host} answers with ${reason}. Check ${url}.`)
    : wrong(CHECK, `${host} cannot be used (${reason}). Check ${url}, or try again later.`);
}

type CheckedResponse = Pick<ServiceResponse, 'status' | 'headers' | 'body'>;

/** What the answer to the lookup of a card says of address, path and key. */
export function answerFinding(
  { status, headers, body }: CheckedResponse,
  { description, apiKey }: Pick<Config['cardService'], 'description' | 'apiKey'>,
  id = DEFAULT_ID,
): Finding {
  const { url, path } = places(description);
  const refused = refusalIn({ status, body }, description);
  if (refused === 'key') return wrong(KEY_CHECK, apiKey === undefined ? NO_KEY : BAD_KEY);
  if (refused === 'plan') return wrong(CHECK, 'The plan of this key has no card lookup. Take another plan or service.');
  if (status === 403)
    return wrong(CHECK, `A firewall in front of it refuses this machine. Ask whoever runs the service.`);
  if (isAbsent({ status, body }, description) && !isAboutPath(body))
    return right(CHECK, `it answers, and has no card ${id}`);
  if (status === 404)
    return wrong(CHECK, `It has no path ${description.card.path}. Check ${path}, and the path in ${url}.`);
  const hindered = hindrance(status);
  if (status === 429)
    return unknown(CHECK, `It ${hindered}, so key, path and plan could not be checked. Try again later.`);
  if (hindered) return wrong(CHECK, `It ${hindered}. Try again later.`);
  if (status >= 300 && status < 400) {
    const why = `It redirects to ${headers.get('location')}, and the bot follows no redirect.`;
    return wrong(CHECK, `${why} Set ${url} to the service itself.`);
  }
  return cardFinding(status, body, id, description);
}

const NO_KEY = 'The card service needs a key. Set CARD_SERVICE_API_KEY.';
const BAD_KEY = 'The card service does not accept this key. Set CARD_SERVICE_API_KEY to a current one.';

function cardFinding(status: number, body: unknown, id: string, description: ServiceDescription): Finding {
  const { url, path } = places(description);
  const reader = new CardReader(description);
  const card = status >= 200 && status <= 299 ? reader.cardOf(id, reader.foundIn(body)) : undefined;
  if (card === 'noSuchCard') return right(CHECK, `it answers, and has no card ${id}`);
  if (card && !(card instanceof UnexpectedAnswer)) return right(CHECK, 'it answers with a card');
  const what = card ? `something that is not a card (${card.detail})` : `status ${status}`;
  return wrong(CHECK, `It answers with ${what}. Check ${url} and ${path}.`);
}

/** The interface does not name the error of a card that does not exist, so only words that cannot be about one count. */
function isAboutPath(body: unknown): boolean {
  const { _tag, message } = ErrorBody.safeParse(body).data ?? {};
  const text = `${_tag} ${message}`;
  return /path|route|endpoint|url/i.test(text) && !/card/i.test(text);
}

const LISTED = { true: 'it lists the card', false: 'it says there that the card does not exist' };

/** What a list of one card says of where cards are listed. @param card whether there is one is known from its lookup */
export function bulkFinding(
  response: Answered | NoAnswer,
  { id, exists, description }: { id: string; exists: boolean; description: ServiceDescription },
): Finding {
  const cure = `Check ${places(description).list}, or remove it.`;
  const reader = new CardReader(description);
  if ('failure' in response) {
    const { kind, reason } = response;
    if (kind === 'answered') return wrong(BULK_CHECK, `It answers with ${reason}. ${cure}`);
    return unknown(BULK_CHECK, `The list failed (${reason}). Try again later.`);
  }
  const hindered = response.status === 501 ? undefined : hindrance(response.status);
  if (hindered) return unknown(BULK_CHECK, `It ${hindered}. Try again later.`);
  const answer = listAnswer(response, [id], reader);
  if (answer.kind === 'keyRefused')
    return wrong(BULK_CHECK, `It does not accept the key there, or the plan has no lists. ${cure}`);
  if (answer.kind === 'listed' && listsOthers(response.body, [id], reader)) {
    const why = 'It lists cards that it was not asked for: the path may name the ids wrongly.';
    return wrong(BULK_CHECK, `${why} ${cure}`);
  }
  if (answer.kind === 'listed' && answer.cards.size > 0) return right(BULK_CHECK, LISTED[`${exists}`]);
  if (!exists && (answer.kind === 'listed' || answer.kind === 'tooMany'))
    return unknown(BULK_CHECK, `It has no card ${id}, so whether it lists cards could not be found out.`);
  const what = answer.kind === 'listed' ? 'no card, though it has the one that it was asked for' : answer.detail;
  return wrong(BULK_CHECK, `It answers with ${what}. ${cure}`);
}

/** The plan in the headers against the plan in the settings. */
export function planFinding(
  answer: Pick<ServiceResponse, 'headers' | 'body'>,
  setting: Config['plan'],
  { quota, isDefault }: Pick<ServiceDescription, 'quota' | 'isDefault'>,
): Finding {
  const window = quota.find(({ per }) => per === 'day');
  if (!window) return right(PLAN_CHECK, 'the service tells nothing of one');
  const { limit, remaining } = readRateLimit(answer, window, 0, 0);
  const asFree = `so the bot keeps to the pace of ${isDefault ? 'Free' : Object.keys(plansOf(setting))[0]}`;
  if (limit === undefined) {
    if (setting.plan !== 'auto' || setting.requestsPerMinute !== undefined) return right(PLAN_CHECK, setting.plan);
    const why = `The service does not say how many requests a day it allows, ${asFree}.`;
    return wrong(PLAN_CHECK, `${why} Set CARD_SERVICE_PLAN to your plan.`);
  }
  const perDay = `${limit.toLocaleString('en')} requests a day`;
  const plans = plansOf(setting);
  const found = Object.keys(plans).find((plan) => plans[plan]?.requestsPerDay === limit);
  const isPaced = setting.requestsPerMinute !== undefined && setting.burst !== undefined;
  // Services change what their plans allow, and what they state is believed.
  if (isDefault && setting.plan === 'auto' && found === undefined && !isPaced) {
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
