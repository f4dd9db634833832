import { type BotProcess, startBotProcess } from '../support/bot-process.ts';
import type { Trouble } from './outcome.ts';

/** The processes of a run by number, each of which can be killed and started again. */
export class Bots {
  /** When a shard had no process that could receive commands. */
  readonly troubles: Trouble[] = [];
  readonly #envs: readonly Record<string, string>[];
  readonly #running: BotProcess[];
  readonly #all: BotProcess[] = [];
  readonly #restarting = new Map<number, Promise<void>>();
  readonly #signalled = new WeakSet<BotProcess>();
  readonly #unexpectedEnds: string[] = [];

  constructor(envs: readonly Record<string, string>[]) {
    this.#envs = envs;
    this.#running = envs.map((_, process) => this.#start(process));
  }

  /** Resolves when all are connected. */
  async ready(): Promise<void> {
    await Promise.all(this.#running.map((bot) => bot.wrote('gateway ready')));
  }

  /** Ends a process and starts it again; a call during a restart joins it. Resolves when the process is connected. */
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

  /** The output of all processes so far. */
  output(): string {
    return [...this.#unexpectedEnds, ...this.#all.map((bot) => bot.output())].join('\n');
  }

  async #restart(process: number, signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
    const gap: Trouble = {
      ...{ what: 'process', process, how: signal },
      ...{ fromMs: Date.now(), toMs: Number.POSITIVE_INFINITY },
    };
    this.troubles.push(gap);
    const last = this.#running[process];
    if (last) await this.#end(last, signal);
    const next = this.#start(process);
    this.#running[process] = next;
    await next.wrote('gateway ready').catch(() => {}); // it ended unexpectedly, which is recorded
    gap.toMs = Date.now();
  }

  #start(process: number): BotProcess {
    const bot = startBotProcess(this.#envs[process] ?? {});
    this.#all.push(bot);
    void bot.ended.then((end) => {
      if (!this.#signalled.has(bot)) this.#unexpectedEnds.push(`process ${process} ended unexpectedly with ${end}`);
    });
    return bot;
  }

  async #end(bot: BotProcess, signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
    this.#signalled.add(bot);
    bot.child.kill(signal);
    await bot.ended;
  }
}
