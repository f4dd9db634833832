import { setTimeout as sleep } from 'node:timers/promises';
import { Script } from '../script.ts';
import type { Break } from '../transport.ts';

/**
 * The calls that a fault can apply to: `dm` opens a channel, `message` sends to one, `application` changes the bot's own;
 * `any` is every call.
 */
export type FaultyRoute =
  | 'callback'
  | 'edit'
  | 'delete'
  | 'follow-up'
  | 'dm'
  | 'message'
  | 'gateway/bot'
  | 'commands'
  | 'application'
  | 'any';

/** How a connection breaks before the request is processed. `lose answer`: processed, then closed. `stall`: processed, too. */
export type ConnectionFault = Break | 'lose answer';

/** Without a body: no content. Strings and bytes are sent as they are, other values as JSON. */
export interface RestAnswer {
  status: number;
  headers?: Record<string, string>;
  body?: unknown;
  fault?: Break;
}

export interface ScriptedFault {
  route: FaultyRoute;
  /** For how many requests. Default 1. */
  times?: number;
  /** Default: processed as usual, after the delay. */
  answer?: RestAnswer | ConnectionFault;
  /** Delay before processing. */
  delayMs?: number;
}

const ROUTES: readonly [FaultyRoute, RegExp][] = [
  ['callback', /^POST \/interactions\/[^/]+\/[^/]+\/callback$/],
  ['edit', /^PATCH \/webhooks\/[^/]+\/[^/]+\/messages\/[^/]+$/],
  ['delete', /^DELETE \/webhooks\/[^/]+\/[^/]+\/messages\/[^/]+$/],
  ['follow-up', /^POST \/webhooks\/[^/]+\/[^/]+$/],
  ['dm', /^POST \/users\/@me\/channels$/],
  ['message', /^POST \/channels\/[^/]+\/messages$/],
  ['gateway/bot', /^GET \/gateway\/bot$/],
  ['commands', /^\w+ \/applications\/[^/]+(?:\/guilds\/[^/]+)?\/commands(?:\/|$)/],
  ['application', /^PATCH \/applications\/@me$/],
];

/** Scripted faults, which come before the normal rules. Nothing is random. */
export class Faults extends Script<ScriptedFault> {
  /** Takes the fault for this request; `path` is below `/api/v10`, without query. */
  of(method: string, path: string): ScriptedFault | undefined {
    const named = ROUTES.find(([, pattern]) => pattern.test(`${method} ${path}`))?.[0];
    return this.take((fault) => (fault.route === 'any' || fault.route === named ? fault : undefined));
  }
}

/** Applies a fault to a request; `process` is the normal processing. */
export async function spoilt(
  { answer, delayMs = 0 }: ScriptedFault,
  process: () => Promise<RestAnswer>,
): Promise<RestAnswer> {
  if (delayMs > 0) await sleep(delayMs, undefined, { ref: false });
  if (answer === undefined) return process();
  if (typeof answer === 'object') return answer;
  if (answer === 'stall') return { ...(await process()), fault: answer };
  if (answer !== 'lose answer') return { status: 0, fault: answer };
  await process();
  return { status: 0, fault: 'close' };
}
