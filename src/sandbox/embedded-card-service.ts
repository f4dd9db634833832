import { PLANS, type PlanLimits } from '../plans.ts';
import type { CardServiceOptions, EmbeddedCardService } from './card-service.ts';
import type { CardServiceState, CardServiceSwitches, SeenRequest } from './card-service-controls.ts';
import { SAMPLE_CARDS, type ServiceCard } from './sample-cards.ts';
import { type RequestCounts, SeenRequests } from './seen-requests.ts';
import {
  type Asked,
  errorAnswer,
  rateLimitAnswer,
  rateLimitHeaders,
  routeAnswer,
  type ServiceAnswer,
  type ServiceOutcome,
  type ServiceQuestion,
} from './service-answers.ts';
import { fetchFrom } from './service-fetch.ts';
import {
  bucketRemaining,
  dayRemaining,
  freshLimits,
  judge,
  type LimitState,
  limitsOf,
  type NextReset,
  nextMidnightUtc,
  settle,
  spend,
} from './service-limits.ts';
import { type ScriptedAnswer, ServiceScript, scriptedAnswer } from './service-script.ts';

/** The key that the embedded service accepts unless told another. */
export const SANDBOX_API_KEY = 'sandbox-key';

/** What the interface promises; see there. */
export class CardService implements EmbeddedCardService {
  readonly #apiKey: string;
  readonly #nowMs: () => number;
  readonly #nextReset: NextReset;
  readonly #cards: ReadonlyMap<string, ServiceCard>;
  readonly #seen = new SeenRequests();
  readonly #script = new ServiceScript();
  readonly #listeners = new Set<() => void>();
  readonly fetch: typeof fetch;
  #switches: CardServiceSwitches;
  #limits: PlanLimits;
  #state: LimitState;

  constructor(options: CardServiceOptions) {
    this.#apiKey = options.apiKey ?? SANDBOX_API_KEY;
    this.#nowMs = options.nowMs ?? (() => Date.now());
    this.#nextReset = options.nextResetMs ?? nextMidnightUtc;
    this.#cards = new Map((options.cards ?? SAMPLE_CARDS).map((card) => [card.id, card]));
    this.#switches = { plan: options.plan ?? 'free', latencyMs: options.latencyMs ?? 0, down: false, stormUntilMs: 0 };
    checkSwitches(this.#switches);
    this.#limits = limitsOf(this.#switches.plan, options);
    this.#state = freshLimits(this.#nowMs(), this.#nextReset);
    this.fetch = fetchFrom(this.answer);
  }

  readonly answer: Asked = async (question, signal) => {
    const { waitMs, ...outcome } = this.#decide(question);
    this.#changed();
    if (waitMs > 0) await waited(waitMs, signal);
    return outcome;
  };

  get requests(): readonly SeenRequest[] {
    return this.#seen.last;
  }

  get counts(): RequestCounts {
    return this.#seen.counts;
  }

  state(): CardServiceState {
    const state = this.#settled();
    return {
      switches: this.#switches,
      dayLimit: this.#limits.requestsPerDay,
      dayRemaining: dayRemaining(state, this.#limits),
      resetsAtMs: state.resetsAtMs,
      minuteRate: this.#limits.requestsPerMinute,
      burst: this.#limits.burst,
      minuteRemaining: bucketRemaining(state, this.#limits),
    };
  }

  set(switches: Partial<CardServiceSwitches>): void {
    const next = { ...this.#switches, ...switches };
    checkSwitches(next);
    this.#settled();
    if (next.plan !== this.#switches.plan) this.#limits = limitsOf(next.plan);
    this.#switches = next;
    this.#changed();
  }

  exhaustDay(): void {
    this.#state = { ...this.#settled(), used: this.#limits.requestsPerDay };
    this.#changed();
  }

  refillDay(): void {
    this.#state = { ...this.#settled(), used: 0 };
    this.#changed();
  }

  storm(durationMs: number): void {
    this.set({ stormUntilMs: this.#nowMs() + durationMs });
  }

  script(...answers: ScriptedAnswer[]): void {
    this.#script.add(answers);
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #changed(): void {
    for (const listener of this.#listeners) listener();
  }

  #settled(): LimitState {
    this.#state = settle(this.#state, this.#limits, this.#nowMs(), this.#nextReset);
    return this.#state;
  }

  #decide(question: ServiceQuestion): ServiceOutcome & { waitMs: number } {
    const atMs = this.#nowMs();
    this.#settled();
    const authorized = question.authorization === `Bearer ${this.#apiKey}`;
    const dictated = this.#script.take(question);
    if (dictated?.counted) this.#state = spend(this.#state);
    const answer = dictated ? undefined : this.#ruled(question, authorized, atMs);

    const waitMs = this.#switches.latencyMs + (dictated?.delayMs ?? 0);
    const common = { date: new Date(atMs + waitMs).toUTCString(), ...rateLimitHeaders(this.#state, this.#limits) };
    const outcome: ServiceOutcome = answer
      ? { ...answer, headers: { ...common, ...answer.headers } }
      : { ...scriptedAnswer(dictated ?? {}, common), ...(dictated?.fault && { fault: dictated.fault }) };
    const unanswered = outcome.fault === 'hang' || outcome.fault === 'reset';
    this.#seen.add({
      atMs,
      method: question.method,
      path: question.path,
      status: unanswered ? 0 : outcome.status,
      authorized,
    });
    return { ...outcome, waitMs };
  }

  /** Only what passes the limits counts as a request of the day: no 429, 401 or 503. */
  #ruled(question: ServiceQuestion, authorized: boolean, atMs: number): ServiceAnswer {
    const { down, stormUntilMs, plan } = this.#switches;
    if (down) return errorAnswer(503, 'ServiceUnavailable', 'The service is down for maintenance.');
    if (atMs < stormUntilMs) return rateLimitAnswer(stormUntilMs - atMs);
    const keyNeeded = question.authorization !== undefined || question.path.startsWith('/v1/usage');
    if (keyNeeded && !authorized) return errorAnswer(401, 'Unauthorized', 'The API key is missing or not valid.');

    const verdict = judge(this.#state, this.#limits);
    if (!verdict.allowed) return rateLimitAnswer(verdict.retryAfterMs);
    this.#state = spend(this.#state);
    return routeAnswer(question, { cards: this.#cards, plan, limits: this.#limits, state: this.#state });
  }
}

function checkSwitches({ plan, latencyMs, stormUntilMs }: CardServiceSwitches): void {
  if (!PLANS.includes(plan)) throw new RangeError(`plan must be one of ${PLANS.join(', ')}, not ${plan}.`);
  for (const [name, value] of Object.entries({ latencyMs, stormUntilMs })) {
    if (!Number.isFinite(value) || value < 0) {
      throw new RangeError(`${name} must be a number of milliseconds, 0 or more, not ${value}.`);
    }
  }
}

/** Resolves early when nobody waits for the answer any more. */
function waited(waitMs: number, signal?: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, waitMs);
  signal?.addEventListener('abort', () => resolve(), { once: true });
  return promise.finally(() => clearTimeout(timer));
}
