import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, rm } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { Listeners } from './listeners.ts';
import { unlessMalformed } from './transport.ts';

const END_WITH_PARENT = new URL('./end-with-parent.ts', import.meta.url).href;
const MAIN = fileURLToPath(new URL('../src/main.ts', import.meta.url));

/** One line of the bot's log. */
export type LogLine = Record<string, unknown> & { level: string; msg: string };

/** The bot, as the page shows it. */
interface ShownBot {
  state: 'stopped' | 'starting' | 'running';
  /** It was refused with its key and has not been answered since: when it asks again, 0 if its log does not say. */
  keyTriedAtMs: number | undefined;
}

interface BotOptions {
  /** Its variables, without `DATA_DIR`. */
  env: Record<string, string>;
  /** Its data at the first start; they are copied. */
  pristineDir: string;
  /** For its data. */
  dataDir: string;
  /** Called with every line of its log, parsed and as it was written. */
  onLine(line: LogLine, text: string): void;
}

interface Running {
  child: ChildProcess;
  /** Resolves when it is connected to Discord, or has ended. */
  ready: Promise<unknown>;
  /** Resolves when it has ended, for whatever reason, and its log is read. */
  ended: Promise<void>;
}

/** The unmodified bot, in a process of its own that ends with this one. */
export class Bot {
  readonly #options: BotOptions;
  readonly #changes = new Listeners();
  readonly onChange = this.#changes.add;
  #running: Running | undefined;
  #state: ShownBot['state'] = 'stopped';
  /** When it asks again with a key that was refused, as its log says. */
  #keyTriedAtMs: number | undefined;

  constructor(options: BotOptions) {
    this.#options = options;
  }

  get shown(): ShownBot {
    const untilMs = this.#keyTriedAtMs;
    return { state: this.#state, keyTriedAtMs: untilMs && (untilMs > Date.now() ? untilMs : 0) };
  }

  /** Starts it on pristine data. Resolves when it is connected. */
  async reset(): Promise<void> {
    const { dataDir, pristineDir } = this.#options;
    await this.end('SIGKILL');
    await rm(dataDir, { recursive: true, force: true });
    await cp(pristineDir, dataDir, { recursive: true });
    await this.start();
  }

  /** Resolves when it is connected, or has ended. Without effect while it runs. */
  async start(): Promise<void> {
    this.#running ??= this.#run();
    await this.#running.ready;
  }

  /** With SIGKILL without warning: what it had in memory is lost. With SIGTERM it answers first what is under way. */
  async end(signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
    this.#running?.child.kill(signal);
    await this.#running?.ended;
  }

  #run(): Running {
    const { PATH, NODE_COMPILE_CACHE } = process.env;
    const { env, dataDir } = this.#options;
    const child = spawn(process.execPath, ['--import', END_WITH_PARENT, MAIN], {
      env: { PATH, NODE_COMPILE_CACHE, ...env, DATA_DIR: dataDir },
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    const connected = Promise.withResolvers<void>();
    this.#keyTriedAtMs = undefined;
    this.#become('starting');
    createInterface(child.stdout as Readable).on('line', (text) => {
      // Not everything that a process writes is a line of the log
      const line: LogLine = unlessMalformed(() => JSON.parse(text)) ?? { level: 'info', msg: text };
      const { msg, reason, until } = line;
      if (msg === 'gateway ready') this.#state = 'running';
      if (msg === 'requests are sent again') this.#keyTriedAtMs = undefined;
      else if (reason === 'key' && typeof until === 'string') this.#keyTriedAtMs = Date.parse(until);
      this.#changes.tell();
      this.#options.onLine(line, text);
      if (msg === 'gateway ready') connected.resolve();
    });
    const ended = once(child, 'close').then(() => {
      this.#running = undefined;
      this.#become('stopped');
    });
    return { child, ready: Promise.race([connected.promise, ended]), ended };
  }

  #become(state: ShownBot['state']): void {
    this.#state = state;
    this.#changes.tell();
  }
}
