import { setTimeout as sleep } from 'node:timers/promises';

import type { RestAnswer } from './route.ts';

/** The calls that a fault can be meant for; `any` is every call. */
export type FaultyRoute = 'callback' | 'edit' | 'gateway/bot' | 'commands' | 'any';

/**
 * What a broken connection does. `hang`: no answer ever comes. `close`: closed in good order before anything was
 * processed, as happens to a kept-alive connection. `reset`: torn down instead. `lose answer`: processed, then closed.
 */
export type ConnectionFault = 'hang' | 'close' | 'reset' | 'lose answer';

export interface DictatedRestAnswer {
  status: number;
  headers?: Record<string, string>;
  /** A string goes out as it is, anything else as JSON. */
  body?: unknown;
}

export interface ScriptedFault {
  route: FaultyRoute;
  /** For how many requests; 1 unless given. */
  times?: number;
  /** Unless given, the request is processed as usual: it is only late. */
  answer?: DictatedRestAnswer | ConnectionFault;
  /** Waited before anything is processed. */
  delayMs?: number;
}

/** What is sent in the end, or what the connection suffers instead. */
export type RestOutcome = RestAnswer | Exclude<ConnectionFault, 'lose answer'>;

const ROUTES: readonly [FaultyRoute, RegExp][] = [
  ['callback', /^POST \/interactions\/[^/]+\/[^/]+\/callback$/],
  ['edit', /^PATCH \/webhooks\/[^/]+\/[^/]+\/messages\/[^/]+$/],
  ['gateway/bot', /^GET \/gateway\/bot$/],
  ['commands', /^\w+ \/applications\/[^/]+(?:\/guilds\/[^/]+)?\/commands(?:\/|$)/],
];

/** Faults waiting for their requests, in the order in which they were scripted. Nothing is left to chance. */
export class Faults {
  #waiting: { fault: ScriptedFault; left: number }[] = [];
  #met = 0;

  /** Spoils the next matching requests, before the normal rules. */
  script(...faults: readonly ScriptedFault[]): void {
    for (const fault of faults) this.#waiting.push({ fault, left: fault.times ?? 1 });
  }

  /** Requests that were spoilt so far. */
  get met(): number {
    return this.#met;
  }

  /** Requests that are still to be spoilt. */
  get pending(): number {
    return this.#waiting.reduce((sum, { left }) => sum + left, 0);
  }

  /** Forgets what has not been met. */
  clear(): void {
    this.#waiting = [];
  }

  /** The fault that meets this request; `path` is below `/api/v10`, without query. */
  take(method: string, path: string): ScriptedFault | undefined {
    if (this.#waiting.length === 0) return undefined;
    const entry = this.#waiting.find(({ fault: { route } }) => route === 'any' || route === faultyRoute(method, path));
    if (!entry) return undefined;
    this.#met++;
    entry.left--;
    if (entry.left <= 0) this.#waiting = this.#waiting.filter((other) => other !== entry);
    return entry.fault;
  }
}

/** `undefined` for a call that has no name here. */
export function faultyRoute(method: string, path: string): FaultyRoute | undefined {
  return ROUTES.find(([, pattern]) => pattern.test(`${method} ${path}`))?.[0];
}

/** What becomes of a request that meets a fault; `process` does what would have been done without. */
export async function spoilt(
  { answer, delayMs = 0 }: ScriptedFault,
  process: () => Promise<RestAnswer>,
): Promise<RestOutcome> {
  if (delayMs > 0) await sleep(delayMs, undefined, { ref: false });
  if (answer === undefined) return process();
  if (answer === 'lose answer') {
    await process();
    return 'close';
  }
  return typeof answer === 'string' ? answer : { body: undefined, ...answer };
}
