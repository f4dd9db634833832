import { type BotProcess, spawnBot } from '../support/spawn-bot.ts';

/** A time in which a shard had no process that could have heard of a question. */
export interface Gap {
  process: number;
  signal: 'SIGKILL' | 'SIGTERM';
  /** When it was told to end. */
  fromMs: number;
  /** When it had ended; what it owed then is from here on others' to pay. */
  endedAtMs: number;
  toMs: number;
}

/** The processes of a run by number, each killed and started again as often as it takes. */
export class Bots {
  readonly gaps: Gap[] = [];
  readonly #envs: readonly Record<string, string>[];
  readonly #running: BotProcess[];
  readonly #all: BotProcess[] = [];
  readonly #restarting = new Map<number, Promise<void>>();
  readonly #told = new WeakSet<BotProcess>();
  readonly #endedAlone: string[] = [];

  constructor(envs: readonly Record<string, string>[]) {
    this.#envs = envs;
    this.#running = envs.map((_, process) => this.#start(process));
  }

  /** Resolves when each is connected. */
  async ready(): Promise<void> {
    await Promise.all(this.#running.map((bot) => bot.wrote('gateway ready')));
  }

  /** Ends one and starts it again; while that is under way, nothing more happens to it. Resolves when it is connected. */
  restart(process: number, signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
    const underWay = this.#restarting.get(process) ?? this.#restart(process, signal);
    this.#restarting.set(process, underWay);
    return underWay.finally(() => this.#restarting.delete(process));
  }

  /** Resolves when no restart is under way. */
  async quiet(): Promise<void> {
    await Promise.all(this.#restarting.values());
  }

  async stop(): Promise<void> {
    await this.quiet();
    await Promise.all(this.#running.map((bot) => this.#end(bot, 'SIGTERM')));
  }

  /** What all of them wrote. */
  output(): string {
    return [...this.#endedAlone, ...this.#all.map((bot) => bot.output())].join('\n');
  }

  async #restart(process: number, signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
    const later = Number.POSITIVE_INFINITY;
    const gap = { process, signal, fromMs: Date.now(), endedAtMs: later, toMs: later };
    this.gaps.push(gap);
    const last = this.#running[process];
    if (last) await this.#end(last, signal);
    gap.endedAtMs = Date.now();
    const next = this.#start(process);
    this.#running[process] = next;
    await next.wrote('gateway ready').catch(() => {}); // it ended by itself, which is noted
    gap.toMs = Date.now();
  }

  #start(process: number): BotProcess {
    const bot = spawnBot(this.#envs[process] ?? {});
    this.#all.push(bot);
    void bot.ended.then((end) => {
      if (!this.#told.has(bot)) this.#endedAlone.push(`process ${process} ended by itself with ${end}`);
    });
    return bot;
  }

  async #end(bot: BotProcess, signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
    this.#told.add(bot);
    bot.child.kill(signal);
    await bot.ended;
  }
}
