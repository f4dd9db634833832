import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Member } from '../../../src/sandbox/discord/chat.ts';
import { type EmulatedDiscord, startEmulatedDiscord } from '../../../src/sandbox/discord/emulated-discord.ts';
import { SANDBOX_API_KEY } from '../../../src/sandbox/embedded-card-service.ts';
import { registerCommands } from '../../../src/sandbox/sandbox.ts';
import { residentMegabytes } from '../process-memory.ts';
import type { Measure, MeasureRequest } from './measure.ts';

/** The probe uses experimental APIs, the bot does not, so the warnings are disabled. */
const PROBED = ['--disable-warning=ExperimentalWarning', '--import', './test/bench/load/probe.ts'];

export interface ProbedBotOptions {
  serviceUrl: string;
  /** Number of members that type. */
  members: number;
  env?: Record<string, string>;
  /** Runs before the bot starts. */
  prepare?: (dataDir: string) => Promise<void>;
}

/** The bot as `npm start` runs it, with a probe in its process, connected to an emulated Discord in this one. */
export class ProbedBot {
  readonly discord: EmulatedDiscord;
  readonly members: readonly Member[];
  /** The bot's `DATA_DIR`. */
  readonly dataDir: string;
  readonly #child: ChildProcess;

  private constructor(discord: EmulatedDiscord, dataDir: string, child: ChildProcess) {
    this.discord = discord;
    this.members = discord.members;
    this.dataDir = dataDir;
    this.#child = child;
  }

  /** Resolves when the bot is connected. @throws Error when it ends before */
  static async start({ serviceUrl, members, env, prepare }: ProbedBotOptions): Promise<ProbedBot> {
    const dataDir = mkdtempSync(join(tmpdir(), 'cardbot-load-'));
    await prepare?.(dataDir);
    const discord = await startEmulatedDiscord({
      members: Array.from({ length: members }, (_, index) => member(index)),
    });
    await registerCommands(discord);
    const output = openSync(join(dataDir, 'bot.log'), 'a');
    const child = spawn(process.execPath, [...PROBED, 'src/main.ts'], {
      env: {
        DISCORD_TOKEN: discord.botToken,
        DISCORD_API_URL: discord.apiUrl,
        CARD_SERVICE_URL: serviceUrl,
        CARD_SERVICE_API_KEY: SANDBOX_API_KEY,
        DATA_DIR: dataDir,
        ...env,
      },
      stdio: ['ignore', output, output, 'ipc'],
    });
    const bot = new ProbedBot(discord, dataDir, child);
    const ended = once(child, 'exit').then(([code]) => {
      throw new Error(`the bot ended with ${code} before it was connected:\n${bot.log()}`);
    });
    await Promise.race([discord.gateway.whenReady(), ended]);
    ended.catch(() => {});
    return bot;
  }

  /** @throws Error when the bot has ended */
  async ask(request: MeasureRequest): Promise<Measure> {
    if (!this.isAlive) throw new Error(`the bot has ended:\n${this.log().slice(-2_000)}`);
    const answered = once(this.#child, 'message');
    this.#child.send(request);
    const [measure] = await answered;
    return measure;
  }

  get isAlive(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }

  get residentMegabytes(): number {
    return residentMegabytes(this.#child.pid ?? 0);
  }

  /** Its output so far. */
  log(): string {
    return readFileSync(join(this.dataDir, 'bot.log'), 'utf8');
  }

  /** Log lines of a crash, an unhandled rejection or a warning of the runtime. */
  alarms(): string[] {
    return this.log()
      .split('\n')
      .filter((line) => line !== '' && (!line.startsWith('{') || line.startsWith('{"level":"fatal"')));
  }

  /** Row count of a table. Only after the bot has ended, because it locks its files. */
  rows(table: 'cards' | 'deferred_replies'): number {
    const file = table === 'cards' ? 'cards.sqlite' : 'state.sqlite';
    const database = new DatabaseSync(join(this.dataDir, file), { readOnly: true });
    const found = database.prepare(`SELECT count(*) AS rows FROM ${table}`).get();
    database.close();
    return Number(found?.rows);
  }

  /** Ends the bot with SIGTERM; its files and log remain. */
  async end(): Promise<void> {
    const exited = once(this.#child, 'exit');
    if (this.isAlive && this.#child.kill()) await exited;
  }

  async stop(): Promise<void> {
    await this.end();
    await this.discord.close();
    rmSync(this.dataDir, { recursive: true });
  }
}

function member(index: number): Member {
  return { id: String(1_180_000_000_000_100_000n + BigInt(index)), name: `Member ${index}`, locale: 'en-US' };
}
