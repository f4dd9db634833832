import { nextUtcMidnightMs } from '../../src/time.ts';
import { Listeners } from '../listeners.ts';
import { SAMPLE_CARDS, type ServiceCard } from '../sample-cards.ts';
import { Script } from '../script.ts';
import type { Outcome } from '../transport.ts';
import type { PlanLimits } from './limiters.ts';
import { limitsOf, type NextReset, ServiceQuota } from './quota.ts';
import {
  type CardServiceSwitches,
  type Listing,
  listedIds,
  type ReceivedRequest,
  rateLimitHeaders,
  ruledAnswer,
  type ServiceAnswer,
  Switches,
} from './rules.ts';
import { dictatedFor, type ScriptedAnswer, scriptedAnswer } from './script.ts';
import { type AnswerRequest, fetchFrom, serve } from './transport.ts';

export type { Plan } from './limiters.ts';
export type { CardServiceSwitches } from './rules.ts';
export type { DictatedAnswer } from './script.ts';

/** The key that the embedded service accepts by default. */
export const SANDBOX_API_KEY = 'sandbox-key';

/** Limits given here override those of `plan` until the plan is switched. */
export interface CardServiceOptions extends Partial<PlanLimits> {
  /** Default `free`. */
  plan?: CardServiceSwitches['plan'];
  /** Default `SANDBOX_API_KEY`. */
  apiKey?: string;
  /** The clock of the service, for bucket, day, storm and the `Date` header. */
  nowMs?: () => number;
  /** Default: the next 00:00 UTC. */
  nextResetMs?: NextReset;
  /** Requests of the day that are counted already; none by default. */
  usedToday?: number;
  cards?: readonly ServiceCard[];
  latencyMs?: number;
  /** As whose service it is asked and answers; by default the interface of a service without a description. */
  spoken?: ((received: ReceivedRequest) => Spoken) | undefined;
}

/** A request as the interface has it, and how its answer is written. */
export interface Spoken {
  request: ReceivedRequest;
  /** The ids of a request for several cards, and of any in the shape of another service. */
  cardIds: readonly string[] | undefined;
  written(answer: ServiceAnswer): ServiceAnswer;
}

/** One request as the service received it. */
export interface SeenRequest {
  atMs: number;
  method: string;
  /** Path and query as sent, still encoded. */
  path: string;
  /** The ids of a request for several cards; absent from any other request. */
  cardIds?: readonly string[];
  /** Decided when the request arrived; 0 when a scripted fault replaces the answer. */
  status: number;
  /** Whether the answer was sent: not yet, yes, or the client had left. */
  sent: 'not yet' | 'yes' | 'too late';
  /** Whether it carried the right API key. */
  authorized: boolean;
}

/** Everything works. */
const ALL_WELL: Readonly<CardServiceSwitches> = {
  plan: 'free',
  limiter: 'token bucket',
  pricePercent: 0,
  latencyMs: 0,
  down: false,
  downRetryAfterSeconds: 0,
  stormUntilMs: 0,
  keyRevoked: false,
  bulkCost: 'one',
};

const KEPT_REQUESTS = 1_000;

/** The card data service without a socket. Requests are decided and counted when they arrive, even if the client leaves. */
export class EmbeddedCardService {
  /** What stands in front of it, such as a limiter or a firewall with headers of its own, for what no script dictates. */
  inFront: (answer: () => ServiceAnswer) => ServiceAnswer = (answer) => answer();
  listing: Listing = () => undefined;
  /** Behaves like global `fetch` with this service at every address. Follows no redirects. */
  readonly fetch: typeof fetch;
  readonly #apiKey: string;
  readonly #nowMs: () => number;
  readonly #cards: ReadonlyMap<string, ServiceCard>;
  readonly #spoken: NonNullable<CardServiceOptions['spoken']>;
  readonly #begin: () => { quota: ServiceQuota; switches: CardServiceSwitches };
  readonly #changes = new Listeners();
  readonly onChange = this.#changes.add;
  #quota: ServiceQuota;
  #switches: CardServiceSwitches;
  readonly #script = new Script<ScriptedAnswer>();
  /** The last 1,000, oldest first. */
  requests: readonly SeenRequest[] = [];
  /** Of all; the status 0 counts requests without an answer because of a scripted fault. */
  counts = { total: 0, byStatus: {} as Readonly<Record<number, number>> };

