import { setImmediate as nextLoopIteration } from 'node:timers/promises';
import type { Logger } from '../log.ts';
import type { Invocation } from '../model/invocation.ts';
import type { Sent } from '../model/message.ts';
import { type Claims, isMine } from '../model/store/claims.ts';
import { SingleRunner, Timer, withJitter } from '../time.ts';
import { type Crossing, type Watch, type WatchCrossing, type Watches, withTold } from './watches.ts';

interface WatchDeliveryOptions {
  watches: Pick<Watches, 'toTell' | 'untoldOf' | 'change'>;
  /** Learns what other processes have changed. Does not reject. */
  renew(): Promise<void>;
  claims: Claims;
  /** For how long no message to a member will be tried. */
  waitMs(memberId: string): number;
  /**
   * Sends a message. Does not reject. With a nonce that it was given before, nothing is shown twice for some minutes.
   */
  send(crossing: WatchCrossing, nonce: string): Promise<Sent>;
  /** Shows crossings below the answer to a command. Does not reject. */
  show(to: Invocation, held: readonly WatchCrossing[]): Promise<Sent>;
  log: Logger;
}

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
/** One message holds no more, since each has a row of buttons; the others wait for the next command. */
export const MOST_SHOWN = 5;
/** From the first try, less than the few minutes for which Discord knows a nonce. Then a command tells the member. */
const TRIED_FOR_MS = 120_000;

/**
 * Tells members of crossings, whichever process dies when. A crossing is stored before it is told, noted when it is
 * first sent, and removed after it; in between Discord knows a message by its nonce. Those of which no message could be
 * sent are shown with the member's next command: once, or once more and with a word that it may be known, if Discord's
 * answer is lost.
 */
