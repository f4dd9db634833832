import type { Config } from '../config/config.ts';
import { createLog } from '../log.ts';
import type { Card } from '../model/card.ts';
import { CardServiceError, KeyRefused, RateLimited } from '../model/errors.ts';
import type { Source } from '../model/field-source.ts';
import { type PlanSetting, plansOf } from '../model/plan.ts';
import type { QuotaReading } from '../model/quota.ts';
import type { ServiceDescription } from '../model/service-description.ts';
import { publicUrl } from '../render/card-embed.ts';
import { AnswerReader } from '../service/answers.ts';
import { type BulkAnswer, BulkRequests } from '../service/bulk.ts';
import { cardUrl } from '../service/card-service.ts';
import { Requests } from '../service/request.ts';
import { statedLimits } from '../service/stated.ts';
import { type Finding, right, unknown, wrong } from './offline-checks.ts';
import { networkCode } from './request.ts';

type CardServiceConfig = Config['cardService'];

/** For the default service any id does: one that says properly that it has no such card is reached. */
const DEFAULT_ID = 'base1-4';

/**
 * The ids to try: of a card that the service should have, where one is known, and of one that it should not have, where
 * its answer to that is described.
 */
export function idsToTry({ card, isDefault }: ServiceDescription, known: string | undefined): string[] {
  if (isDefault) return [known ?? DEFAULT_ID];
  return known === undefined ? [madeUpId(card)] : [known, madeUpId(card)];
}

/** An id in the form that the service's ids have. */
function madeUpId({ ids, idSeparator }: ServiceDescription['card']): string {
  if (ids === undefined) return 'cardbot-check-no-such-card';
  if (ids === 'uuid') return '00000000-0000-4000-8000-000000000000';
  if (ids === 'digits') return '99999999';
  const { chars, longest, segments } = ids;
  const char = [...'a0A'].find((each) => chars.test(each)) ?? '-';
  const length = Math.min(8, Math.max(1, Math.floor(longest / segments) - 1));
  return Array(segments).fill(char.repeat(length)).join(idSeparator);
}

export function costOf({ baseUrl, description }: CardServiceConfig, ids: readonly string[]): string {
  const count = ['one', 'two', 'three'][ids.length - (description.list ? 0 : 1)];
  return `${new URL(baseUrl).host}, which costs ${count} of today's requests; --offline sends nothing`;
}

const CARD = 'card service';
const BULK = 'bulk requests';
const LONGEST_MS = 10_000;

/**
 * Whether cards can be looked up, by the bot's own client and reader. Costs what `costOf` says, or less where something
 * is wrong.
 *
 * @param ids as of `idsToTry` @param plan absent: what each field became is found in its place
 */
export async function checkCardService(
  cardService: CardServiceConfig,
  [id = '', absentId]: readonly string[],
  plan?: PlanSetting,
): Promise<Finding[]> {
  const { description } = cardService;
  const { list, quota } = description;
  const findings: Finding[] = [];
  const unread = new Map<string, string>();
  const reader = new AnswerReader(description, (field, why) => unread.set(field, why));
  const timeoutMs = Math.min(cardService.timeoutMs, LONGEST_MS);
  const options = {
    ...cardService,
    timeoutMs,
    limiter: { observe() {} },
    log: createLog({ level: 'silent', secrets: [] }),
  };
  const requests = new Requests(options);
  const send = (card: string) => requests.send(cardUrl(cardService.baseUrl, description, card));
  let [check, asked] = [CARD, id];
  try {
    const response = await send(id);
    const card = reader.cardIn(response, id);
    const exists = card !== 'noSuchCard';
    const stated = statedLimits(response, quota);
    findings.push(exists ? right(CARD, 'it answers with a card') : noCard(CARD, id, place(description)));
    if (plan) findings.push(planFinding(stated[0], plan, description));
    else if (exists) findings.push(...fieldFindings(description, card, stated));
    if (exists && absentId !== undefined) {
      asked = absentId;
      reader.cardIn(await send(absentId), absentId);
      findings.push(right(CARD, `it answers, and has no card ${absentId}`));
    }
    check = BULK;
    if (list)
      findings.push(
        listFinding(await new BulkRequests({ ...options, list, reader }).request([id]), id, exists, description),
      );
  } catch (error) {
    if (!(error instanceof CardServiceError)) throw error;
    findings.push(
      check === BULK
        ? unknown(BULK, `It failed (${error.message}). Try again later.`)
        : fault(error, asked, cardService),
    );
  }
  return [...findings, ...[...unread].map(([field, why]) => unknown(field, why))];
}

/** @param place that may be wrong, since some services answer a wrong path so, too */
function noCard(check: string, id: string, place: string): Finding {
  return unknown(check, `It says that it has no card ${id}. Name one that it has (--id ID), or check ${place}.`);
}

/** What an operator has to put right. */
function place({ isDefault, name }: ServiceDescription, variables = 'CARD_SERVICE_URL and CARD_SERVICE_CARD_PATH') {
  return isDefault ? variables : `\`url\`, \`card\`, \`absent\`, \`fields\` and \`list\` in the description of ${name}`;
}

