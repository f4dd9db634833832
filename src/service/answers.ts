import { decodeHTMLStrict } from 'entities/decode';
import { z } from 'zod';
import { Card, optional, text } from '../model/card.ts';
import { KeyRefused, PlanRefused, RateLimited, ServiceDown, UnexpectedAnswer } from '../model/errors.ts';
import { type Answer, type Source, written } from '../model/field-source.ts';
import { Usage } from '../model/plan.ts';
import type { ServiceDescription, Sign } from '../model/service-description.ts';
import { serviceClock, timeLeft } from './rate-limit-headers.ts';
import type { ServiceResponse } from './request.ts';
import { statedWaitSeconds } from './retry-after.ts';

/** Services also send texts as they stand in their web pages. */
const shown = text.transform(decodeHTMLStrict);

/** A card as the service sends it: as the model has it, but for the names that are the service's own. */
const DescribedCard = Card.omit({ game: true, set: true }).extend({
  ...{ tcg: optional(shown), name: shown, number: optional(shown), rarity: optional(shown) },
  set: optional(z.object({ id: text, name: shown })),
});

/** The default interface requires a game and a set, too. */
const InterfaceCard = DescribedCard.extend({ tcg: shown, set: z.object({ id: text, name: shown }) });

const withGame = ({ tcg, ...card }: z.output<typeof DescribedCard>): Card => ({ ...card, game: tcg });

export const CardAnswer = InterfaceCard.transform(withGame);
export const DescribedCardAnswer = DescribedCard.transform(withGame);

const instantMs = optional(z.iso.datetime({ offset: true }).transform(Date.parse));

/** `GET /v1/usage` */
export const UsageAnswer = Usage.omit({ period: true })
  .extend({ period: optional(z.object({ start: instantMs, end: instantMs })) })
  .transform(
    ({ period, ...usage }): Usage => ({
      ...usage,
      period: period && { startMs: period.start, endMs: period.end },
    }),
  );

/** What a usage report says. @throws UnexpectedAnswer when it does not fit */
export function usageIn(response: Answered, description: ServiceDescription, onUnread: OnUnread): Usage {
  const body = successBody(response);
  const found = description.isDefault
    ? read(UsageAnswer, body, onUnread)
    : read(Usage, describedUsage(response, description), onUnread);
  if (found instanceof UnexpectedAnswer) throw found;
  return found;
}

function describedUsage(response: Answered, description: ServiceDescription) {
  const { usage } = description;
  const { answer, clockMs } = readable(response, description);
  const textIn = (source: Source | undefined) => source?.textIn(answer);
  const reset = textIn(usage?.reset);
  const leftMs = timeLeft(reset, clockMs);
  return {
    plan: textIn(usage?.plan),
    period: { endMs: leftMs === undefined ? reset : response.receivedAtMs + leftMs },
    requests: { limit: textIn(usage?.limit), remaining: textIn(usage?.remaining) },
  };
}

/** What sources are read from, and the clock that its times are by. */
function readable({ headers, body, receivedAtMs }: Answered, { none }: ServiceDescription) {
  const answer: Answer = { headers, value: body, none };
  return { answer, clockMs: serviceClock(headers, receivedAtMs) };
}

/** The body of every error of the default interface. */
const ErrorBody = z.object({ _tag: z.string(), message: z.string() });

export type Answered = Pick<ServiceResponse, 'status' | 'headers' | 'body' | 'receivedAtMs'>;

/** Whether an answer has all that a sign of the description names. */
function shows(
  { status, body }: Pick<Answered, 'status' | 'body'>,
  sign: Sign & { status: number },
  isDefault: boolean,
): boolean {
  const { has, like, empty } = sign;
  if (status !== sign.status) return false;
  // Nothing but the interface's whole error body is one of its errors.
  if (isDefault && has && !ErrorBody.safeParse(body).success) return false;
  if (has && !isLike(has.valueIn(body), like)) return false;
  const list = empty?.valueIn(body);
  return empty === undefined || (Array.isArray(list) && list.length === 0);
}

