import { cp, mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type BotProcess, type LogLine, runBot } from './bot-process.ts';
import { freePort } from './listen.ts';
import { Listeners } from './listeners.ts';
import { redisServerBinary } from './redis-binary.ts';
import { type RedisProcess, runRedis } from './redis-process.ts';

export type BotState = 'stopped' | 'starting' | 'running';

/** The bots and their Redis, as the page shows them. */
export interface ShownBots {
  bots: readonly { number: number; state: BotState }[];
  /** One was refused with its key and has not been answered since: when it asks again, 0 if its log does not say. */
  keyTriedAtMs: number | undefined;
  /** `absent`: there is none on this machine. `unused`: one bot alone keeps its state in files. */
  redis: 'absent' | 'unused' | 'connected' | 'cut off';
}

export interface BotsOptions {
  /** Variables of every bot, without `DATA_DIR`. */
  env: Record<string, string>;
  /** The data of a bot at its first start; it is copied. */
  pristineDir: string;
  /** For the data of bots and Redis. */
  folder: string;
  /** Called with each line of their logs, and the number of the bot. */
  onLine(line: LogLine, text: string, number: number): void;
}

interface Slot {
  process?: BotProcess | undefined;
  /** Requests rest until then, as its log says; `undefined` when they flow. */
  rest: { reason: string; untilMs: number } | undefined;
}

/** The bots of the sandbox, one or two, each in a process of its own. Two share a Redis. */
export class Bots {
  readonly #options: BotsOptions;
  readonly #changes = new Listeners();
  readonly onChange = this.#changes.add;
  #slots: Slot[] = [];
  #last: Promise<void> = Promise.resolve();
  #redis: { process: RedisProcess; url: string; isCut: boolean } | undefined;

  constructor(options: BotsOptions) {
    this.#options = options;
  }

  get shown(): ShownBots {
    const state = ({ process }: Slot) => (process ? (process.isReady ? 'running' : 'starting') : 'stopped');
    const refused = this.#slots.find(({ rest }) => rest?.reason === 'key')?.rest;
    const ofRedis = this.#redis ? (this.#redis.isCut ? 'cut off' : 'connected') : 'unused';
    return {
      bots: this.#slots.map((slot, index) => ({ number: index + 1, state: state(slot) })),
      keyTriedAtMs: refused && (refused.untilMs > Date.now() ? refused.untilMs : 0),
      redis: redisServerBinary() === undefined ? 'absent' : ofRedis,
    };
  }

  /** One bot runs, with its state in files, and may send requests. */
  get isAsAtStart(): boolean {
    const [first, second] = this.#slots;
    return first?.process?.isReady === true && second === undefined && (first.rest?.untilMs ?? 0) < Date.now();
  }

  /** Starts one bot on pristine data, after whatever ran before is gone. Resolves when it is connected. */
  reset(): Promise<void> {
    return this.#inTurn(async () => {
      await this.#endAll('SIGKILL');
      this.#slots = [{ rest: undefined }];
      await this.#copyData(1);
      await this.start(1);
    });
  }

  /** Resolves when it is connected, or has ended. Without effect while it runs. */
  async start(number: number): Promise<void> {
    const slot = this.#slot(number);
    slot.process ??= this.#run(number, slot);
    this.#changes.tell();
    await slot.process.ready;
    this.#changes.tell();
  }

  /** Without warning: what it had in memory is lost. */
  async kill(number: number): Promise<void> {
    await this.#end(this.#slot(number), 'SIGKILL');
  }

  /** Starts a Redis, the first bot again with that and with the first of two shards, and a second bot with the other. */
  addSecond(): Promise<void> {
    return this.#inTurn(async () => {
      const [first, second] = this.#slots;
      if (first === undefined || second !== undefined) throw new Error('There are two bots already.');
      await this.#startRedis();
      this.#slots = [first, { rest: undefined }];
      await Promise.all([this.#end(first, 'SIGTERM'), this.#copyData(2)]);
      await Promise.all([this.start(1), this.start(2)]);
    });
  }

  /** Redis keeps its connections and answers nothing, until it is cut off no longer. */
  cutOffRedis(isCut: boolean): void {
    if (!this.#redis) throw new Error('There is no Redis yet: add a second bot first.');
    this.#redis.process.signal(isCut ? 'SIGSTOP' : 'SIGCONT');
    this.#redis.isCut = isCut;
    this.#changes.tell();
  }

  /** Kills everything; with SIGTERM the bots answer first what is under way. */
  close(signal: 'SIGKILL' | 'SIGTERM' = 'SIGKILL'): Promise<void> {
    return this.#inTurn(() => this.#endAll(signal));
  }

  /** What changes which bots there are waits for what does already. */
  #inTurn(work: () => Promise<void>): Promise<void> {
    const done = this.#last.then(work);
    this.#last = done.catch(() => {});
    return done;
  }

  async #endAll(signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
    const slots = this.#slots;
    this.#slots = [];
    await Promise.all(slots.map((slot) => this.#end(slot, signal)));
    await this.#redis?.process.kill();
    this.#redis = undefined;
  }

  #slot(number: number): Slot {
    const slot = this.#slots[number - 1];
    if (!slot) throw new Error(`There is no bot ${number}.`);
    return slot;
  }

  #run(number: number, slot: Slot): BotProcess {
    const { env, onLine } = this.#options;
    const shared = this.#redis && {
      REDIS_URL: this.#redis.url,
      DISCORD_SHARDS: String(number - 1),
      DISCORD_SHARD_COUNT: '2',
    };
    slot.rest = undefined;
    const process = runBot({ ...env, ...shared, DATA_DIR: this.#dataDir(number) }, (line, text) => {
      slot.rest = restAfter(line, slot.rest);
      onLine(line, text, number);
      this.#changes.tell();
    });
    void process.ended.then(() => {
      if (slot.process === process) slot.process = undefined;
      this.#changes.tell();
    });
    return process;
  }

  async #end(slot: Slot, signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
    slot.process?.signal(signal);
    await slot.process?.ended;
  }

  async #copyData(number: number): Promise<void> {
    await rm(this.#dataDir(number), { recursive: true, force: true });
    await cp(this.#options.pristineDir, this.#dataDir(number), { recursive: true });
  }

  #dataDir(number: number): string {
    return join(this.#options.folder, `bot-${number}`);
  }

  async #startRedis(): Promise<void> {
    const binary = redisServerBinary();
    if (binary === undefined) throw new Error('There is no redis-server or valkey-server on this machine.');
    const dir = join(this.#options.folder, 'redis');
    await rm(dir, { recursive: true, force: true });
    await mkdir(dir);
    const port = await freePort();
    const settings = { dir, bind: '127.0.0.1', port: String(port), save: '', appendonly: 'yes' };
    this.#redis = { process: await runRedis(binary, settings), url: `redis://127.0.0.1:${port}`, isCut: false };
  }
}

/** Why and until when requests rest after a line of the log, which may say nothing of that. */
function restAfter({ msg, reason, until }: LogLine, before: Slot['rest']): Slot['rest'] {
  if (msg === 'requests are sent again') return undefined;
  return typeof reason === 'string' && typeof until === 'string' ? { reason, untilMs: Date.parse(until) } : before;
}
