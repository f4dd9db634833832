import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { openSync } from 'node:fs';
import { join } from 'node:path';
import type { ChatMessage, Member } from '../../src/sandbox/discord/chat.ts';
import {
  type EmulatedDiscord,
  type EmulatedDiscordOptions,
  startEmulatedDiscord,
} from '../../src/sandbox/discord/emulated-discord.ts';
import { registerCommands } from '../../src/sandbox/sandbox.ts';

/** So many that no member comes near the limit of commands per member. */
export const MEMBERS: readonly Member[] = Array.from({ length: 1_000 }, (_, index) => ({
  id: String(1_180_000_000_000_100_000n + BigInt(index)),
  name: `Member ${index}`,
  locale: 'en-US',
}));

/** Concurrent commands where speed does not matter. */
export const AT_ONCE = 16;

export interface ContenderOptions {
  /** Source file of the bot, relative to the project. */
  script: string;
  /** In addition to DISCORD_TOKEN and DISCORD_API_URL. */
  env: Record<string, string>;
  /** The folder for the bot's log. */
  logDir: string;
  /** For one of several processes of the same bot. Default: the only one. */
  shard?: { id: number; count: number };
  /** Whether `cpuMs` is available. */
  countsCpu?: boolean;
}

const COUNTS_CPU = ['--import', './test/bench/cpu-probe.ts'];

/** A bot in its own process, connected to an emulated Discord in this process. */
export class Contender {
  readonly discord: EmulatedDiscord;
  readonly #child: ChildProcess;
  readonly #awaited = new Map<string, PromiseWithResolvers<number>>();
  #typed = 0;

  private constructor(discord: EmulatedDiscord, child: ChildProcess) {
    this.discord = discord;
    this.#child = child;
    discord.onRequest(({ method, path, arrivedAtMs }) => {
      if (method !== 'POST') return;
      const id = path.split('/').at(-3) ?? '';
      this.#awaited.get(id)?.resolve(arrivedAtMs);
      this.#awaited.delete(id);
    });
    discord.onMessage(({ interactionId, failure }) => {
      if (failure) this.#awaited.get(interactionId)?.reject(new Error(failure));
    });
  }

  /** Resolves when the bot is connected. @throws Error when it ends before */
  static async start({ script, env, logDir, shard, countsCpu = false }: ContenderOptions): Promise<Contender> {
    const discord = await startEmulatedDiscord({ members: MEMBERS, ...(shard && discordOptionsOf(shard)) });
    await registerCommands(discord);
    const output = openSync(join(logDir, 'bots.log'), 'a');
    const child = spawn(process.execPath, [...(countsCpu ? COUNTS_CPU : []), script], {
      env: {
        DISCORD_TOKEN: discord.botToken,
        DISCORD_API_URL: discord.apiUrl,
        ...(shard && { DISCORD_SHARDS: String(shard.id), DISCORD_SHARD_COUNT: String(shard.count) }),
        ...env,
      },
      stdio: ['ignore', output, output, ...(countsCpu ? ['ipc' as const] : [])],
    });
    const ended = once(child, 'exit').then(([code]) => {
      throw new Error(`${script} ended with ${code} before it was connected`);
    });
    await Promise.race([discord.gateway.whenReady(), ended]);
    ended.catch(() => {});
    return new Contender(discord, child);
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  /** CPU time of the process so far, in user and system mode. */
  async cpuMs(): Promise<number> {
    const answered = once(this.#child, 'message');
    this.#child.send('cpu');
    const [usage] = await answered;
    const { user, system }: NodeJS.CpuUsage = usage;
    return (user + system) / 1_000;
  }

  /**
   * Types `/card`.
   *
   * @returns milliseconds from writing the command to the gateway until the head of the bot's callback arrives
   * @throws Error with Discord's sentence when there is no callback
   */
  async callbackMs(id: string): Promise<number> {
    const typed = this.#type(id);
    const writtenAtMs = this.discord.gateway.lastEventAtMs;
    const arrived = Promise.withResolvers<number>();
    this.#awaited.set(typed.id, arrived);
    return (await arrived.promise) - writtenAtMs;
  }

  /** Types into the option `id` of `/card`. @returns as `callbackMs`, until the suggestions are here */
  async suggestionsMs(text: string, memberId?: string): Promise<number> {
    const choices = this.discord.complete({
      ...{ command: 'card', options: { id: text }, focused: 'id' },
      ...(memberId !== undefined && { memberId }),
    });
    const writtenAtMs = this.discord.gateway.lastEventAtMs;
    await choices;
    return performance.now() - writtenAtMs;
  }

  /** Types `/card`. Resolves to the answer in the chat. */
  answered(id: string): Promise<ChatMessage> {
    return this.#type(id).settled(30_000);
  }

  /** Types `/card` `count` times, `atOnce` at a time; resolves when all have their callback. */
  async load(ids: Iterator<string, never>, count: number, atOnce = AT_ONCE): Promise<void> {
    let left = count;
    const inSequence = async () => {
      while (left-- > 0) await this.callbackMs(ids.next().value);
    };
    await Promise.all(Array.from({ length: atOnce }, inSequence));
  }

  async stop(): Promise<void> {
    const exited = once(this.#child, 'exit');
    if (this.#child.exitCode === null && this.#child.kill()) await exited;
    await this.discord.close();
  }

  #type(id: string) {
    const member = MEMBERS[this.#typed++ % MEMBERS.length];
    return this.discord.type({ command: 'card', options: { id }, ...(member && { memberId: member.id }) });
  }
}

/** Discord as seen by one shard: a single server whose events go to that shard. */
function discordOptionsOf({ id, count }: { id: number; count: number }): EmulatedDiscordOptions {
  return { shards: count, guilds: [{ id: String(BigInt(id + count) << 22n), name: `Server of shard ${id}` }] };
}
