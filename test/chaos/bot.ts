import { type BotProcess, startBotProcess } from '../support/bot-process.ts';

/** A time in which there was no bot that could receive commands. */
export interface Gap {
  signal: 'SIGKILL' | 'SIGTERM';
  fromMs: number;
  toMs: number;
}

/** A bot that is ended and started again. */
export class Bot {
  readonly gaps: Gap[] = [];
  readonly #env: Record<string, string>;
  readonly #all: BotProcess[] = [];
  readonly #unexpectedEnds: string[] = [];
  #running: BotProcess;
  #restarting: Promise<void> | undefined;

  constructor(env: Record<string, string>) {
    this.#env = env;
    this.#running = this.#start();
  }

  /** Resolves when it is connected. */
  ready(): Promise<void> {
    return this.#running.wrote('gateway ready');
  }

  /** A call during a restart joins it. Resolves when the bot is connected. */
  restart(signal: Gap['signal']): Promise<void> {
    this.#restarting ??= this.#restart(signal).finally(() => {
      this.#restarting = undefined;
    });
    return this.#restarting;
  }

  /** Resolves when no restart is under way. */
  async quiet(): Promise<void> {
    await this.#restarting;
  }

  async stop(): Promise<void> {
    await this.quiet();
    await this.#end('SIGTERM');
  }

  /** Of all processes so far. */
  output(): string {
    return [...this.#unexpectedEnds, ...this.#all.map((bot) => bot.output())].join('\n');
  }

  async #restart(signal: Gap['signal']): Promise<void> {
    const gap: Gap = { signal, fromMs: Date.now(), toMs: Number.POSITIVE_INFINITY };
    this.gaps.push(gap);
    await this.#end(signal);
    this.#running = this.#start();
    await this.ready().catch(() => {}); // it ended unexpectedly, which is recorded
    gap.toMs = Date.now();
  }

  #start(): BotProcess {
    const bot = startBotProcess(this.#env);
    this.#all.push(bot);
    void bot.ended.then((end) => {
      if (!bot.child.killed) this.#unexpectedEnds.push(`the bot ended unexpectedly with ${end}`);
    });
    return bot;
  }

  async #end(signal: Gap['signal']): Promise<void> {
    this.#running.child.kill(signal);
    await this.#running.ended;
  }
}
