import type { Logger } from '../log.ts';
import { type Claims, isMine } from '../model/claims.ts';
import { withJitter } from '../time/back-off.ts';
import { Timer } from '../time/timers.ts';
import { type Crossing, type Watch, withTold } from './watch.ts';
import type { Watches } from './watches.ts';

/** A crossing, and the watch that it is of. */
export interface WatchCrossing {
  watch: Watch;
  crossing: Crossing;
}

/** Until when a message is tried. */
export interface Tries {
  giveUpAtMs: number;
  signal: AbortSignal;
}

export interface WatchDeliveryOptions<Use> {
  watches: Pick<Watches, 'find' | 'change'>;
  claims: Claims;
  /** Does not reject. With a nonce that it was given before, nothing is shown twice for some minutes. @returns whether it is there */
  send(crossing: WatchCrossing, nonce: string, tries: Tries): Promise<boolean>;
  /** Shows crossings below the answer to a command. Does not reject. @returns whether the member sees them */
  show(to: Use, held: readonly WatchCrossing[]): Promise<boolean>;
  /** How many are shown together; the others wait for the next command. */
  mostShown: number;
  log: Logger;
}

/** Less than the few minutes for which Discord knows a nonce. After that the member is told with their next command. */
const TRIED_FOR_MS = 120_000;
/** For crossings that another process has left untold. */
const LOOK_AGAIN_MS = 20_000;
/** Longer than all tries take. */
const CLAIM = { ttlMs: 180_000, endsWithOwner: true };
/** A member to whom Discord fails keeps no other waiting. */
const MESSAGES_AT_ONCE = 10;

/** The same from every process, and of no other crossing. */
export function nonceOf({ watch, crossing }: WatchCrossing): string {
  return `${watch.id}-${crossing.atMs.toString(36)}`; // at most 25 characters until 2059
}

/**
 * Tells members of crossings: each once, whichever process dies when. A crossing is stored before it is told and removed
 * after it; in between Discord knows it by its nonce. Those of which no message could be sent are shown with the member's
 * next command.
 */
export class WatchDelivery<Use extends { memberId: string }> {
  readonly #options: WatchDeliveryOptions<Use>;
  readonly #timer = new Timer(() => this.start());
  readonly #closing = new AbortController();
  readonly #queue = new Map<string, Watch>();
  readonly #underWay = new Set<Promise<void>>();
  /** Nonces of messages that could not be noted as sent. */
  readonly #sent = new Set<string>();
  #senders = 0;

  constructor(options: WatchDeliveryOptions<Use>) {
    this.#options = options;
  }

  /** Tells what is untold now, and from then on what other processes leave untold. */
  start(): void {
    this.#timer.set(Date.now() + withJitter(LOOK_AGAIN_MS, Math.random()));
    this.#track(this.#look());
  }

  /** A crossing of this watch was stored. Needs no `this`. */
  readonly crossed = (watch: Watch): void => {
    this.#queue.set(watch.id, watch);
    if (this.#senders < MESSAGES_AT_ONCE) this.#track(this.#sendQueued());
  };

  /** A command was answered. Costs one indexed read when there is nothing to show. Needs no `this`. */
  readonly answered = (to: Use): void => this.#track(this.#showHeld(to));

  /** Resolves when nothing is under way. What is untold is left to other processes and the next start. */
  async close(): Promise<void> {
    this.#closing.abort();
    this.#timer.clear();
    await Promise.all(this.#underWay);
  }

  #track(work: Promise<void>): void {
    const done = work
      .catch((err: unknown) => this.#options.log.error({ err }, 'telling members of prices failed'))
      .finally(() => this.#underWay.delete(done));
    this.#underWay.add(done);
  }

  async #look(): Promise<void> {
    for (const watch of (await this.#options.watches.find('untold')) ?? []) this.crossed(watch);
  }

  async #sendQueued(): Promise<void> {
    this.#senders += 1;
    try {
      for (const [id, { memberId }] of this.#queue) {
        this.#queue.delete(id);
        const isUntold = ({ watch, crossing }: WatchCrossing) => watch.id === id && crossing.tellBy === 'message';
        await this.#claimed(`watch:${id}`, async () => {
          for (const untold of await this.#crossingsOf(memberId, isUntold)) await this.#send(untold);
        });
      }
    } finally {
      this.#senders -= 1;
    }
  }

  async #send(untold: WatchCrossing): Promise<void> {
    const { signal } = this.#closing;
    const nonce = nonceOf(untold);
    const giveUpAtMs = untold.crossing.atMs + TRIED_FOR_MS;
    const mayBeSent = !signal.aborted && Date.now() < giveUpAtMs;
    const isSent =
      this.#sent.has(nonce) || (mayBeSent && (await this.#options.send(untold, nonce, { giveUpAtMs, signal })));
    if (isSent) this.#sent.add(nonce);
    else if (signal.aborted) return;
    if (await this.#note(untold, isSent ? undefined : 'command')) this.#sent.delete(nonce);
  }

  async #showHeld(to: Use): Promise<void> {
    const { mostShown, show } = this.#options;
    const held = async () =>
      (await this.#crossingsOf(to.memberId, ({ crossing }) => crossing.tellBy === 'command')).slice(0, mostShown);
    if ((await held()).length === 0) return;
    await this.#claimed(`watches of ${to.memberId}`, async () => {
      const shown = await held(); // another command may have shown some
      if (shown.length > 0 && (await show(to, shown))) for (const each of shown) await this.#note(each, undefined);
    });
  }

  async #crossingsOf(memberId: string, isWanted: (each: WatchCrossing) => boolean): Promise<WatchCrossing[]> {
    const watches = (await this.#options.watches.find({ member: memberId })) ?? [];
    return watches.flatMap((watch) => watch.untold.map((crossing) => ({ watch, crossing }))).filter(isWanted);
  }

  async #note({ watch, crossing }: WatchCrossing, tellBy: 'command' | undefined): Promise<boolean> {
    const noted = (current: Watch) => withTold(current, crossing, tellBy);
    return (await this.#options.watches.change(watch.id, noted)) !== undefined;
  }

  /** Does nothing while another process, or a piece of work here, has claimed it. */
  async #claimed(name: string, work: () => Promise<void>): Promise<void> {
    const { claims } = this.#options;
    if (this.#closing.signal.aborted || !isMine(await claims.claim(name, CLAIM))) return;
    await work().finally(() => claims.release(name));
  }
}
