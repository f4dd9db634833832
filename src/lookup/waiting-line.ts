import type { Answer } from '../card.ts';
import { type CardServiceError, Stopping } from '../errors.ts';
import type { Logger } from '../log.ts';
import type { Budget, Charged } from '../quota/budget.ts';
import type { Ledger } from '../quota/ledger.ts';
import type { Pacer } from '../quota/pacer.ts';
import { Alarm } from './alarm.ts';
import type { CardLease } from './card-lease.ts';
import type { CardLookup } from './card-lookup.ts';
import { type Flight, type Question, wantsPrices } from './flight.ts';
import { Flights } from './flights.ts';
import { forecast } from './forecast.ts';
import type { Peers } from './peers.ts';
import { Place } from './place.ts';
import { asCardServiceError, closedError } from './refusals.ts';
import { Requests } from './requests.ts';
import { Rerun } from './rerun.ts';
import { TurnNotices } from './turn-notices.ts';

/** Another process asks for this card: an answer takes about so long to come. */
const LOOK_AGAIN_MS = 50;
/** Long enough for another process to take the token that is its turn, and short beside any plan's interval (120 ms). */
const POLITE_MS = 60;

export interface WaitingLineOptions {
  lookup: CardLookup;
  pacer: Pacer;
  ledger: Ledger;
  budget: Budget;
  peers: Peers;
  lease: CardLease;
  log: Logger;
  /** A question whose turn is further away is refused at once. */
  longestWaitMs: number;
}

/** A place that is held, or why nobody should wait for one. */
export type Admission = { place: Place } | { refusal: CardServiceError };

/**
 * Questions wait here for a turn. However many ask for the same card, in however many processes, it is asked for once
 * (single-flight); every attempt takes a new turn, in fair order; when nobody may ask for long, all are answered at
 * once.
 */
