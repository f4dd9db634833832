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

/**
 * What became of a message. `refused`: Discord takes it by this way at no time; `unsent`: it is not there, and may be taken
 * later; `failed`: it may be there.
 */
export type Sent = 'sent' | 'refused' | 'unsent' | 'failed';

export interface WatchDeliveryOptions<Use> {
  watches: Pick<Watches, 'find' | 'change'>;
  claims: Claims;
  /** For how long no message to a member will be tried. */
  waitMs(memberId: string): number;
  /** Sends a message. Does not reject. With a nonce that it was given before, nothing is shown twice for some minutes. */
  send(crossing: WatchCrossing, nonce: string): Promise<Sent>;
  /** Shows crossings below the answer to a command, one of each watch. Does not reject. */
  show(to: Use, held: readonly WatchCrossing[]): Promise<Sent>;
  /** How many are shown together; the others wait for the next command. */
  mostShown: number;
  log: Logger;
}

/** From the first try, less than the few minutes for which Discord knows a nonce. Then a command tells the member. */
const TRIED_FOR_MS = 120_000;
/** For messages that failed, and for crossings that another process has left untold. */
const LOOK_AGAIN_MS = 10_000;
/** Longer than a try takes. */
const CLAIM = { ttlMs: 60_000, endsWithOwner: true };
/** Discord takes 50 requests a second of a bot, and answers one in about 0.2 s. */
const MESSAGES_AT_ONCE = 5;
/** Then the others wait, too: Discord shuts out a bot that is refused too often. */
const MOST_FAILING = 10;
/** Before it is looked whether Discord opens channels again. */
const LEAST_WAIT_MS = 1_000;
const LOG_EVERY_MS = 60_000;

/** The same from every process, and of no other crossing. */
export function nonceOf({ watch, crossing }: WatchCrossing): string {
  return `${watch.id}-${crossing.atMs.toString(36)}`; // at most 25 characters until 2059
}

/** Whether a command tells of it: no message could be sent, or none has left for as long as one is tried. */
export function isHeld({ tellBy, triedAtMs, atMs }: Crossing, nowMs: number): boolean {
  return tellBy === 'command' || (triedAtMs === undefined && nowMs - atMs >= TRIED_FOR_MS);
}

/**
 * Tells members of crossings, whichever process dies when. A crossing is stored before it is told, noted when it is first
 * sent, and removed after it; in between Discord knows a message by its nonce. Those of which no message could be sent are
 * shown with the member's next command: once, or once more and with a word that it may be known, if Discord's answer is lost.
 */
export class WatchDelivery<Use extends { memberId: string }> {
  readonly #options: WatchDeliveryOptions<Use>;
  readonly #looks = new SingleRunner(() => this.#look().catch((err) => this.#log(err)));
  readonly #timer = new Timer(() => this.tell());
  readonly #underWay = new Set<Promise<void>>();
  /** Nonces of messages that were sent, until that is noted. */
  readonly #sent = new Set<string>();
  #waitLoggedAtMs = 0;
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
    const { watches, waitMs } = this.#options;
    const startedAtMs = Date.now();
    this.#timer.set(startedAtMs + withJitter(LOOK_AGAIN_MS, Math.random()));
    const untold = (await watches.find('untold')) ?? [];
    const members = [...new Set(untold.map(({ memberId }) => memberId))];
    const waiting: string[] = [];
    let failing = 0;
    const sendSome = async () => {
      for (let member = members.pop(); member && failing < MOST_FAILING; member = members.pop()) {
        await nextLoopIteration(); // files answer without letting others run
        const sent = waitMs(member) > 0 ? 'unsent' : await this.#sendTo(member);
        if (sent === 'failed') failing++;
        if (sent === 'unsent') waiting.push(member);
        this.#logWaiting(members.length + waiting.length, startedAtMs);
      }
    };
    await Promise.all(Array.from({ length: MESSAGES_AT_ONCE }, sendSome));
    this.#logWaiting(members.length + waiting.length, 0);
    const [first] = waiting;
    if (first === undefined || this.#isClosed) return;
    this.#timer.set(Date.now() + Math.min(Math.max(waitMs(first), LEAST_WAIT_MS), LOOK_AGAIN_MS));
  }

