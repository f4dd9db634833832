import * as z from 'zod/mini';

import type { ApiError } from '../../../sandbox/discord/api-error.ts';
import { leafIssues } from '../../../sandbox/discord/forms.ts';
import type { DispatchedEvent, Exchange } from '../../../sandbox/discord/observation.ts';
import { closed } from './closed.ts';
import { isKnownDeviation } from './deviations.ts';
import { partsOf } from './event-parts.ts';
import { REFUSAL, SPECIFIED } from './routes.ts';

/** What Discord's specification forbids in this exchange, a line each; known deviations left out. */
export function exchangeViolations({ method, route, sent, answered }: Exchange): string[] {
  const call = `${method} ${route}`;
  const specified = SPECIFIED[call];
  if (route !== undefined && !specified) return [`${call}: not in the table of routes`];
  const { request = NO_BODY, answer = NO_CONTENT } = specified ?? {};
  const isRead = sent !== undefined && (answered?.body as Partial<ApiError> | undefined)?.code !== INVALID_FORM;
  return [
    ...(isRead ? complaints(`${call} request`, request, sent) : []),
    ...(answered ? complaints(`${call} ${answered.status}`, schemaOf(answered.status, answer), answered.body) : []),
  ];
}

/** The emulated Discord refused the body, which is what the test is about. */
const INVALID_FORM = 50_035;
const NO_BODY = z.strictObject({}); // as the emulated Discord reads it
const NO_CONTENT = z.undefined();

function schemaOf(status: number, answer: z.ZodMiniType): z.ZodMiniType {
  if (status >= 500) return z.never();
  return status < 300 ? answer : REFUSAL;
}

/** The same for what an event carries, as far as the specification has a schema for it. */
export function eventViolations({ type, json }: DispatchedEvent): string[] {
  return partsOf(type, JSON.parse(json)).flatMap(({ at, schema, value }) => complaints(`${type} ${at}`, schema, value));
}

function complaints(what: string, schema: z.core.$ZodType, value: unknown): string[] {
  const read = z.safeParse(closed(schema), value, { reportInput: true });
  return leafIssues(read.error?.issues ?? []).flatMap((issue) => {
    const found =
      issue.code === 'unrecognized_keys' ? `unknown ${issue.keys}` : `${issue.code} ${JSON.stringify(issue.input)}`;
    const line = `${what} ${issue.path.map(String).join('.')}: ${found}`;
    return isKnownDeviation(line, issue) ? [] : [line];
  });
}
