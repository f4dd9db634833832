import { Busy } from '../model/errors.ts';
import type { Limiter } from '../quota/limiter.ts';
import { Timer } from '../time/timers.ts';
import type { PendingLookups } from './pending-lookups.ts';

/** What is shown in minutes need not be computed more often. */
const TELL_EVERY_MS = 1_000;

/** Tells who waits when their turn comes; whose turn would come too late is told that instead. */
export class ScheduleNotices {
  readonly #pendingLookups: PendingLookups;
  readonly #limiter: Limiter;
  readonly #alarm = new Timer(() => this.#tell());
  #toldAtMs = Number.NEGATIVE_INFINITY;

  constructor(pendingLookups: PendingLookups, limiter: Limiter) {
    this.#pendingLookups = pendingLookups;
    this.#limiter = limiter;
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
    const { permitAtMs, paused } = this.#limiter.schedule();
    for (const { pending, position } of this.#pendingLookups.positions()) {
      const atMs = Math.max(permitAtMs(position), pending.notBeforeMs, nowMs);
      for (const { reject } of this.#pendingLookups.putOff(pending, atMs)) reject(new Busy(atMs, paused));
      for (const { lookup } of pending.waiting) if (lookup.lane === 'members') lookup.onSchedule?.(atMs);
    }
  }
}