function isLike(value: unknown, like: string | undefined): boolean {
  if (value === undefined || like === undefined) return value !== undefined;
  const text = written(value) ?? '';
  return like.startsWith('=') ? text === like.slice(1) : text.toLowerCase().includes(like.toLowerCase());
}

/** Whether an answer says that there is no such card. */
export function isAbsent(
  response: Pick<Answered, 'status' | 'body'>,
  { absent, isDefault }: ServiceDescription,
): boolean {
  return absent.some((sign) => shows(response, sign, isDefault));
}

/** What an answer refuses, if it does: the key, or what the plan has not. */
export function refusalIn(
  response: Pick<Answered, 'status' | 'body'>,
  { refused, isDefault }: ServiceDescription,
): 'key' | 'plan' | undefined {
  return refused.find((sign) => shows(response, sign, isDefault))?.means;
}

/**
 * @throws RateLimited on 429, KeyRefused or PlanRefused where the description says so, ServiceDown on 408 and 5xx
 */
export function throwUnlessAnswered(response: Answered, description: ServiceDescription): void {
  const { status } = response;
  const { wait, spent, isDefault } = description;
  const refused = refusalIn(response, description);
  if (refused === 'key') throw new KeyRefused({ status });
  if (refused === 'plan') throw new PlanRefused();
  if (status !== 408 && status !== 429 && status < 500) return;
  if (isAbsent(response, description)) return;
  const { answer, clockMs } = readable(response, description);
  if (status === 429) {
    const per = spent.find((sign) => shows(response, { ...sign, status }, isDefault))?.per;
    throw new RateLimited({
      seconds: leastWait(statedWaitSeconds(answer, clockMs, wait), description),
      ...(per && { per }),
    });
  }
  const seconds = statedWaitSeconds(answer, clockMs); // for how long it is down; whether to wait longer is the caller's decision
  throw new ServiceDown({ reason: `it answered ${status}`, retryAfterMs: seconds && seconds * 1000 });
}

/** A service may shut out for longer than it says. */
function leastWait(seconds: number | undefined, { shutOutSeconds }: ServiceDescription): number | undefined {
  return shutOutSeconds === 0 ? seconds : Math.max(shutOutSeconds, seconds ?? 0);
}

/** For the log: a status, and where a redirect leads, which is not followed. */
export function statusText({ status, headers }: Pick<Answered, 'status' | 'headers'>): string {
  const to = headers.get('location');
  return to === null ? `status ${status}` : `status ${status}, a redirect to ${to.slice(0, 200)}`;
}

/** The body of a success. @throws UnexpectedAnswer when it is none */
export function successBody({ status, headers, body }: Answered): unknown {
  if (status < 200 || status > 299) throw new UnexpectedAnswer({ detail: statusText({ status, headers }) });
  if (body === undefined) throw new UnexpectedAnswer({ detail: 'the body is not JSON' });
  return body;
}

/** Told of a field that is of another type than the interface says, and why it cannot be read. */
export type OnUnread = (field: string, why: string) => void;

/** What is required decides: the rest, where it cannot be read, counts as absent. */
export function read<T>(schema: z.ZodType<T>, body: unknown, onUnread?: OnUnread): T | UnexpectedAnswer {
  const whole = schema.safeParse(body);
  if (whole.success) return whole.data;
  const { issues } = whole.error;
  const rest = schema.safeParse(issues.reduce((value: unknown, { path }) => without(value, path), body));
  if (rest.success) {
    for (const { path, message } of issues) onUnread?.(path.join('.'), message);
    return rest.data;
  }
  const field = rest.error.issues[0]?.path.join('.') ?? '';
  const why = issues.find(({ path }) => path.join('.') === field)?.message;
  return new UnexpectedAnswer({ detail: `${field || 'the body'}: ${why}` }, { cause: whole.error });
}

function without(value: unknown, [step, ...inner]: readonly PropertyKey[]): unknown {
  if (step === undefined) return undefined;
  return { ...Object(value), [step]: without(Reflect.get(Object(value), step), inner) };
}
