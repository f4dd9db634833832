import type { PlanLimits } from '../model/plan.ts';
import type { CardServiceState, CardServiceSwitches, SeenRequest } from './card-service-controls.ts';
import { CardService } from './embedded-card-service.ts';
import type { ServiceCard } from './sample-cards.ts';
import type { RequestCounts } from './seen-requests.ts';
import type { AnswerRequest } from './service-answers.ts';
import type { NextReset } from './service-limits.ts';
import type { ScriptedAnswer } from './service-script.ts';
import { serve } from './service-server.ts';

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
}

/** The card data service without a socket. Requests are decided and counted when they arrive, even if the client leaves. */
export interface EmbeddedCardService {
  answer: AnswerRequest;
  /** Behaves like global `fetch` with this service at every address. Follows no redirects. */
  fetch: typeof fetch;
  state(): CardServiceState;
  /** @throws RangeError for an invalid value; then no switch is changed. */
  set(switches: Partial<CardServiceSwitches>): void;
  exhaustDay(): void;
  /** Begins a day of 24 hours with nothing used. Clients learn of it from their next answer, as with the real service. */
  refillDay(): void;
  /** Answers every request with a per-minute 429 for this long. */
  storm(durationMs: number): void;
  /** Answers the next matching requests from the script, before the normal rules. */
  script(...answers: ScriptedAnswer[]): void;
  /** The last 1,000, oldest first. */
  readonly requests: readonly SeenRequest[];
  readonly counts: RequestCounts;
  /** @returns a function that ends the subscription. */
  onChange(listener: () => void): () => void;
}

export interface ListeningCardService extends EmbeddedCardService {
  /** Base address without trailing slash. */
  readonly url: string;
  close(): Promise<void>;
}

/** @throws RangeError for an invalid option. */
export function createCardService(options: CardServiceOptions = {}): EmbeddedCardService {
  return new CardService(options);
}

/**
 * Serves the card service on 127.0.0.1; `port` 0 (the default) takes any free one.
 *
 * @throws RangeError for an invalid option, or the system's error when the port is taken.
 */
export async function startCardService(
  options: CardServiceOptions & { port?: number } = {},
): Promise<ListeningCardService> {
  const service = createCardService(options);
  return Object.assign(service, await serve(service.answer, options.port ?? 0));
}