export class WaitingLine {
  readonly #parts: WaitingLineOptions;
  readonly #flights = new Flights();
  readonly #notices: TurnNotices;
  readonly #turnAlarm = new Alarm(() => void this.#work());
  readonly #requests: Requests;
  readonly #turns = new Rerun(() =>
    this.#handOutTurns().catch((err: unknown) => this.#parts.log.error({ err }, 'waiting line failed')),
  );
  #closing = false;

  constructor(parts: WaitingLineOptions) {
    this.#parts = parts;
    this.#notices = new TurnNotices(this.#flights, parts.pacer);
    this.#requests = new Requests({ ...parts, flights: this.#flights, ended: () => void this.#work() });
    parts.pacer.onChange(() => void this.#work());
  }

  /**
   * A place in line, if the turn comes in time and the asker's budget allows the request; it is to be taken or given
   * back. Of those who ask at once, each counts the others. Costs no request and never rejects.
   */
  async admit(question: Question): Promise<Admission> {
    const { budget } = this.#parts;
    const flights = this.#flights;
    await this.#hearOthers(); // a rank counts what waits there, too
    let spent: Charged;
    let launches: number;
    do {
      launches = flights.launches;
      spent = await budget.spentBy(question.asker);
    } while (launches !== flights.launches); // what leaves the line meanwhile would count neither here nor there
    // Nothing is awaited from here on, so that the place is had before the next is decided upon.
    if (this.#closing) return { refusal: new Stopping() };
    const decided = forecast(question, spent, { ...this.#parts, flights });
    return 'refusal' in decided ? decided : { place: this.#hold(question, decided.turnAtMs) };
  }

  /**
   * Waits for a turn and asks, without admission: for who was admitted by a process that is no more. Costs one request,
   * or none when somebody asks for the same card already.
   *
   * @throws QuotaSpent, Busy, KeptInReserve, KeyRefused, ServiceDown, UnexpectedAnswer, Stopping
   */
  async join(question: Question): Promise<Answer> {
    await this.#hearOthers();
    if (this.#closing) throw new Stopping();
    const { position } = this.#flights.positionOf(question);
    return this.#hold(question, this.#parts.pacer.outlook().turnAtMs(position)).take();
  }

  /** Questions that wait for a turn now. */
  get waitingCount(): number {
    return this.#flights.waiting().length;
  }

  /** Tells all who still wait, gives the requests under way `graceMs` to be answered, and sends nothing more. */
  async close(graceMs: number): Promise<void> {
    this.#closing = true;
    this.#turnAlarm.clear();
    this.#notices.clear();
    this.#refuseAll(() => true, new Stopping());
    await this.#requests.close(graceMs);
  }

  #hold(question: Question, promisedAtMs: number): Place {
    return new Place(this.#flights, question, promisedAtMs, () => void this.#work());
  }

  /** Hands out turns until there are none to be had; a change meanwhile is looked at, too. */
  #work(): Promise<void> {
    return this.#turns.run();
  }

  async #handOutTurns(): Promise<void> {
    const { pacer, lease } = this.#parts;
    const { closed } = pacer.outlook();
    if (closed) this.#refuseAll(() => true, closedError(closed));
    while (!this.#closing) {
      await this.#hearOthers();
      const flight = this.#flights.next(Date.now());
      if (!flight) {
        if (this.#flights.nextRetryMs(Date.now()) !== undefined) this.#notices.tellSoon();
        return this.#sleepUntil(undefined);
      }
      if (!(await lease.acquire(flight.cardId))) {
        flight.notBeforeMs = Date.now() + LOOK_AGAIN_MS;
        continue;
      }
      const { launched, untilMs } = await this.#serve(flight);
      if (!launched) await lease.release(flight.cardId);
      if (untilMs === undefined) continue;
      this.#notices.tellSoon();
      return this.#sleepUntil(untilMs);
    }
  }

  /** Tells the other processes what waits here, and hears what waits there. */
  async #hearOthers(): Promise<void> {
    this.#flights.hear(await this.#parts.peers.exchange(this.#flights.summary(Date.now())));
  }

  /** `untilMs`: no turn is to be had before. */
  async #serve(flight: Flight): Promise<{ launched: boolean; untilMs?: number }> {
    const { pacer } = this.#parts;
    if (await this.#answeredWithoutAsking(flight)) return { launched: false };

    const got = await pacer.take(flight.lane, this.#flights.isNextOfAll(flight, Date.now()) ? 0 : POLITE_MS);
    if (got.kind === 'wait') return { launched: false, untilMs: got.untilMs };
    if (got.kind === 'closed') {
      this.#refuseAll(({ lane }) => got.why !== 'reserve' || lane === 'background', closedError(got));
      return { launched: false };
    }
    // While the turn was fetched all may have been refused, or have given up.
    if (this.#closing || this.#flights.get(flight.cardId) !== flight) {
      await pacer.settle(got.turn, { kind: 'abandoned' });
      return { launched: false };
    }
    this.#requests.launch(flight, got.turn);
    return { launched: true };
  }

  /** Until a turn is to be had, or a question may be asked again after a failure: that may be of the better lane. */
  #sleepUntil(turnAtMs: number | undefined): void {
    const times = [turnAtMs, this.#flights.nextRetryMs(Date.now())].filter((atMs) => atMs !== undefined);
    if (times.length > 0 && !this.#closing) this.#turnAlarm.set(Math.min(...times));
  }

  async #answeredWithoutAsking(flight: Flight): Promise<boolean> {
    const withPrices = wantsPrices(flight);
    try {
      const answer = await this.#parts.lookup.withoutAsking(flight.cardId, withPrices);
      if (answer && wantsPrices(flight) === withPrices) {
        for (const { question } of flight.waiting) this.#parts.ledger.saved(question.asker);
        this.#flights.answer(flight, answer);
      }
      return answer !== undefined;
    } catch (error) {
      this.#flights.refuse(flight, asCardServiceError(error));
      return true;
    }
  }

  #refuseAll(whom: (flight: Flight) => boolean, error: CardServiceError): void {
    for (const flight of this.#flights.waiting()) if (whom(flight)) this.#flights.refuse(flight, error);
  }
}
