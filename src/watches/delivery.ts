import { setImmediate as nextLoopIteration } from 'node:timers/promises';
import type { Logger } from '../log.ts';
import { type Claims, isMine } from '../model/claims.ts';
import { withJitter } from '../time/back-off.ts';
import { SingleRunner, Timer } from '../time/timers.ts';
import { type Crossing, type Watch, withTold } from './watch.ts';
import type { Watches } from './watches.ts';

/** A crossing, and the watch that it is of. */
export interface WatchCrossing {
  watch: Watch;
  crossing: Crossing;
}

export interface WatchDeliveryOptions<Use> {
  watches: Pick<Watches, 'find' | 'change'>;
  claims: Claims;
  /**
   * Sends a message. Does not reject. With a nonce that it was given before, nothing is shown twice for some minutes.
   *
   * @returns `refused`: no other try will help; `failed`: it may be there all the same
   */
  send(crossing: WatchCrossing, nonce: string): Promise<'sent' | 'refused' | 'failed'>;
  /** Shows crossings below the answer to a command. Does not reject. @returns whether the member sees them */
  show(to: Use, held: readonly WatchCrossing[]): Promise<boolean>;
  /** How many are shown together; the others wait for the next command. */
  mostShown: number;
  log: Logger;
}

/** Less than the few minutes for which Discord knows a nonce. After that the member is told with their next command. */
const TRIED_FOR_MS = 120_000;
/** For messages that failed, and for crossings that another process has left untold. */
const LOOK_AGAIN_MS = 10_000;
/** Longer than a try takes. */
const CLAIM = { ttlMs: 60_000, endsWithOwner: true };
/** Discord takes 50 requests a second of a bot, and answers one in about 0.2 s. */
const MESSAGES_AT_ONCE = 5;
/** Then the others wait, too: Discord shuts out a bot that is refused too often. */
const MOST_FAILING = 10;

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
  readonly #looks = new SingleRunner(() => this.#look().catch((err) => this.#log(err)));
  readonly #timer = new Timer(() => this.tell());
  readonly #underWay = new Set<Promise<void>>();
  /** Nonces of messages that were sent, until that is noted. */
  readonly #sent = new Set<string>();
  /** Members to whom a message has failed in this look. */
  readonly #failing = new Set<string>();
  #isClosed = false;

  constructor(options: WatchDeliveryOptions<Use>) {
    this.#options = options;
  }

  /** Tells what is untold now, and from then on what other processes leave untold. Needs no `this`. */
  readonly tell = (): void => this.#track(this.#looks.run());

  /** A command was answered. Costs one indexed read when there is nothing to show. Needs no `this`. */
  readonly answered = (to: Use): void => this.#track(this.#showHeld(to).catch((err) => this.#log(err)));

  /** Resolves when nothing is under way. What is untold is left to other processes and the next start. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#timer.clear();
    await Promise.all(this.#underWay);
  }

  #track(work: Promise<void>): void {
    const done = work.finally(() => this.#underWay.delete(done));
    this.#underWay.add(done);
  }

  #log(err: unknown): void {
    this.#options.log.error({ err }, 'telling members of prices failed');
  }

  async #look(): Promise<void> {
    if (this.#isClosed) return;
    this.#timer.set(Date.now() + withJitter(LOOK_AGAIN_MS, Math.random()));
    this.#failing.clear();
    const untold = (await this.#options.watches.find('untold')) ?? [];
    const sendSome = async () => {
      for (let watch = untold.pop(); watch && this.#failing.size < MOST_FAILING; watch = untold.pop()) {
        await nextLoopIteration(); // files answer without letting others run
        if (!this.#failing.has(watch.memberId)) await this.#sendOf(watch); // Discord takes five in 5 s of one
      }
    };
    await Promise.all(Array.from({ length: MESSAGES_AT_ONCE }, sendSome));
  }

  #sendOf(listed: Watch): Promise<void> {
    return this.#claimed(`watch:${listed.id}`, async () => {
      const crossings = await this.#crossingsOf(listed.memberId, 'message');
      for (const each of crossings) if (each.watch.id === listed.id) await this.#send(each);
    });
  }

  async #send(untold: WatchCrossing): Promise<void> {
    if (this.#isClosed) return;
    const nonce = nonceOf(untold);
    if (!this.#sent.has(nonce) && Date.now() < untold.crossing.atMs + TRIED_FOR_MS) {
      const result = await this.#options.send(untold, nonce);
      if (result === 'failed') this.#failing.add(untold.watch.memberId);
      if (result === 'failed') return;
      if (result === 'sent') this.#sent.add(nonce);
    }
    if (await this.#note(untold, this.#sent.has(nonce) ? undefined : 'command')) this.#sent.delete(nonce);
  }

  async #showHeld(to: Use): Promise<void> {
    const { mostShown, show } = this.#options;
    if ((await this.#crossingsOf(to.memberId, 'command')).length === 0) return;
    await this.#claimed(`watches of ${to.memberId}`, async () => {
      const held = await this.#crossingsOf(to.memberId, 'command'); // another command may have shown some
      const shown = held.slice(0, mostShown);
      if (shown.length > 0 && (await show(to, shown))) for (const each of shown) await this.#note(each, undefined);
    });
  }

  async #crossingsOf(memberId: string, tellBy: Crossing['tellBy']): Promise<WatchCrossing[]> {
    const watches = (await this.#options.watches.find({ member: memberId })) ?? [];
    const crossings = watches.flatMap((watch) => watch.untold.map((crossing) => ({ watch, crossing })));
    return crossings.filter(({ crossing }) => crossing.tellBy === tellBy);
  }

  async #note({ watch, crossing }: WatchCrossing, tellBy: 'command' | undefined): Promise<boolean> {
    const noted = (current: Watch) => withTold(current, crossing, tellBy);
    return (await this.#options.watches.change(watch.id, noted)) !== undefined;
  }

  /** Does nothing while another process, or a piece of work here, has claimed it. */
  async #claimed(name: string, work: () => Promise<void>): Promise<void> {
    const { claims } = this.#options;
    if (this.#isClosed || !isMine(await claims.claim(name, CLAIM))) return;
    await work().finally(() => claims.release(name));
  }
}
