import type { Answer } from '../card.ts';
import { Busy, CardServiceError, KeyRefused, QuotaSpent, RateLimited, ServiceDown, Stopping } from '../errors.ts';
import type { Logger } from '../log.ts';
import { backoffMs } from '../quota/backoff.ts';
import type { ClosedWhy, Pacer, Turn } from '../quota/pacer.ts';
import { Alarm } from './alarm.ts';
import type { CardLookup } from './card-lookup.ts';
import { deadlineOf, type Flight, inOrder, laneOf, type Question, type Waiting, wantsPrices } from './flight.ts';

/** Attempts at one question that failed other than by a 429. */
const MAX_FAILURES = 3;

export interface WaitingLineOptions {
  lookup: CardLookup;
  pacer: Pacer;
  log: Logger;
}

/**
 * Questions wait here for a turn. However many ask for the same card, it is asked for once (single-flight); every
 * attempt takes a new turn; when nobody may ask for long, all are answered at once.
 */
export class WaitingLine {
  readonly #lookup: CardLookup;
  readonly #pacer: Pacer;
  readonly #log: Logger;
  readonly #flights = new Map<string, Flight>();
  readonly #alarm = new Alarm(() => void this.#work());
  readonly #stop = new AbortController();
  #nextPlace = 0;
  #working = false;
  #again = false;