export class WatchDelivery {
  readonly #options: WatchDeliveryOptions;
  readonly #looks = new SingleRunner(() => this.#look().catch((err) => this.#log(err)));
  readonly #timer = new Timer(() => {
    this.#isResting = false;
    this.tell();
  });
  readonly #underWay = new Set<Promise<void>>();
  /** Nonces of messages that were sent, until that is noted. */
  readonly #sent = new Set<string>();
  /** Discord has failed with a message: until the timer, no price that comes makes anybody's be tried. */
  #isResting = false;
  #waitLoggedAtMs = 0;
  #isClosed = false;

  constructor(options: WatchDeliveryOptions) {
    this.#options = options;
  }

  /** Tells what is untold now, and from then on what other processes leave untold. Needs no `this`. */
  readonly tell = (): void => this.#track(this.#looks.run());

  /**
   * A command of a member with an untold crossing was answered. Costs one indexed read when there is nothing to show.
   */
  answered(to: Invocation): void {
    this.#track(this.#showHeld(to).catch((err) => this.#log(err)));
  }

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
    if (this.#isClosed || this.#isResting) return;
    const { watches, waitMs, renew } = this.#options;
    let againMs = withJitter(LOOK_AGAIN_MS, Math.random());
    this.#timer.set(Date.now() + againMs);
    await renew();
    const members = [...watches.toTell].flatMap(([memberId, tellBy]) => (tellBy === 'message' ? memberId : []));
    let failing = 0;
    const sendSome = async () => {
      for (let member = members.pop(); member && failing < MOST_FAILING; member = members.pop()) {
        this.#logWaiting(members.length + 1);
        await nextLoopIteration(); // files answer without letting others run
        const sent = waitMs(member) > 0 ? 'unsent' : await this.#sendTo(member);
        if (sent === 'failed') failing++;
        if (sent === 'unsent') againMs = Math.min(againMs, Math.max(waitMs(member), LEAST_WAIT_MS));
      }
    };
    await Promise.all(Array.from({ length: MESSAGES_AT_ONCE }, sendSome));
    if (this.#isClosed) return;
    this.#isResting = failing > 0;
    this.#timer.set(Date.now() + againMs);
  }

  #logWaiting(members: number): void {
    if (members <= MESSAGES_AT_ONCE || Date.now() - this.#waitLoggedAtMs < LOG_EVERY_MS) return;
    this.#waitLoggedAtMs = Date.now();
    this.#options.log.info({ members }, 'members wait for messages about prices');
  }

  async #sendTo(memberId: string): Promise<Sent> {
    let sent: Sent = 'sent';
    await this.#claimed(memberId, async () => {
      for (const each of await this.#options.watches.untoldOf(memberId)) {
        if (this.#isClosed || sent === 'failed' || sent === 'unsent') return; // Discord takes five in 5 s of one
        if (each.crossing.tellBy === 'message') sent = await this.#send(each);
      }
    });
    return sent;
  }

  async #send(untold: WatchCrossing): Promise<Sent> {
    const { watch, crossing } = untold;
    const nonce = `${watch.id}-${crossing.atMs.toString(36)}`; // of no other crossing; at most 25 characters until 2059
    const sent = this.#sent.has(nonce) ? 'sent' : await this.#try(untold, nonce);
    if (sent === 'failed') return sent;
    if (sent === 'sent') this.#sent.add(nonce);
    const instead = { sent: undefined, refused: { ...crossing, tellBy: 'command' } as const, unsent: crossing }[sent];
    if (await this.#note(untold, instead)) this.#sent.delete(nonce);
    return sent;
  }

  async #try(untold: WatchCrossing, nonce: string): Promise<Sent> {
    const { triedAtMs } = untold.crossing;
    if (triedAtMs !== undefined && Math.abs(Date.now() - triedAtMs) >= TRIED_FOR_MS) return 'refused';
    const noted = await this.#noteTry(untold, 'message');
    if (!noted) return 'failed';
    return isUntold(noted.after, untold) ? this.#options.send(untold, nonce) : 'sent'; // nobody wants it any more
  }

  async #showHeld(to: Invocation): Promise<void> {
    const { memberId } = to.requester;
    const held = async () => forCommands(await this.#options.watches.untoldOf(memberId));
    if ((await held()).length === 0) return;
    // Another command may have shown some.
    await this.#claimed(memberId, async () => this.#show(to, (await held()).slice(0, MOST_SHOWN)));
  }

  /**
   * Shows crossings, but for those whose try cannot be noted: they would be shown again without a word. One that
   * Discord refuses stays untold, and the others are shown without it.
   */
  async #show(to: Invocation, held: readonly WatchCrossing[]): Promise<void> {
    const shown: WatchCrossing[] = [];
    for (const each of held) if (isUntold((await this.#noteTry(each, 'command'))?.after, each)) shown.push(each);
    if (shown.length === 0) return;
    const sent = await this.#options.show(to, shown);
    if (sent === 'refused' && shown.length > 1) for (const each of shown) await this.#show(to, [each]);
    if (sent === 'sent') for (const each of shown) await this.#note(each, undefined);
    if (sent === 'unsent') for (const each of shown) await this.#note(each, each.crossing);
  }

  /** Before it is sent, so that a process which dies leaves word of it. */
  #noteTry(untold: WatchCrossing, tellBy: Crossing['tellBy']) {
    return this.#note(untold, { triedAtMs: Date.now(), ...untold.crossing, tellBy });
  }

  /** @returns `undefined` when it cannot be stored now */
  #note({ watch, crossing }: WatchCrossing, instead: Crossing | undefined) {
    return this.#options.watches.change(watch.id, (current) => withTold(current, crossing, instead));
  }

  /** Does nothing while another process, or a piece of work here, tells the same member. */
  async #claimed(memberId: string, work: () => Promise<void>): Promise<void> {
    const { claims } = this.#options;
    const name = `watches of ${memberId}`;
    if (this.#isClosed || !isMine(await claims.claim(name, CLAIM))) return;
    await work().finally(() => claims.release(name));
  }
}

function isUntold(watch: Watch | undefined, { crossing }: WatchCrossing): boolean {
  return watch?.untold?.atMs === crossing.atMs;
}

/**
 * What a command tells: what no message told, or for as long as one is tried none has left for. What was shown without
 * success is last, so that others go first.
 */
function forCommands(untold: readonly WatchCrossing[]): WatchCrossing[] {
  const held = untold.filter(({ crossing: { tellBy, triedAtMs, atMs } }) => {
    return tellBy === 'command' || (triedAtMs === undefined && Date.now() - atMs >= TRIED_FOR_MS);
  });
  const isTried = ({ crossing }: WatchCrossing) => Number(crossing.triedAtMs !== undefined);
  return held.sort((a, b) => isTried(a) - isTried(b));
}
