import { setTimeout as sleep } from 'node:timers/promises';

/** The calls that a fault can apply to: `dm` opens a channel, `message` sends to one; `any` is every call. */
export type FaultyRoute =
  | 'callback'
  | 'edit'
  | 'delete'
  | 'follow-up'
  | 'dm'
  | 'message'
  | 'gateway/bot'
  | 'commands'
  | 'any';

/**
 * How a connection breaks. `hang`: never answered. `close`: closed before the request is processed, as happens to idle
 * connections. `reset`: a TCP reset instead. `lose answer`: processed, then closed. `stall`: processed, and of the answer's
 * body only the beginning is sent.
 */
export type ConnectionFault = 'hang' | 'close' | 'reset' | 'lose answer' | 'stall';

/** Without a body: no content. Strings and bytes are sent as they are, other values as JSON. */
export interface RestAnswer {
  status: number;
  headers?: Record<string, string>;
  body?: unknown;
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

/** The answer, or how the connection breaks instead. */
export type RestOutcome = (RestAnswer & { stalls?: true }) | Exclude<ConnectionFault, 'lose answer' | 'stall'>;

const ROUTES: readonly [FaultyRoute, RegExp][] = [
  ['callback', /^POST \/interactions\/[^/]+\/[^/]+\/callback$/],
  ['edit', /^PATCH \/webhooks\/[^/]+\/[^/]+\/messages\/[^/]+$/],
  ['delete', /^DELETE \/webhooks\/[^/]+\/[^/]+\/messages\/[^/]+$/],
  ['follow-up', /^POST \/webhooks\/[^/]+\/[^/]+$/],
  ['dm', /^POST \/users\/@me\/channels$/],
  ['message', /^POST \/channels\/[^/]+\/messages$/],
  ['gateway/bot', /^GET \/gateway\/bot$/],
  ['commands', /^\w+ \/applications\/[^/]+(?:\/guilds\/[^/]+)?\/commands(?:\/|$)/],
];

/** Scripted faults that wait for their requests, in order. Nothing is random. */
export class Faults {
  #waiting: { fault: ScriptedFault; left: number }[] = [];
  #met = 0;

  /** Adds a fault for the next matching requests, before the normal rules. */
  script(...faults: readonly ScriptedFault[]): void {
    for (const fault of faults) this.#waiting.push({ fault, left: fault.times ?? 1 });
  }

  /** Requests that have met a fault. */
  get met(): number {
    return this.#met;
  }

  /** Requests that will still meet a fault. */
  get pending(): number {
    return this.#waiting.reduce((sum, { left }) => sum + left, 0);
  }

  /** Removes all pending faults. */
  clear(): void {
    this.#waiting = [];
  }

  /** Takes the fault for this request; `path` is below `/api/v10`, without query. */
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

/** `undefined` for a call without a name here. */
function faultyRoute(method: string, path: string): FaultyRoute | undefined {
  return ROUTES.find(([, pattern]) => pattern.test(`${method} ${path}`))?.[0];
}

/** Applies a fault to a request; `process` is the normal processing. */
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
  if (answer === 'stall') return { ...(await process()), stalls: true };
  return answer;
}
