import { LRUCache } from 'lru-cache';
import { Incident, type Logger } from '../log.ts';
import { type Claims, isMine } from '../model/claims.ts';
import { type BackOff, backOffMs, withJitter } from '../time/back-off.ts';
import { SingleRunner, Timer } from '../time/timers.ts';
import type { Crossing, Watch } from './watch.ts';
import type { Watches } from './watches.ts';

/** A crossing, and the watch that it is of. */
export interface WatchCrossing {
  watch: Watch;
  crossing: Crossing;
}

/** What became of a message. `refused`: no other try will help. `failed`: `waitMs` when Discord states a wait. */
export type MessageResult = 'sent' | 'refused' | { failed: unknown; waitMs?: number };

export interface WatchDeliveryOptions {
  watches: Pick<Watches, 'untold' | 'ofMember' | 'update'>;
  claims: Claims;
  /** Does not reject. With a nonce that it was given before, nothing is shown twice for some minutes. */
  send(crossing: WatchCrossing, nonce: string): Promise<MessageResult>;
  log: Logger;
}

/** Less than the few minutes for which Discord knows a nonce. After that the member is told with their next command. */
export const TRIED_FOR_MS = 120_000;
const BACK_OFF: BackOff = { firstMs: 1_000, longestMs: 15_000 };
/** For crossings that another process has left untold. */
const LOOK_AGAIN_MS = 20_000;
/** Longer than a try takes. */
const CLAIMED_MS = 60_000;
/** Those that could not be noted as told. */
const REMEMBERED = 1_000;

/** What is known of a crossing when it is looked at. */
export interface Tries {
  /** By this process, which could not store that. */
  isSent: boolean;
  /** No earlier: Discord has just failed. */
  notBeforeMs: number;
  nowMs: number;
}

/** What to do about a crossing that is to be told by message. `hold`: until the member's next command. */
export function nextStep({ atMs }: Crossing, { isSent, notBeforeMs, nowMs }: Tries): 'note' | 'hold' | 'wait' | 'send' {
  if (isSent) return 'note';
  if (nowMs >= atMs + TRIED_FOR_MS) return 'hold';
  return nowMs < notBeforeMs ? 'wait' : 'send';
}

/** The same from every process, and of no other crossing, also when the member has stopped the watch and set it again. */
export function nonceOf({ watch, crossing }: WatchCrossing): string {
  return `${watch.id}-${crossing.atMs.toString(36)}`; // at most 25 characters until 2059
}

/** The watch without the crossing, or with it to be told with a command. */
export function afterStep(watch: Watch, number: number, step: 'note' | 'hold'): Watch {
  const untold = watch.untold.flatMap((crossing): Crossing[] => {
    if (crossing.number !== number) return [crossing];
    return step === 'note' ? [] : [{ ...crossing, tellBy: 'command' }];
  });
  return { ...watch, untold };
}

/**
 * Tells members of crossings by direct message, one after the other: each once, whichever process dies when. A crossing is
 * stored before it is told and removed after it; in between Discord knows it by its nonce.
 */
export class WatchDelivery {
  readonly #options: WatchDeliveryOptions;
  readonly #looks = new SingleRunner(() => this.#look());
  readonly #timer = new Timer(() => this.tell());
  readonly #sent = new LRUCache<string, true>({ max: REMEMBERED });
  readonly #outage: Incident;
  #failures = 0;
  #notBeforeMs = 0;
  #looking = Promise.resolve();
  #isClosed = false;

  constructor(options: WatchDeliveryOptions) {
    this.#options = options;
    this.#outage = new Incident(options.log, {
      level: 'warn',
      begins: 'discord takes no messages to members: they are sent again for two minutes, then shown with a command',
      ends: 'discord takes messages to members again',
    });
  }

  /** Tells what is untold now, and from then on what other processes leave untold. Needs no `this`. */
  readonly tell = (): void => void this.#looks.run();

  /** Resolves when no message is under way. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#timer.clear();
    await this.#looking;
  }

  async #look(): Promise<void> {
    if (this.#isClosed) return;
    this.#looking = this.#tellAll().catch((err: unknown) =>
      this.#options.log.error({ err }, 'crossings cannot be told'),
    );
    await this.#looking;
    if (this.#isClosed) return;
    const lookAtMs = Date.now() + withJitter(LOOK_AGAIN_MS, Math.random());
    this.#timer.set(this.#failures > 0 ? Math.min(this.#notBeforeMs, lookAtMs) : lookAtMs);
  }

  async #tellAll(): Promise<void> {
    for (const watch of await this.#options.watches.untold()) await this.#tellOf(watch);
  }

  /** @param listed another process may have told of it since */
  async #tellOf(listed: Watch): Promise<void> {
    const { claims, watches } = this.#options;
    const name = `watch:${listed.id}`;
    if (this.#isClosed || !isMine(await claims.claim(name, { ttlMs: CLAIMED_MS, endsWithOwner: true }))) return;
    try {
      const watch = (await watches.ofMember(listed.memberId))?.find(({ id }) => id === listed.id);
      for (const crossing of watch?.untold ?? []) {
        if (watch && crossing.tellBy === 'message') await this.#tell({ watch, crossing });
      }
    } finally {
      await claims.release(name);
    }
  }

  async #tell(told: WatchCrossing): Promise<void> {
    const { watch, crossing } = told;
    const nonce = nonceOf(told);
    const tries = { isSent: this.#sent.has(nonce), notBeforeMs: this.#notBeforeMs, nowMs: Date.now() };
    let step = this.#isClosed ? 'wait' : nextStep(crossing, tries);
    if (step === 'send') step = await this.#send(told, nonce);
    if (step !== 'note' && step !== 'hold') return;
    const end = step;
    const noted = await this.#options.watches.update(watch, (current) => afterStep(current, crossing.number, end));
    if (noted) this.#sent.delete(nonce);
  }

  async #send(told: WatchCrossing, nonce: string): Promise<'note' | 'hold' | 'wait'> {
    const result = await this.#options.send(told, nonce);
    if (typeof result !== 'object') {
      this.#failures = 0;
      this.#outage.succeeded();
      if (result === 'sent') this.#sent.set(nonce, true);
      return result === 'sent' ? 'note' : 'hold';
    }
    this.#failures++;
    this.#notBeforeMs = Date.now() + Math.max(backOffMs(this.#failures, BACK_OFF), result.waitMs ?? 0);
    this.#outage.failed({ err: result.failed });
    return 'wait';
  }
}
