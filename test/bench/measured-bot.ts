import { join } from 'node:path';
import type { APIEmbed } from 'discord-api-types/v10';
import packageJson from '../../package.json' with { type: 'json' };
import type { ChatMessage, Member } from '../../sandbox/discord/chat.ts';
import type { EmulatedDiscord } from '../../sandbox/discord/emulated-discord.ts';
import { botEnvironment, PATIENT, serverOfShard, startDiscord } from '../support/backends.ts';
import { type BotProcess, startProgram } from '../support/bot-process.ts';
import { isFinal } from '../support/final-answers.ts';
import { onFinished } from '../support/on-finished.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { concurrently } from './concurrently.ts';

/** So many that no member comes near the limit of commands per member. */
export const MEMBERS: readonly Member[] = Array.from({ length: 1_000 }, (_, index) => ({
  id: String(1_180_000_000_000_100_000n + BigInt(index)),
  name: `Member ${index}`,
  locale: 'en-US',
}));

/** Concurrent commands where speed does not matter. */
export const AT_ONCE = 16;

/** What `npm start` sets. */
const NODE_OPTIONS = /NODE_OPTIONS="(\S+)/.exec(packageJson.scripts.start)?.[1] ?? '';

/** Only a hang takes longer, even on a busy machine. */
const PATIENCE_MS = 300_000;

export interface BotOptions {
  serviceUrl: string;
  /** Default: an empty one. */
  dataDir?: string;
  /** In addition to those that point the bot at its servers. */
  env?: Record<string, string>;
  /** For one of several processes of the same bot, over `discordFor(count)`. Default: the only one. */
  shard?: { id: number; count: number; discord: EmulatedDiscord };
}

/** What is late on a busy machine is measured, and does not end the run. */
export function discordFor(shards: number): Promise<EmulatedDiscord> {
  const guilds = Array.from({ length: shards }, (_, id) => serverOfShard(id));
  return startDiscord({ members: MEMBERS, lifetimes: PATIENT, ...(shards > 1 && { shards, guilds }) });
}

/** A bot in its own process, connected to an emulated Discord in this process; both end with the scope. */
export class MeasuredBot {
  readonly discord: EmulatedDiscord;
  /** From the start of the process until it was connected. */
  readonly readyMs: number;
  readonly #process: BotProcess;
  /** Whose members type; any server of the only process. */
  readonly #guildId: string | undefined;
  readonly #awaited = new Map<string, PromiseWithResolvers<number>>();
  #typed = 0;

  private constructor(discord: EmulatedDiscord, process: BotProcess, readyMs: number, guildId?: string) {
    this.discord = discord;
    this.readyMs = readyMs;
    this.#process = process;
    this.#guildId = guildId;
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

  /** The bot as `npm start` runs it, without `.env`. Resolves when it is connected. @throws Error when it ends before */
  static start(options: BotOptions): Promise<MeasuredBot> {
    return MeasuredBot.#start('src/main.ts', { ...options, env: { NODE_OPTIONS, ...options.env } });
  }

  /** A discord.js bot that answers every command with this embed, as a chat showed it. */
  static startConstant(shown: APIEmbed | undefined): Promise<MeasuredBot> {
    const image = shown?.image && { url: shown.image.url }; // without the `proxy_url` that Discord adds
    const embed: APIEmbed = { ...shown, ...(image && { image }) };
    return MeasuredBot.#start('test/bench/constant-bot.mjs', { serviceUrl: '', env: { EMBED: JSON.stringify(embed) } });
  }

  static async #start(script: string, { serviceUrl, env, shard, ...files }: BotOptions): Promise<MeasuredBot> {
    const { dataDir = temporaryFolder('bench') } = files;
    const guildId = shard && shard.count > 1 ? serverOfShard(shard.id).id : undefined;
    const discord = shard?.discord ?? (await discordFor(1));
    // Its log goes to a file, because reading a pipe would cost this process time.
    const toFile = ['sh', '-c', `exec "$0" "$@" >>'${join(dataDir, 'bot.log')}' 2>&1`];
    const startedAtMs = performance.now();
    const bot = startProgram([...toFile, process.execPath, script], {
      env: {
        ...botEnvironment(discord, { url: serviceUrl }, dataDir),
        ...(shard && { DISCORD_SHARDS: String(shard.id), DISCORD_SHARD_COUNT: String(shard.count) }),
        ...env,
      },
    });
    onFinished(() => ended(bot));
    const failed = bot.ended.then((end) => Promise.reject(new Error(`${script} ended with ${end}`)));
    failed.catch(() => {}); // it ends in the end
    await Promise.race([discord.gateway.whenReady(), failed]);
    return new MeasuredBot(discord, bot, performance.now() - startedAtMs, guildId);
  }

  get pid(): number {
    return this.#process.child.pid ?? 0;
  }

  /** As an operator does. */
  async stop(): Promise<void> {
    await ended(this.#process);
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

  /** Types `/card`. Resolves to the answer in the chat, when nothing more will follow. */
  answered(id: string): Promise<ChatMessage> {
    return this.#type(id).until((message) => isFinal(message) || message.state === 'failed', PATIENCE_MS);
  }

  /** Types `/card` `count` times; resolves when all have their callback. */
  load(ids: Iterator<string, never>, count: number, atOnce = AT_ONCE): Promise<void> {
    return concurrently(Array(count).keys(), atOnce, () => this.callbackMs(ids.next().value));
  }

  #type(id: string) {
    const member = MEMBERS[this.#typed++ % MEMBERS.length];
    return this.discord.type({
      ...{ command: 'card', options: { id } },
      ...(member && { memberId: member.id }),
      ...(this.#guildId !== undefined && { guildId: this.#guildId }),
    });
  }
}

async function ended({ child, ended }: BotProcess): Promise<void> {
  child.kill();
  await ended;
}
