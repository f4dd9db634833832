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

/** So many that none comes near the commands that one member may send. */
const MEMBERS: readonly Member[] = Array.from({ length: 1_000 }, (_, index) => ({
  id: String(1_180_000_000_000_100_000n + BigInt(index)),
  name: `Member ${index}`,
  locale: 'en-US',
}));

/** Commands under way together, where speed does not matter. */
export const AT_ONCE = 16;

export interface ContenderOptions {
  /** Source file of the bot, from the folder of the project. */
  script: string;
  /** Over DISCORD_TOKEN and DISCORD_API_URL. */
  env: Record<string, string>;
  /** A folder for what the bot logs. */
  logDir: string;
  /** One of several processes of the same bot. The only one unless given. */
  shard?: { id: number; count: number };
  /** Whether `cpuMs` can be asked. */
  countsCpu?: boolean;
}

const COUNTS_CPU = ['--import', './test/bench/cpu-probe.ts'];

/** A bot in a process of its own, alone in an emulated Discord in this process. */
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
    const discord = await startEmulatedDiscord({ members: MEMBERS, ...(shard && surroundingsOf(shard)) });
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

  /** CPU time that the process took so far, in user and system mode. */
  async cpuMs(): Promise<number> {
    const answered = once(this.#child, 'message');
    this.#child.send('cpu');
    const [usage] = await answered;
    const { user, system }: NodeJS.CpuUsage = usage;
    return (user + system) / 1_000;
  }

  /**
   * Types `/card`; milliseconds from the command written to the gateway to the head of the bot's callback.
   *
   * @throws Error with Discord's words when there is none
   */
  async callbackMs(id: string): Promise<number> {
    const typed = this.#type(id);
    const writtenAtMs = this.discord.gateway.lastEventAtMs;
    const arrived = Promise.withResolvers<number>();
    this.#awaited.set(typed.id, arrived);
    return (await arrived.promise) - writtenAtMs;
  }

  /** Types `/card`; what the chat shows in the end. */
  answered(id: string): Promise<ChatMessage> {
    return this.#type(id).settled(30_000);
  }

  /** Types `/card` `count` times, `atOnce` at a time; resolves when all are called back. */
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

/** A Discord of which this process sees its own shard: one server, whose events that shard gets. */
function surroundingsOf({ id, count }: { id: number; count: number }): EmulatedDiscordOptions {
  return { shards: count, guilds: [{ id: String(BigInt(id + count) << 22n), name: `Server of shard ${id}` }] };
}
