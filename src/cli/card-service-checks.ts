import { setTimeout as sleep } from 'node:timers/promises';
import type { Config } from '../config/config.ts';
import { createLog } from '../log.ts';
import type { Card, Prices } from '../model/card.ts';
import { CardServiceError, KeyRefused, networkCode, RateLimited, ServiceDown } from '../model/errors.ts';
import type { PlanSetting, QuotaReading } from '../model/quota.ts';
import { publicUrl } from '../render/card-embed.ts';
import { AnswerReader } from '../service/answers.ts';
import { type BulkAnswer, BulkRequests } from '../service/bulk.ts';
import { cardUrl } from '../service/card-service.ts';
import { Source } from '../service/field-source.ts';
import { Requests, type ServiceResponse } from '../service/request.ts';
import { cardIdReader, type ServiceDescription } from '../service/service-description.ts';
import type { CliContext } from './context.ts';
import { type Finding, right, unknown, verdict, wrong } from './offline-checks.ts';

const NO_SUCH_CARD = 'cardbot-check-no-such-card';
/** These are ids of no card, in the forms that ids may have; where an id has several segments, each is one of these. */
const MADE_UP = [NO_SUCH_CARD, '00000000-0000-4000-8000-000000000000', '99999999', 'aaaaaaaa', 'AAAAAAAA'];

/**
 * The ids to try: of a card that the service should have, where one is known, and of one that it should not have, where
 * its answer to that is described. Where the description has an example any id does: a service that says properly that
 * it has no such card is reached.
 */
export function idsToTry({ card }: ServiceDescription, known: string | undefined): string[] {
  if (card.example) return [known ?? card.example];
  const { segments = 1 } = Object(card.ids);
  const madeUp = MADE_UP.map((part) => Array(segments).fill(part).join(card.idSeparator)).find(cardIdReader(card));
  return [known, madeUp].filter((id) => id !== undefined);
}

const CARD = 'card service';
const MISSING = 'missing card';
const BULK = 'bulk requests';
/** Whether a firewall seems to have refused it. The text of a redirect does not count, because it may lead to anything. */
const FORBIDDEN = /^(?:unexpected answer: )?status 403\b/;

/**
 * Whether cards can be looked up, by the bot's own client and reader. Costs one request for each id, and one where cards
 * are listed, a second apart, or less where something is wrong.
 *
 * @param ids as of `idsToTry` @param plan absent: what each field became is found in its place
 */
export async function* checkCardService(
  cardService: Config['cardService'],
  [id = NO_SUCH_CARD, ...others]: readonly string[],
  { pauseMs = 1_000 }: CliContext,
  plan?: PlanSetting,
) {
  const { baseUrl, description } = cardService;
  const { list, url, name } = description;
  const [absentId] = others;
  const unread = new Map<string, Finding>();
  const reader = new AnswerReader(description, (field, why) => unread.set(field, unknown(field, why)));
  const stated: QuotaReading[] = [];
  const limiter = { observe: (reading: QuotaReading) => void stated.push(reading) };
  const options = { ...cardService, limiter, log: createLog({ level: 'silent', secrets: [] }) };
  const requests = new Requests(options);
  const ask = (card: string) => requests.send(cardUrl(baseUrl, description, card));
  let [check, asked] = [CARD, id];
  /** What an operator has to put right. */
  const place = (variables = 'CARD_SERVICE_URL and CARD_SERVICE_CARD_PATH') =>
    url
      ? `\`url\`, \`key\`, \`card\`, \`absent\`, \`refused\`, \`fields\` and \`list\` in the description of ${name}`
      : variables;
  const failure = (error: CardServiceError) => {
    const why = networkCode(error.cause) ?? error.message;
    if (error instanceof KeyRefused)
      return wrong('API key', `It lacks or is wrong (${why}). Set CARD_SERVICE_API_KEY.`);
    const isToWait = error instanceof RateLimited || check === BULK;
    const says = `${new URL(baseUrl).host} gives no readable answer for ${asked} at ${description.card.path} (${why}).`;
    const found = (isToWait ? unknown : wrong)(check, `${says} Check ${place()}, or try again later.`);
    const isSilent = error instanceof RateLimited || error instanceof ServiceDown || FORBIDDEN.test(why);
    return isSilent ? { ...found, noAnswer: true as const } : found;
  };
  try {
    const answer = await ask(id);
    const card = reader.cardIn(answer, id);
    const exists = card !== 'noSuchCard';
    const cure = `Name one that it has (--id ID), or check ${place()}`;
    const none = `It says that it has no card ${id}. ${cure}: ${cardUrl(baseUrl, description, id)} was asked.`;
    yield exists ? right(CARD, 'it answers with a card') : unknown(CARD, none);
    if (plan) yield planFinding(plan, description, stated[0]);
    else if (exists) {
      yield* fieldFindings(description, card, stated);
      yield* rowFindings(description, answer, id);
    }
    if (exists && absentId) {
      [check, asked] = [MISSING, absentId];
      await sleep(pauseMs);
      const has = reader.cardIn(await ask(absentId), absentId) !== 'noSuchCard';
      const unsaid = `It answers with a card for ${absentId}, which is none. Check ${place()}.`;
      yield has ? unknown(MISSING, unsaid) : right(MISSING, `it answers, and has no card ${absentId}`);
    }
    check = BULK;
    if (list) {
      await sleep(pauseMs);
      const listed = await new BulkRequests({ ...options, list, reader }).request([id, ...others]);
      yield listFinding(listed, [id, ...others], exists, place('CARD_SERVICE_BULK_PATH'));
    }
  } catch (error) {
    if (!(error instanceof CardServiceError)) throw error;
    yield failure(error);
  }
  yield* unread.values();
}