  constructor({ lookup, pacer, log }: WaitingLineOptions) {
    this.#lookup = lookup;
    this.#pacer = pacer;
    this.#log = log;
    pacer.onChange(() => void this.#work());
  }

  /**
   * Waits for a turn and asks; costs one request, or none when somebody asks for the same card already.
   *
   * @throws QuotaSpent, Busy, KeyRefused, ServiceDown, UnexpectedAnswer, Stopping
   */
  join(question: Question): Promise<Answer> {
    if (this.#stop.signal.aborted) return Promise.reject(new Stopping());
    return new Promise((resolve, reject) => {
      const flight = this.#flights.get(question.cardId) ?? this.#newFlight(question.cardId);
      flight.waiting.push({ question, resolve, reject });
      void this.#work();
    });
  }

  /** When a member's question that came now would get its turn; now, if it can join a flight under way. */
  turnAtMs(cardId: string): number {
    const present = this.#flights.get(cardId);
    if (present?.asking) return Date.now();
    const ahead = this.#inMembersLane();
    const position = present ? ahead.indexOf(present) : -1;
    return this.#pacer.outlook().turnAtMs(position < 0 ? ahead.length + 1 : position + 1);
  }

  /** Questions that wait for a turn now. */
  get waitingCount(): number {
    return [...this.#flights.values()].filter((flight) => !flight.asking).length;
  }

  /** Sends nothing more; who still waits or is in flight is told. */
  stop(): void {
    this.#stop.abort(new Stopping());
    this.#alarm.clear();
    for (const flight of this.#flights.values()) if (!flight.asking) this.#refuse(flight, new Stopping());
  }

  #newFlight(cardId: string): Flight {
    const place = this.#nextPlace++;
    const flight: Flight = { cardId, waiting: [], place, failures: 0, notBeforeMs: 0, asking: false };
    this.#flights.set(cardId, flight);
    return flight;
  }

  /** Hands out turns until there are none to be had. One run at a time; a change during it makes it run again. */
  async #work(): Promise<void> {
    this.#again = true;
    if (this.#working) return;
    this.#working = true;
    try {
      while (this.#again) {
        this.#again = false;
        await this.#handOutTurns();
      }
    } catch (err) {
      this.#log.error({ err }, 'waiting line failed');
    } finally {
      this.#working = false;
    }
  }

  async #handOutTurns(): Promise<void> {
    while (!this.#stop.signal.aborted) {
      this.#dismissHopeless();
      const [flight] = inOrder(this.#flights.values(), Date.now());
      if (!flight) return this.#wakeForRetries();
      if (await this.#answeredWithoutAsking(flight)) continue;

      const got = await this.#pacer.take(laneOf(flight));
      if (got.kind === 'turn') {
        flight.asking = true;
        void this.#ask(flight, got.turn);
      } else {
        this.#alarm.set(got.untilMs);
        if (got.kind === 'wait') this.#tellTurns();
        return;
      }
    }
  }

  async #answeredWithoutAsking(flight: Flight): Promise<boolean> {
    try {
      const answer = await this.#lookup.withoutAsking(flight.cardId, wantsPrices(flight));
      if (answer) this.#answer(flight, answer);
      return answer !== undefined;
    } catch (error) {
      this.#refuse(flight, asCardServiceError(error));
      return true;
    }
  }

  async #ask(flight: Flight, turn: Turn): Promise<void> {
    try {
      this.#answer(flight, await this.#lookup.ask(flight.cardId, turn, this.#stop.signal));
    } catch (error) {
      this.#failed(flight, error);
    }
    void this.#work();
  }

  #failed(flight: Flight, error: unknown): void {
    flight.asking = false;
    if (!(error instanceof CardServiceError)) this.#log.error({ err: error }, 'lookup failed');
    if (error instanceof RateLimited && !this.#stop.signal.aborted) return; // the next turn is its own again
    const again = error instanceof ServiceDown && ++flight.failures < MAX_FAILURES && !this.#stop.signal.aborted;
    if (!again) return this.#refuse(flight, asCardServiceError(error));
    flight.notBeforeMs = Date.now() + backoffMs(flight.failures);
  }

  /** When the gate is closed for long, or a turn comes after its deadline, waiting is of no use. */
  #dismissHopeless(): void {
    const outlook = this.#pacer.outlook();
    const nowMs = Date.now();
    const waiting = inOrder(this.#flights.values(), Number.POSITIVE_INFINITY);
    for (const [index, flight] of waiting.entries()) {
      if (outlook.closed) {
        this.#refuse(flight, closedError(outlook.closed));
      } else {
        const turnAtMs = Math.max(outlook.turnAtMs(index + 1), nowMs);
        if (turnAtMs > deadlineOf(flight)) this.#refuse(flight, new Busy(turnAtMs));
      }
    }
  }

  #tellTurns(): void {
    const outlook = this.#pacer.outlook();
    for (const [index, flight] of this.#inMembersLane().entries()) {
      const turnAtMs = outlook.turnAtMs(index + 1);
      for (const { question } of flight.waiting) question.onTurn?.(turnAtMs);
    }
  }

  #wakeForRetries(): void {
    const retriesAtMs = [...this.#flights.values()]
      .filter(({ asking }) => !asking)
      .map(({ notBeforeMs }) => notBeforeMs);
    if (retriesAtMs.length > 0) this.#alarm.set(Math.min(...retriesAtMs));
  }

  #inMembersLane(): Flight[] {
    return inOrder(this.#flights.values(), Number.POSITIVE_INFINITY).filter((flight) => laneOf(flight) === 'members');
  }

  #answer(flight: Flight, answer: Answer): void {
    for (const { resolve } of this.#land(flight)) resolve(answer);
  }

  #refuse(flight: Flight, error: CardServiceError): void {
    for (const { reject } of this.#land(flight)) reject(error);
  }

  #land(flight: Flight): Waiting[] {
    this.#flights.delete(flight.cardId);
    return flight.waiting;
  }
}

/** What members are told while nobody may ask. */
export function closedError({ why, untilMs }: { why: ClosedWhy; untilMs: number }): CardServiceError {
  switch (why) {
    case 'day':
      return new QuotaSpent(untilMs);
    case 'key':
      return new KeyRefused(401);
    case 'down':
      return new ServiceDown('too many failures in a row', { untilMs });
  }
}

function asCardServiceError(error: unknown): CardServiceError {
  return error instanceof CardServiceError ? error : new ServiceDown('the lookup failed', { cause: error });
}
