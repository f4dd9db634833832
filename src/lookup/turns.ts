import { type CardServiceError, Stopping } from '../errors.ts';
import { Alarm } from './alarm.ts';
import { type Flight, wantsPrices } from './flight.ts';
import type { Peers } from './peers.ts';
import { asCardServiceError, closedError } from './refusals.ts';
import { Requests, type RequestsOptions } from './requests.ts';
import { Rerun } from './rerun.ts';
import { TurnNotices } from './turn-notices.ts';

/** Another process asks for this card: an answer takes about so long to come. */
const LOOK_AGAIN_MS = 50;
/** Long enough for another process to take the token that is its turn, and short beside any plan's interval (120 ms). */
const POLITE_MS = 60;

export interface TurnsOptions extends Omit<RequestsOptions, 'ended'> {
  peers: Peers;
}

/** Hands out turns to the flights in line, in fair order, as long as there are any to be had. */
export class Turns {
  readonly #parts: TurnsOptions;
  readonly #notices: TurnNotices;
  readonly #alarm = new Alarm(() => void this.work());
  readonly #requests: Requests;
  readonly #handingOut = new Rerun(() =>
    this.#handOut().catch((err: unknown) => this.#parts.log.error({ err }, 'waiting line failed')),
  );
  #closing = false;

  constructor(parts: TurnsOptions) {
    this.#parts = parts;
    this.#notices = new TurnNotices(parts.flights, parts.pacer);
    this.#requests = new Requests({ ...parts, ended: () => void this.work() });
    parts.pacer.onChange(() => void this.work());
  }

  get isClosing(): boolean {
    return this.#closing;
  }

  /** Hands out turns until there are none to be had; a change meanwhile is looked at, too. */
  work(): Promise<void> {
    return this.#handingOut.run();
  }

  /** Tells the other processes what waits here, and hears what waits there. */
  async hearOthers(): Promise<void> {
    const { flights, peers } = this.#parts;
    flights.hear(await peers.exchange(flights.summary(Date.now())));
  }

  /** Tells all who still wait, gives the requests under way `graceMs` to be answered, and sends nothing more. */
  async close(graceMs: number): Promise<void> {
    this.#closing = true;
    this.#alarm.clear();
    this.#notices.clear();
    this.#refuseAll(() => true, new Stopping());
    await this.#requests.close(graceMs);
  }

  async #handOut(): Promise<void> {
    const { flights, pacer, lease } = this.#parts;
    const { closed } = pacer.outlook();
    if (closed) this.#refuseAll(() => true, closedError(closed));
    while (!this.#closing) {
      await this.hearOthers();
      const flight = flights.next(Date.now());
      if (!flight) {
        if (flights.nextRetryMs(Date.now()) !== undefined) this.#notices.tellSoon();
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

  /** `untilMs`: no turn is to be had before. */
  async #serve(flight: Flight): Promise<{ launched: boolean; untilMs?: number }> {
    const { flights, pacer } = this.#parts;
    if (await this.#answeredWithoutAsking(flight)) return { launched: false };

    const got = await pacer.take(flight.lane, flights.isNextOfAll(flight, Date.now()) ? 0 : POLITE_MS);
    if (got.kind === 'wait') return { launched: false, untilMs: got.untilMs };
    if (got.kind === 'closed') {
      this.#refuseAll(({ lane }) => got.why !== 'reserve' || lane === 'background', closedError(got));
      return { launched: false };
    }
    // While the turn was fetched all may have been refused, or have given up.
    if (this.#closing || flights.get(flight.cardId) !== flight) {
      await pacer.settle(got.turn, { kind: 'abandoned' });
      return { launched: false };
    }
    this.#requests.launch(flight, got.turn);
    return { launched: true };
  }

  /** Until a turn is to be had, or a question may be asked again after a failure: that may be of the better lane. */
  #sleepUntil(turnAtMs: number | undefined): void {
    const times = [turnAtMs, this.#parts.flights.nextRetryMs(Date.now())].filter((atMs) => atMs !== undefined);
    if (times.length > 0 && !this.#closing) this.#alarm.set(Math.min(...times));
  }

  async #answeredWithoutAsking(flight: Flight): Promise<boolean> {
    const { flights, lookup, ledger } = this.#parts;
    const withPrices = wantsPrices(flight);
    try {
      const answer = await lookup.withoutAsking(flight.cardId, withPrices);
      if (answer && wantsPrices(flight) === withPrices) {
        for (const { question } of flight.waiting) ledger.saved(question.asker);
        flights.answer(flight, answer);
      }
      return answer !== undefined;
    } catch (error) {
      flights.refuse(flight, asCardServiceError(error));
      return true;
    }
  }

  #refuseAll(whom: (flight: Flight) => boolean, error: CardServiceError): void {
    const { flights } = this.#parts;
    for (const flight of flights.waiting()) if (whom(flight)) flights.refuse(flight, error);
  }
}