/** The plan in the answer against the plan in the settings. */
function planFinding(
  { plan, plans, requestsPerMinute, burst }: PlanSetting,
  described: ServiceDescription,
  { limit, remaining }: Partial<QuotaReading> = {},
): Finding {
  const check = 'plan';
  if (!described.quota.some(({ per }) => per === 'day')) return right(check, 'the service tells nothing of one');
  const stated = Object.keys(plans).find((name) => limit && plans[name]?.requestsPerDay === limit);
  // Services change what their plans allow, and what is stated is believed, unless it may be that of a custom plan.
  const mayBeCustom = Object.values(described.plans).some(({ custom }) => custom);
  const isToBelieve = limit && (stated || !mayBeCustom);
  const isRight =
    plan === 'auto'
      ? isToBelieve || (requestsPerMinute ?? burst)
      : !limit || stated === plan || described.plans[plan]?.custom;
  const allowed = `${limit?.toLocaleString('en') ?? 'an unstated number of'} requests a day`;
  const left = remaining === undefined ? '' : `, ${remaining.toLocaleString('en')} left`;
  const cure = `It allows ${allowed}, and CARD_SERVICE_PLAN is ${plan}. Write ${stated ?? 'the one that you have'}, or auto with CARD_SERVICE_REQUESTS_PER_MINUTE and CARD_SERVICE_BURST.`;
  return verdict(check, !isRight && cure, `${stated ?? plan}: ${allowed}${left}`);
}

const LONGEST_SHOWN = 100;

/** What the bot shows of each source of a description, and where that is from. @param stated of each window of the quota */
function* fieldFindings({ fields, prices, quota }: ServiceDescription, card: Card, stated: readonly QuotaReading[]) {
  const { set, game: tcg } = card;
  const [imageUrl, backImageUrl, pageUrl] = [card.imageUrl, card.backImageUrl, card.pageUrl].map(publicUrl);
  const links = { imageUrl, backImageUrl, pageUrl };
  yield* shownOf('fields', fields, { ...card, ...links, tcg, 'set.id': set?.id, 'set.name': set?.name });
  yield* shownOf('prices', { ...prices }, { ...card.prices });
  for (const [at, window] of quota.entries()) {
    const { resetInMs, ...reading } = stated[at] ?? {};
    yield* shownOf(`quota.${window.per}`, window, { ...reading, reset: resetInMs && `in ${resetInMs / 1000} s` });
  }
}

/**
 * What the bot calls each row of prices, and its figures. Each is read as if it were alone, since a card has none of a
 * row without a price, nor of the second of two that are called the same.
 *
 * @param answer with the card of this id
 */
function* rowFindings(description: ServiceDescription, answer: ServiceResponse, id: string) {
  const { prices } = description;
  if (!prices) return;
  const pricesBy = (...rows: typeof prices.rows): Prices => {
    const reader = new AnswerReader({ ...description, prices: { ...prices, rows } });
    return Object(reader.cardIn(answer, id)).prices ?? {};
  };
  for (const [at, row] of prices.rows.entries()) {
    const found = pricesBy(row);
    // Its label depends on the rows beside it.
    const label = found.market && (pricesBy(row, ...prices.rows).label ?? 'no label');
    yield* shownOf('prices.rows', { [at]: new Source(row.at.text) }, { [at]: label });
    yield* shownOf(`prices.rows.${at}`, { ...prices, ...row }, found);
  }
}

/** @param sources beside others of a description @param shown by the names of the sources */
function* shownOf(place: string, sources: object, shown: Readonly<Record<string, unknown>>) {
  for (const [name, source] of Object.entries(sources)) {
    if (!(source instanceof Source)) continue;
    const text = String(shown[name] ?? '').replace(/\p{Cc}/gu, ' ');
    const what = text.slice(0, LONGEST_SHOWN) || 'nothing that the bot can show';
    const from = source.texts.join(' or ') || 'the value itself';
    yield (text ? right : unknown)(`${place}.${name}`, `${what}, from ${from}`);
  }
}

/**
 * What a list says of where cards are listed, of one card or of that and one that should not exist.
 *
 * @param exists whether the lookup of the first has found it
 */
function listFinding(listed: BulkAnswer, ids: readonly string[], exists: boolean, where: string): Finding {
  const [id = ''] = ids;
  const hasOthers = listed.kind === 'listed' && listed.hasOthers;
  if (listed.kind === 'listed' && !hasOthers && listed.cards.has(id)) return right(BULK, 'it lists the card');
  // A service may refuse a whole list for the one that it does not have.
  const mayBeMissing = !exists || (ids.length > 1 && listed.kind === 'tooMany');
  const isUnclear = mayBeMissing && !hasOthers && listed.kind !== 'unusable';
  const why = listed.kind !== 'listed' ? listed.detail : hasOthers ? 'but others' : 'it leaves it out';
  const found = (isUnclear ? unknown : wrong)(
    BULK,
    `It does not list card ${id} (${why}). Check ${where}, or remove it.`,
  );
  return FORBIDDEN.test(why) ? { ...found, noAnswer: true } : found;
}