  #logWaiting(members: number, sinceMs: number): void {
    if (members === 0 || Date.now() - Math.max(sinceMs, this.#waitLoggedAtMs) < LOG_EVERY_MS) return;
    this.#waitLoggedAtMs = Date.now();
    this.#options.log.info({ members }, 'members wait for messages about prices');
  }

  async #sendTo(memberId: string): Promise<Sent> {
    let sent: Sent = 'sent';
    await this.#claimed(memberId, async () => {
      for (const each of await this.#crossingsOf(memberId, ({ tellBy }) => tellBy === 'message')) {
        if (this.#isClosed || sent === 'failed' || sent === 'unsent') return; // Discord takes five in 5 s of one
        sent = await this.#send(each);
      }
    });
    return sent;
  }

  async #send(untold: WatchCrossing): Promise<Sent> {
    const nonce = nonceOf(untold);
    const sent = this.#sent.has(nonce) ? 'sent' : await this.#try(untold, nonce);
    if (sent === 'sent') this.#sent.add(nonce);
    if (sent !== 'failed' && (await this.#note(untold, keptAfter(untold.crossing, sent)))) this.#sent.delete(nonce);
    return sent;
  }

  async #try(untold: WatchCrossing, nonce: string): Promise<Sent> {
    const { triedAtMs } = untold.crossing;
    if (triedAtMs === undefined && !(await this.#noteTry(untold, 'message'))) return 'failed';
    if (triedAtMs !== undefined && Math.abs(Date.now() - triedAtMs) >= TRIED_FOR_MS) return 'refused';
    return this.#options.send(untold, nonce);
  }

  async #showHeld(to: Use): Promise<void> {
    const isShown = (crossing: Crossing) => isHeld(crossing, Date.now());
    if ((await this.#crossingsOf(to.memberId, isShown)).length === 0) return;
    await this.#claimed(to.memberId, async () => {
      const held = await this.#crossingsOf(to.memberId, isShown); // another command may have shown some
      const byWatch = [...Map.groupBy(held, ({ watch }) => watch.id).values()];
      byWatch.sort((a, b) => Number(isTried(a)) - Number(isTried(b))); // what Discord refuses has to let others go first
      await this.#show(to, byWatch.slice(0, this.#options.mostShown));
    });
  }

  /** Shows the last crossing of each watch. One that Discord refuses is not shown, and keeps the others no longer. */
  async #show(to: Use, byWatch: readonly WatchCrossing[][]): Promise<void> {
    const shown = byWatch.flatMap((crossings) => crossings.slice(-1));
    for (const each of shown) await this.#noteTry(each, 'command');
    const sent = await this.#options.show(to, shown);
    if (sent === 'refused' && shown.length > 1) for (const crossings of byWatch) await this.#show(to, [crossings]);
    if (sent === 'sent') for (const each of byWatch.flat()) await this.#note(each, undefined);
    if (sent === 'unsent') for (const each of shown) await this.#note(each, each.crossing);
  }

  async #crossingsOf(memberId: string, isMeant: (crossing: Crossing) => boolean): Promise<WatchCrossing[]> {
    const watches = (await this.#options.watches.find({ member: memberId })) ?? [];
    const crossings = watches.flatMap((watch) => watch.untold.map((crossing) => ({ watch, crossing })));
    return crossings.filter(({ crossing }) => isMeant(crossing));
  }

  #noteTry(untold: WatchCrossing, tellBy: Crossing['tellBy']): Promise<boolean> {
    return this.#note(untold, { triedAtMs: Date.now(), ...untold.crossing, tellBy });
  }

  /** @returns whether it is stored */
  async #note({ watch, crossing }: WatchCrossing, instead: Crossing | undefined): Promise<boolean> {
    const noted = (current: Watch) => withTold(current, crossing, instead);
    return (await this.#options.watches.change(watch.id, noted)) !== undefined;
  }

  /** Does nothing while another process, or a piece of work here, tells the same member. */
  async #claimed(memberId: string, work: () => Promise<void>): Promise<void> {
    const { claims } = this.#options;
    const name = `watches of ${memberId}`;
    if (this.#isClosed || !isMine(await claims.claim(name, CLAIM))) return;
    await work().finally(() => claims.release(name));
  }
}

/** What is kept of a crossing after a message was sent, or not. */
function keptAfter(crossing: Crossing, sent: Exclude<Sent, 'failed'>): Crossing | undefined {
  switch (sent) {
    case 'sent':
      return undefined;
    case 'unsent':
      return crossing;
    case 'refused':
      return { ...crossing, tellBy: 'command' };
  }
}

function isTried(crossings: readonly WatchCrossing[]): boolean {
  return crossings.at(-1)?.crossing.triedAtMs !== undefined;
}
