import { isDeepStrictEqual } from 'node:util';
import type { PlanLimits } from '../src/model/plan.ts';
import { nextUtcMidnightMs } from '../src/time/utc-day.ts';
import {
  ALL_WELL,
  type CardServiceState,
  type CardServiceSwitches,
  checkSwitches,
  type SeenRequest,
} from './card-service-controls.ts';
import { Listeners } from './listeners.ts';
import { oddHeaders } from './odd-figures.ts';
import { SAMPLE_CARDS, type ServiceCard } from './sample-cards.ts';
import { type RequestCounts, SeenRequests } from './seen-requests.ts';
import { type AnswerRequest, type ReceivedRequest, rateLimitHeaders, type ServiceOutcome } from './service-answers.ts';
import { fetchFrom } from './service-fetch.ts';
import { limitsOf, type NextReset, ServiceQuota } from './service-quota.ts';
import { type RuledAnswer, ruledAnswer } from './service-rules.ts';
import { type DictatedAnswer, type ScriptedAnswer, ServiceScript, scriptedAnswer } from './service-script.ts';
import { serve } from './service-server.ts';
import type { ServiceShape } from './service-shapes.ts';
import { exchangeOf } from './shaped-service.ts';
import { WindowLimiter } from './window-limiter.ts';

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
  shape?: ServiceShape | undefined;
}

/** The card data service without a socket. Requests are decided and counted when they arrive, even if the client leaves. */
export class EmbeddedCardService {
  readonly #apiKey: string;
  readonly #nowMs: () => number;
  readonly #shape: ServiceShape | undefined;
  readonly #cards: ReadonlyMap<string, ServiceCard>;
  readonly #begin: () => { quota: ServiceQuota; switches: CardServiceSwitches };
  #quota: ServiceQuota;
  #seen = new SeenRequests();
  #script = new ServiceScript();
  #window = new WindowLimiter();
  readonly #changes = new Listeners();
  readonly onChange = this.#changes.add;
  /** Behaves like global `fetch` with this service at every address. Follows no redirects. */
  readonly fetch: typeof fetch;
  #switches: CardServiceSwitches;

  /** @throws RangeError for an invalid option */
  constructor(options: CardServiceOptions = {}) {
    this.#apiKey = options.apiKey ?? SANDBOX_API_KEY;
    this.#shape = options.shape;
    this.#nowMs = options.nowMs ?? (() => Date.now());
    this.#cards = new Map((options.cards ?? SAMPLE_CARDS).map((card) => [card.id, card]));
    const { plan = ALL_WELL.plan, latencyMs = ALL_WELL.latencyMs } = options;
    const switches = { ...ALL_WELL, plan, latencyMs };
    checkSwitches(switches);
    const limits = limitsOf(plan, options);
    const { nextResetMs = nextUtcMidnightMs, usedToday } = options;
    this.#begin = () => ({ quota: new ServiceQuota(limits, this.#nowMs, nextResetMs, usedToday), switches });
    ({ quota: this.#quota, switches: this.#switches } = this.#begin());
    this.fetch = fetchFrom(this.answer);
  }

  readonly answer: AnswerRequest = async (request, signal) => {
    const { waitMs, seen, ...outcome } = this.#decide(request);
    this.#seen.add(seen);
    if (waitMs > 0) {
      this.#changes.tell();
      await waited(waitMs, signal);
    }
    seen.sent = signal?.aborted ? 'too late' : 'yes';
    this.#changes.tell();
    return outcome;
  };

  /** The last 1,000, oldest first. */
  get requests(): readonly SeenRequest[] {
    return this.#seen.last;
  }

  get counts(): RequestCounts {
    return this.#seen.counts;
  }

  state(): CardServiceState {
    const { stormUntilMs } = this.#switches;
    const isOver = stormUntilMs <= this.#nowMs();
    return { switches: { ...this.#switches, stormUntilMs: isOver ? 0 : stormUntilMs }, ...this.#quota.figures() };
  }

  /** @throws RangeError for an invalid value; then no switch is changed. */
  set(switches: Partial<CardServiceSwitches>): void {
    const next = { ...this.#switches, ...switches };
    checkSwitches(next);
    if (next.plan !== this.#switches.plan) this.#quota.changePlan(next.plan);
    if (next.limiter !== this.#switches.limiter) this.#quota.changeLimiter(next.limiter);
    this.#switches = next;
    this.#changes.tell();
  }

  /** Makes the service as it was created, without any request. */
  reset(): void {
    ({ quota: this.#quota, switches: this.#switches } = this.#begin());
    this.#seen = new SeenRequests();
    this.#script = new ServiceScript();
    this.#window = new WindowLimiter();
    this.#changes.tell();
  }

  /** Whether every switch is as it was at the start, with `requests` left of the day and `atOnce` right now. */
  isAsAtStart({ requests, atOnce }: { requests: number; atOnce: number }): boolean {
    const { switches, dayRemaining, minuteRemaining } = this.state();
    const isUnchanged = isDeepStrictEqual(switches, this.#begin().switches);
    return isUnchanged && dayRemaining >= requests && minuteRemaining >= atOnce;
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
    this.#script.add(answers);
  }

  #decide(received: ReceivedRequest): ServiceOutcome & { waitMs: number; seen: SeenRequest } {
    const atMs = this.#nowMs();
    const { request, cardIds, written } = exchangeOf(received, this.#shape);
    const authorized = request.authorization === `Bearer ${this.#apiKey}` && !this.#switches.keyRevoked;
    const dictated = this.#script.take(received) ?? this.#reset();
    if (dictated?.counted) this.#quota.count();
    const { windowLimit, oddFigures } = this.#switches;
    const window = windowLimit > 0 ? this.#window.count(windowLimit, atMs) : undefined;
    const rules = { switches: this.#switches, cards: this.#cards, quota: this.#quota };
    const answer: RuledAnswer | undefined = dictated
      ? undefined
      : (window?.refused ?? ruledAnswer(request, authorized, rules, atMs));

    const waitMs = this.#switches.latencyMs + (dictated?.delayMs ?? answer?.delayMs ?? 0);
    const common = {
      date: new Date(atMs + waitMs).toUTCString(),
      ...oddHeaders(oddFigures, rateLimitHeaders(this.#quota.figures()), atMs),
      ...window?.headers,
    };
    const outcome: ServiceOutcome = answer
      ? written({ ...answer, headers: { ...common, ...answer.headers } })
      : { ...scriptedAnswer(dictated ?? {}, common), ...(dictated?.fault && { fault: dictated.fault }) };
    const unanswered = outcome.fault === 'hang' || outcome.fault === 'reset';
    const { method, path } = received;
    const status = unanswered ? 0 : outcome.status;
    const seen: SeenRequest = { atMs, method, path, status, authorized, sent: 'not yet', ...(cardIds && { cardIds }) };
    return { ...outcome, waitMs, seen };
  }

  #reset(): DictatedAnswer | undefined {
    const { resetEvery } = this.#switches;
    return resetEvery > 0 && (this.#seen.counts.total + 1) % resetEvery === 0 ? { fault: 'reset' } : undefined;
  }
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
