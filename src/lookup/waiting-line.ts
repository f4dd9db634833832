import type { Answer } from '../card.ts';
import {
  Busy,
  CardServiceError,
  KeyRefused,
  QuotaSpent,
  RateLimited,
  ServiceDown,
  Stopping,
  UnexpectedAnswer,
} from '../errors.ts';
import type { Logger } from '../log.ts';
import { backoffMs } from '../quota/backoff.ts';
import type { Ledger } from '../quota/ledger.ts';
import type { ClosedWhy, Pacer, Turn } from '../quota/pacer.ts';
import { Alarm } from './alarm.ts';
import type { CardLookup } from './card-lookup.ts';
import { deadlineOf, type Flight, inOrder, laneOf, type Question, type Waiting, wantsPrices } from './flight.ts';

/** Attempts at one question that failed other than by a 429. */
const MAX_FAILURES = 3;

export interface WaitingLineOptions {
  lookup: CardLookup;
  pacer: Pacer;
  ledger: Ledger;
  log: Logger;
  /** A question whose turn is further away is refused at once. */
  longestWaitMs: number;
}

/**
 * Questions wait here for a turn. However many ask for the same card, it is asked for once (single-flight); every
 * attempt takes a new turn; when nobody may ask for long, all are answered at once.
 */
export class WaitingLine {
  readonly #lookup: CardLookup;
  readonly #pacer: Pacer;
  readonly #ledger: Ledger;
  readonly #log: Logger;
  readonly #longestWaitMs: number;
  readonly #flights = new Map<string, Flight>();
  readonly #alarm = new Alarm(() => void this.#work());
  readonly #underWay = new Set<Promise<void>>();
  readonly #abort = new AbortController();
  #closing = false;
  #nextPlace = 0;
  #working = false;
  #again = false;

  constructor({ lookup, pacer, ledger, log, longestWaitMs }: WaitingLineOptions) {
    this.#lookup = lookup;
    this.#pacer = pacer;
    this.#ledger = ledger;
    this.#log = log;
    this.#longestWaitMs = longestWaitMs;
    pacer.onChange(() => void this.#work());
  }

  /**
   * Waits for a turn and asks; costs one request, or none when somebody asks for the same card already.
   *
   * @throws QuotaSpent, Busy, KeyRefused, ServiceDown, UnexpectedAnswer, Stopping
   */
  join(question: Question): Promise<Answer> {
    if (this.#closing) return Promise.reject(new Stopping());
    return new Promise((resolve, reject) => {
      const flight = this.#flights.get(question.cardId) ?? this.#newFlight(question.cardId);
      flight.waiting.push({ question, resolve, reject });
      void this.#work();
    });
  }

  /**
   * What would become of a question that came now: when it gets its turn (now, if it can join a request under way),
   * or why nobody should wait for that.
   */
  forecast(cardId: string): { turnAtMs: number } | { refusal: CardServiceError } {
    const nowMs = Date.now();
    const present = this.#flights.get(cardId);
    if (present?.asking) return { turnAtMs: nowMs };

    const outlook = this.#pacer.outlook();
    if (outlook.closed) return { refusal: closedError(outlook.closed) };
    const ahead = this.#membersInOrder();
    const position = present ? ahead.indexOf(present) : -1;
    const turnAtMs = outlook.turnAtMs(position < 0 ? ahead.length + 1 : position + 1);
    return turnAtMs - nowMs > this.#longestWaitMs ? { refusal: new Busy(turnAtMs) } : { turnAtMs };
  }

  /** Questions that wait for a turn now. */
  get waitingCount(): number {
    return [...this.#flights.values()].filter((flight) => !flight.asking).length;
  }

  /** Tells all who still wait, gives the requests under way `graceMs` to be answered, and sends nothing more. */
  async close(graceMs: number): Promise<void> {
    this.#closing = true;
    this.#alarm.clear();
    for (const flight of this.#flights.values()) if (!flight.asking) this.#refuse(flight, new Stopping());

    const timer = setTimeout(() => this.#abort.abort(new Stopping()), graceMs);
    await Promise.allSettled(this.#underWay);
    clearTimeout(timer);
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
    while (!this.#closing) {
      this.#dismissHopeless();
      const [flight] = inOrder(this.#flights.values(), Date.now());
      if (!flight) return this.#wakeForRetries();
      if (await this.#answeredWithoutAsking(flight)) continue;

      const got = await this.#pacer.take(laneOf(flight));
      if (got.kind === 'turn') {
        this.#launch(flight, got.turn);
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
      if (answer) {
        for (const _ of flight.waiting) this.#ledger.saved();
        this.#answer(flight, answer);
      }
      return answer !== undefined;
    } catch (error) {
      this.#refuse(flight, asCardServiceError(error));
      return true;
    }
  }

  #launch(flight: Flight, turn: Turn): void {
    flight.asking = true;
    this.#ledger.spent();
    for (const { question } of flight.waiting) question.onAsking?.();
    const request = this.#ask(flight, turn).then(() => {
      this.#underWay.delete(request);
      void this.#work();
    });
    this.#underWay.add(request);
  }

  async #ask(flight: Flight, turn: Turn): Promise<void> {
    try {
      const answer = await this.#lookup.ask(flight.cardId, turn, this.#abort.signal);
      for (const _ of flight.waiting.slice(1)) this.#ledger.saved(); // the first asker pays for all
      this.#answer(flight, answer);
    } catch (error) {
      this.#failed(flight, error);
    }
  }

  #failed(flight: Flight, error: unknown): void {
    flight.asking = false;
    this.#log[severity(error)]({ cardId: flight.cardId, err: error }, 'lookup failed');
    if (error instanceof RateLimited && !this.#closing) return; // the next turn is its own again
    const again = error instanceof ServiceDown && ++flight.failures < MAX_FAILURES && !this.#closing;
    if (again) flight.notBeforeMs = Date.now() + backoffMs(flight.failures);
    else this.#refuse(flight, this.#inWords(error));
  }

  /** The last of several failures has closed the gate, which says until when. */
  #inWords(error: unknown): CardServiceError {
    const { closed } = this.#pacer.outlook();
    return error instanceof ServiceDown && closed ? closedError(closed) : asCardServiceError(error);
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
    for (const [index, flight] of this.#membersInOrder().entries()) {
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

  #membersInOrder(): Flight[] {
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

/** A key that does not do and a bug need somebody; 429s and outages pass. */
function severity(error: unknown): 'error' | 'warn' | 'info' {
  if (error instanceof RateLimited) return 'info';
  return error instanceof ServiceDown || error instanceof UnexpectedAnswer || error instanceof Stopping
    ? 'warn'
    : 'error';
}

function asCardServiceError(error: unknown): CardServiceError {
  return error instanceof CardServiceError ? error : new ServiceDown('the lookup failed', { cause: error });
}