function fault(error: CardServiceError, id: string, { baseUrl, description, apiKey }: CardServiceConfig): Finding {
  if (error instanceof KeyRefused) {
    const why = apiKey === undefined ? 'needs a key' : 'does not accept this key';
    return wrong('API key', `The card service ${why}. Set CARD_SERVICE_API_KEY to a current one.`);
  }
  if (error instanceof RateLimited) return unknown(CARD, `It asks to wait (${error.message}). Try again later.`);
  const why = networkCode(error.cause) ?? error.message;
  const says = `${new URL(baseUrl).host} gives no readable answer for ${id} at ${description.card.path} (${why}).`;
  return wrong(CARD, `${says} Check ${place(description)}, or try again later.`);
}

/** The plan in the answer against the plan in the settings. */
function planFinding(reading: QuotaReading | undefined, setting: PlanSetting, described: ServiceDescription): Finding {
  const { plan, requestsPerMinute, burst } = setting;
  const { limit, remaining } = reading ?? {};
  const isUnpaced = plan === 'auto' && (requestsPerMinute ?? burst) === undefined;
  if (!described.quota.some(({ per }) => per === 'day')) return right('plan', 'the service tells nothing of one');
  if (limit === undefined)
    return isUnpaced
      ? wrong('plan', 'It does not say how many requests a day it allows. Set CARD_SERVICE_PLAN to your plan.')
      : right('plan', plan);
  const [stated] = Object.entries(plansOf(setting)).find(([, { requestsPerDay }]) => requestsPerDay === limit) ?? [];
  const perDay = `${limit.toLocaleString('en')} requests a day`;
  if (plan !== 'auto' && plan !== 'enterprise' && stated !== plan)
    return wrong('plan', `It allows ${perDay}, and CARD_SERVICE_PLAN is ${plan}. Write ${stated ?? 'auto'}.`);
  // Services change what their plans allow, and what a described one states is believed.
  if (isUnpaced && described.isDefault && stated === undefined) {
    const cure = 'Set CARD_SERVICE_REQUESTS_PER_MINUTE and CARD_SERVICE_BURST.';
    return wrong('plan', `It allows ${perDay}, as no plan does. ${cure}`);
  }
  const left = remaining === undefined ? '' : `, ${remaining.toLocaleString('en')} left`;
  return right('plan', `${stated ?? plan}: ${perDay}${left}`);
}

/** What a list of one card says of where cards are listed. @param exists whether its lookup has found the card */
function listFinding(listed: BulkAnswer, id: string, exists: boolean, description: ServiceDescription): Finding {
  const where = place(description, 'CARD_SERVICE_BULK_PATH');
  const isList = listed.kind === 'listed';
  const hasOthers = isList && listed.hasOthers;
  if (isList && !hasOthers && listed.cards.has(id)) return right(BULK, 'it lists the card');
  if (!exists && !hasOthers && listed.kind !== 'unusable') return noCard(BULK, id, where);
  const why = isList ? `it ${hasOthers ? 'has others, that it was not asked for' : 'leaves it out'}` : listed.detail;
  return wrong(BULK, `It does not list the card (${why}). Check ${where}, or remove it.`);
}

/** What the bot shows of each source of a description, and where that is from. @param stated of each window of the quota */
function fieldFindings(
  { fields, prices, quota }: ServiceDescription,
  card: Card,
  stated: readonly QuotaReading[],
): Finding[] {
  const { set, game: tcg, imageUrl, pageUrl } = card;
  const addresses = { imageUrl: publicUrl(imageUrl), pageUrl: publicUrl(pageUrl) };
  const { rows = [], ...figures } = prices ?? {};
  const windows = quota.flatMap(({ per, ...sources }, at) => {
    const { resetInMs, ...reading } = stated[at] ?? {};
    const reset = resetInMs === undefined ? undefined : `in ${Math.round(resetInMs / 1000)} s`;
    return sourceFindings(`quota.${per}`, sources, { ...reading, reset });
  });
  return [
    ...sourceFindings('fields', fields, { ...card, ...addresses, tcg, 'set.id': set?.id, 'set.name': set?.name }),
    ...sourceFindings('prices', figures, { ...card.prices }, ` in ${rows.map(({ text }) => text).join(' or ')}`),
    ...windows,
  ];
}

const LONGEST_SHOWN = 100;

/** @param shown by the names of the sources @param within where these are read from parts of an answer */
function sourceFindings(
  place: string,
  sources: Readonly<Record<string, Source | undefined>>,
  shown: Readonly<Record<string, unknown>>,
  within = '',
): Finding[] {
  return Object.entries(sources).flatMap(([name, source]) => {
    if (source === undefined) return [];
    const from = `from ${source.texts.join(' or ') || 'the value itself'}${within}`;
    const text = String(shown[name] ?? '').replace(/\p{Cc}/gu, ' ');
    if (text === '') return unknown(`${place}.${name}`, `nothing that the bot can show, ${from}`);
    return right(`${place}.${name}`, `${text.slice(0, LONGEST_SHOWN)}, ${from}`);
  });
}
