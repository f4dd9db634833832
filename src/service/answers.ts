import { decodeHTMLStrict } from 'entities/decode';
import { z } from 'zod';
import { Card, optional, text } from '../model/card.ts';
import { KeyRefused, RateLimited, ServiceDown, UnexpectedAnswer } from '../model/errors.ts';
import { Usage } from '../model/plan.ts';
import { serviceClock } from './rate-limit-headers.ts';
import type { ServiceResponse } from './request.ts';
import { statedWaitSeconds } from './retry-after.ts';

/** Services also send texts as they stand in their web pages. */
const shown = text.transform(decodeHTMLStrict);

/** A card as the service sends it: as the model has it, but for the names that are the service's own. */
export const CardAnswer = Card.omit({ game: true })
  .extend({ tcg: shown, name: shown, set: Card.shape.set.extend({ name: shown }) })
  .extend({ number: optional(shown), rarity: optional(shown) })
  .transform(({ tcg, ...card }): Card => ({ ...card, game: tcg }));

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

/** The body of every error. */
export const ErrorBody = z.object({ _tag: z.string(), message: z.string() });

export type Answered = Pick<ServiceResponse, 'status' | 'headers' | 'body' | 'receivedAtMs'>;

/** `undefined`: the answer is none of the service's own errors. */
export function errorBody({ body }: Pick<Answered, 'body'>): z.infer<typeof ErrorBody> | undefined {
  return ErrorBody.safeParse(body).data;
}

/** @throws RateLimited on 429, KeyRefused on 401 and on a 403 with an error body, ServiceDown on 408 and 5xx */
export function throwUnlessAnswered(response: Answered): void {
  const { status, headers, body, receivedAtMs } = response;
  const clockMs = serviceClock(headers, receivedAtMs);
  const stated = (by: unknown) => statedWaitSeconds(by, headers.get('retry-after'), clockMs);
  if (status === 429) throw new RateLimited({ seconds: stated(body) });
  // A 403 without the interface's error body comes from a firewall before the service.
  if (status === 401 || (status === 403 && errorBody(response))) throw new KeyRefused({ status });
  if (status !== 408 && status < 500) return;
  const seconds = stated(undefined); // for how long it is down; whether to wait longer is the caller's decision
  throw new ServiceDown({ reason: `it answered ${status}`, retryAfterMs: seconds && seconds * 1000 });
}

/** What a success says. @throws UnexpectedAnswer when it does not fit */
export function fitting<T>(schema: z.ZodType<T>, { status, body }: Answered, onUnread: OnUnread): T {
  if (status < 200 || status > 299) throw new UnexpectedAnswer({ detail: `status ${status}` });
  if (body === undefined) throw new UnexpectedAnswer({ detail: 'the body is not JSON' });
  const found = read(schema, body, onUnread);
  if (found instanceof UnexpectedAnswer) throw found;
  return found;
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
