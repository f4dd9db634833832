import { Busy } from '../errors.ts';
import type { Pacer } from '../quota/pacer.ts';
import { Alarm } from './alarm.ts';
import type { Flights } from './flights.ts';

/** What is shown in minutes need not be computed more often. */
const TELL_EVERY_MS = 1_000;

/** Tells who waits when their turn comes; whose turn would come too late is told that instead. */
export class TurnNotices {
  readonly #flights: Flights;
  readonly #pacer: Pacer;
  readonly #alarm = new Alarm(() => this.#tell());
  #toldAtMs = Number.NEGATIVE_INFINITY;

  constructor(flights: Flights, pacer: Pacer) {
    this.#flights = flights;
    this.#pacer = pacer;
  }

  tellSoon(): void {
    // The lower of the two, should the clock have been set back.
    this.#alarm.set(Math.min(this.#toldAtMs, Date.now()) + TELL_EVERY_MS);
  }

  clear(): void {
    this.#alarm.clear();
  }

  #tell(): void {
    const nowMs = Date.now();
    this.#toldAtMs = nowMs;
    const { turnAtMs, paused } = this.#pacer.outlook();
    for (const { flight, position } of this.#flights.positions()) {
      const atMs = Math.max(turnAtMs(position), flight.notBeforeMs, nowMs);
      for (const { reject } of this.#flights.putOff(flight, atMs)) reject(new Busy(atMs, paused));
      for (const { question } of flight.waiting) if (question.lane === 'members') question.onTurn?.(atMs);
    }
  }
}
