import { z } from 'zod';
import { Card, optional } from '../model/card.ts';
import { KeyRefused, RateLimited, ServiceDown, UnexpectedAnswer } from '../model/errors.ts';
import { Usage } from '../model/plan.ts';
import { serviceClock } from './rate-limit-headers.ts';
import type { ServiceResponse } from './request.ts';
import { statedWaitSeconds } from './retry-after.ts';

/** A card as the service sends it: as the model has it, but for the names that are the service's own. */
export const CardAnswer = Card.omit({ game: true })
  .extend({ tcg: Card.shape.game })
  .transform(({ tcg, ...card }): Card => ({ ...card, game: tcg }));

const instantMs = optional(z.iso.datetime({ offset: true }).transform((text) => Date.parse(text)));

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
export function fitting<T>(schema: z.ZodType<T>, { status, body }: Answered): T {
  if (status < 200 || status > 299) throw new UnexpectedAnswer({ detail: `status ${status}` });
  if (body === undefined) throw new UnexpectedAnswer({ detail: 'the body is not JSON' });

  const read = schema.safeParse(body);
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  const field = issue?.path.join('.') || 'the body';
  throw new UnexpectedAnswer({ detail: `${field}: ${issue?.message}` }, { cause: read.error });
}
