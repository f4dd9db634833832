import type { PlanLimits } from '../model/plan.ts';
import type { CardServiceState, CardServiceSwitches, SeenRequest } from './card-service-controls.ts';
import { CardService } from './embedded-card-service.ts';
import type { ServiceCard } from './sample-cards.ts';
import type { RequestCounts } from './seen-requests.ts';
import type { Asked } from './service-answers.ts';
import type { NextReset } from './service-limits.ts';
import type { ScriptedAnswer } from './service-script.ts';
import { serve } from './service-server.ts';

/** Single limits replace those of `plan` until the plan is switched. */
export interface CardServiceOptions extends Partial<PlanLimits> {
  /** `free` unless given. */
  plan?: CardServiceSwitches['plan'];
  /** `SANDBOX_API_KEY` unless given. */
  apiKey?: string;
  /** The only clock of the service, which decides about bucket, day, storm and the `Date` header. */
  nowMs?: () => number;
  /** The next 00:00 UTC unless given. */
  nextResetMs?: NextReset;
  cards?: readonly ServiceCard[];
  latencyMs?: number;
}

/** The card data service without a socket. Requests are judged and counted when they arrive, also if nobody waits. */
export interface EmbeddedCardService {
  answer: Asked;
  /** Answers as global `fetch` would with this service at any address. Follows no redirects. */
  fetch: typeof fetch;
  state(): CardServiceState;
  /** @throws RangeError when a switch cannot be set so; then none is. */
  set(switches: Partial<CardServiceSwitches>): void;
  exhaustDay(): void;
  /** Begins a day of 24 hours with nothing used. Clients hear of it with their next request, as in life. */
  refillDay(): void;
  /** Answers everything with a per-minute 429 for this long. */
  storm(durationMs: number): void;
  /** Answers the next matching requests with what is scripted, before the normal rules. */
  script(...answers: ScriptedAnswer[]): void;
  /** The last 1,000, oldest first. */
  readonly requests: readonly SeenRequest[];
  readonly counts: RequestCounts;
  /** @returns what ends the listening. */
  onChange(listener: () => void): () => void;
}

export interface ListeningCardService extends EmbeddedCardService {
  /** Base address without trailing slash. */
  readonly url: string;
  close(): Promise<void>;
}

/** @throws RangeError when an option makes no sense. */
export function createCardService(options: CardServiceOptions = {}): EmbeddedCardService {
  return new CardService(options);
}

/**
 * Puts the service on 127.0.0.1; `port` 0 (the default) takes any free one.
 *
 * @throws RangeError when an option makes no sense, or the system's error when the port is taken.
 */
export async function startCardService(
  options: CardServiceOptions & { port?: number } = {},
): Promise<ListeningCardService> {
  const service = createCardService(options);
  return Object.assign(service, await serve(service.answer, options.port ?? 0));
}