  /** @throws RangeError for an invalid option */
  constructor(options: CardServiceOptions = {}) {
    const { plan = ALL_WELL.plan, latencyMs = ALL_WELL.latencyMs, cards = SAMPLE_CARDS, usedToday } = options;
    const { nowMs = () => Date.now(), nextResetMs = nextUtcMidnightMs, apiKey = SANDBOX_API_KEY } = options;
    this.#apiKey = apiKey;
    this.#nowMs = nowMs;
    this.#cards = new Map(cards.map((card) => [card.id, card]));
    this.#spoken =
      options.spoken ?? ((request) => ({ request, cardIds: listedIds(request), written: (answer) => answer }));
    const switches = checked({ ...ALL_WELL, plan, latencyMs });
    const limits = limitsOf(plan, options);
    this.#begin = () => ({ quota: new ServiceQuota(limits, nowMs, nextResetMs, usedToday), switches });
    ({ quota: this.#quota, switches: this.#switches } = this.#begin());
    this.fetch = fetchFrom(this.answer);
  }

  readonly answer: AnswerRequest = async (request, signal) => {
    const { waitMs, seen, ...outcome } = this.#decide(request);
    this.requests = [...this.requests, seen].slice(-KEPT_REQUESTS);
    const { total, byStatus } = this.counts;
    this.counts = { total: total + 1, byStatus: { ...byStatus, [seen.status]: (byStatus[seen.status] ?? 0) + 1 } };
    if (waitMs > 0) {
      this.#changes.tell();
      await waited(waitMs, signal);
    }
    seen.sent = signal?.aborted ? 'too late' : 'yes';
    this.#changes.tell();
    return outcome;
  };

  state() {
    const { stormUntilMs } = this.#switches;
    const isOver = stormUntilMs <= this.#nowMs();
    return { switches: { ...this.#switches, stormUntilMs: isOver ? 0 : stormUntilMs }, ...this.#quota.figures() };
  }

  /** @throws RangeError with a sentence for an invalid value; then no switch is changed. */
  set(switches: Partial<CardServiceSwitches>): void {
    const next = checked({ ...this.#switches, ...switches });
    if (next.plan !== this.#switches.plan) this.#quota.changePlan(next.plan);
    if (next.limiter !== this.#switches.limiter) this.#quota.changeLimiter(next.limiter);
    this.#switches = next;
    this.#changes.tell();
  }

  /** Makes the service as it was created, without any request. */
  reset(): void {
    ({ quota: this.#quota, switches: this.#switches } = this.#begin());
    this.#script.clear();
    this.requests = [];
    this.counts = { total: 0, byStatus: {} };
    this.#changes.tell();
  }

  exhaustDay(): void {
    this.#quota.useUp();
    this.#changes.tell();
  }

  /** Begins a day of 24 hours with nothing used. Clients learn of it from their next answer, as with the real service. */
  refillDay(): void {
    this.#quota.beginDay();
    this.#changes.tell();
  }

  /** Answers every request with a per-minute 429 for this long. */
  storm(durationMs: number): void {
    this.set({ stormUntilMs: this.#nowMs() + durationMs });
  }

  /** Answers the next matching requests from the script, before the normal rules. */
  script(...answers: ScriptedAnswer[]): void {
    this.#script.script(...answers);
  }

  #decide(received: ReceivedRequest): Outcome & { waitMs: number; seen: SeenRequest } {
    const atMs = this.#nowMs();
    const { request, cardIds, written } = this.#spoken(received);
    const authorized = request.authorization === `Bearer ${this.#apiKey}` && !this.#switches.keyRevoked;
    const dictated = this.#script.take((answer) => dictatedFor(answer, received));
    if (dictated?.counted) this.#quota.count();
    const rules = { switches: this.#switches, cards: this.#cards, quota: this.#quota, listing: this.listing };
    const answer = dictated ? undefined : this.inFront(() => ruledAnswer(request, authorized, rules, atMs));

    const waitMs = this.#switches.latencyMs + (dictated?.delayMs ?? answer?.delayMs ?? 0);
    const common = { date: new Date(atMs + waitMs).toUTCString(), ...rateLimitHeaders(this.#quota.figures()) };
    const outcome: Outcome = answer
      ? written({ ...answer, headers: { ...common, ...answer.headers } })
      : scriptedAnswer(dictated ?? {}, common);
    const { method, path } = received;
    const { status } = outcome;
    const seen: SeenRequest = { atMs, method, path, status, authorized, sent: 'not yet', ...(cardIds && { cardIds }) };
    return { ...outcome, waitMs, seen };
  }
}

function checked(switches: CardServiceSwitches): CardServiceSwitches {
  const { data, error } = Switches.safeParse(switches);
  if (data) return data;
  const [{ path, message } = { path: [], message: '' }] = error.issues;
  throw new RangeError(`${path.join('.')}: ${message}.`);
}

export interface ListeningCardService extends EmbeddedCardService {
  /** Base address without trailing slash. */
  readonly url: string;
  close(): Promise<void>;
}

export interface StartedCardServiceOptions extends CardServiceOptions {
  /** 0 (the default) takes any free one. */
  port?: number;
  /** Its address when it has no server: it is asked through `fetch`. */
  withoutServerAt?: string | undefined;
}

/**
 * Serves the card service on 127.0.0.1, unless it shall have no server.
 *
 * @throws RangeError for an invalid option, or the system's error when the port is taken.
 */
export async function startCardService(options: StartedCardServiceOptions = {}): Promise<ListeningCardService> {
  const { port = 0, withoutServerAt: url } = options;
  const service = new EmbeddedCardService(options);
  return Object.assign(service, url ? { url, close: async () => {} } : await serve(service.answer, port));
}

/** Resolves early when the client leaves. */
function waited(waitMs: number, signal?: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, waitMs);
  signal?.addEventListener('abort', () => resolve(), { once: true });
  return promise.finally(() => clearTimeout(timer));
}
