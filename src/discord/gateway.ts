import { setTimeout as sleep } from 'node:timers/promises';
import {
  CloseCodes,
  SimpleShardingStrategy,
  type WebSocketManager,
  type WebSocketShard,
  WebSocketShardDestroyRecovery,
  WebSocketShardEvents,
  WebSocketShardStatus,
} from '@discordjs/ws';
import {
  Client,
  DiscordAPIError,
  DiscordjsError,
  DiscordjsErrorCodes,
  GatewayDispatchEvents,
  Options,
  RateLimitError,
  Routes,
  Status,
} from 'discord.js';
import * as z from 'zod';
import type { Logger } from '../log.ts';
import { isObject } from '../model/card.ts';
import { OperatorError } from '../model/errors.ts';
import type { Events, EventsByName } from '../model/events.ts';
import { type Claims, isMine } from '../model/store/claims.ts';
import { backOffMs, DAY_MS, Timer, withTimeout } from '../time.ts';
import { NO_MENTIONS, restOptions } from './rest/requests.ts';

interface GatewayOptions {
  claims: Pick<Claims, 'claim'>;
  events: Events;
  log: Logger;
}

interface DiscordOptions extends GatewayOptions {
  /** REST base without version, such as `https://discord.com/api`. */
  apiUrl: string;
  /** `auto`, or the shards of this process among all. */
  shards: 'auto' | { ids: readonly number[]; count: number };
}

/**
 * A client with no intents and minimal caches: slash commands need neither. It emits each command, button and menu as
 * `interactionCreate`, which `app.ts` hands to `Interactions`.
 */
export function createClient({ apiUrl, shards, ...options }: DiscordOptions): Client {
  const { log } = options;
  const client = new Client({
    intents: [],
    ...(shards === 'auto' ? { shards } : { shards: [...shards.ids], shardCount: shards.count }),
    allowedMentions: NO_MENTIONS,
    makeCache: Options.cacheWithLimits({
      UserManager: { maxSize: 50, keepOverLimit: (user) => user.id === user.client.user?.id },
      GuildMemberManager: 0,
      MessageManager: 0,
    }),
    ws: { buildStrategy: (manager) => new GatewayShards(manager, options) },
    rest: restOptions(apiUrl, log),
  });
  client.on('raw', makeReadable);
  // Without a permanent listener for `error`, one rejection in any listener ends the process.
  client.on('error', (err) => log.error({ err }, 'discord client error'));
  client.on('warn', (detail) => log.warn({ detail }, 'discord client warning'));
  client.on('shardError', (err, shard) => log.warn({ err, shard }, 'gateway connection error'));
  client.on('shardResume', (shard, replayed) => log.info({ over: DISCORD, shard, replayed }, 'gateway resumed'));
  client.on('shardReady', (shard) => log.info({ over: DISCORD, shard }, 'gateway ready'));
  client.rest.on('invalidRequestWarning', (data) =>
    log.warn(data, 'many invalid requests to discord: it blocks this address after 10,000 in 10 minutes'),
  );
  // Otherwise discord.js holds back every shard's commands until the last one is ready, 5 s after the one before it.
  client.ws.status = Status.Ready;
  return client;
}

/** Discord refuses the bot, and trying again will not help. The message says what to do. */
export class DiscordRefused extends OperatorError {}

const BAD_TOKEN =
  'Discord refuses the bot token. Make a new one in the developer portal (Bot → Reset Token) and put it into DISCORD_TOKEN.';

/** Close codes after which discord.js does not reconnect, and what to do about each. */
const FATAL_CLOSES = new Map([
  [4004, BAD_TOKEN],
  [4010, 'Discord refuses the shard: check DISCORD_SHARDS and DISCORD_SHARD_COUNT.'],
  [4011, 'The bot is in too many servers for one shard: leave DISCORD_SHARDS at auto, or raise DISCORD_SHARD_COUNT.'],
  [4012, 'Discord no longer supports this gateway version: update the bot.'],
  [4013, 'Discord refuses the intents: update the bot.'],
  [4014, 'Discord refuses the intents: update the bot.'],
]);

/** Resolves when Discord closes the gateway for good while the bot runs. */
export function refused(client: Client): Promise<DiscordRefused> {
  return new Promise((resolve) => {
    client.on('shardDisconnect', ({ code }) => {
      const message = FATAL_CLOSES.get(code);
      if (message) resolve(new DiscordRefused(message));
    });
  });
}

/** The fields that discord.js reads without checking; with no shard to start it would wait without end. */
export const GatewayInfo = z.object({
  url: z.url({ protocol: /^wss?$/ }),
  shards: z.int().min(1),
  session_start_limit: z.object({ remaining: z.number(), reset_after: z.number() }),
});
export type GatewayInfo = z.infer<typeof GatewayInfo>;

/** The outage that is over when a shard receives commands. */
const DISCORD = 'discord';
const LOGIN_RETRY = { firstMs: 1_000, longestMs: 60_000 };
/** Longer than any wait Discord is known to state (23 h), and short enough for a timer. */
const LONGEST_LOGIN_WAIT_MS = 7 * DAY_MS;

/**
 * Logs in, and keeps trying while Discord cannot be reached, each time later and no sooner than Discord says:
 * discord.js itself gives up within milliseconds.
 *
 * @throws DiscordRefused when the token is not accepted, and the reason of `signal`
 */
export async function login(
  client: Client,
  { log, ...as }: { token: string; log: Logger; signal: AbortSignal },
): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    const { statedMs = 0, why, err } = await triedLogin(client, as);
    if (why === undefined) return;
    const waitMs = Math.min(Math.max(statedMs, backOffMs(attempt, LOGIN_RETRY)), LONGEST_LOGIN_WAIT_MS);
    log.warn({ err, waitMs, until: new Date(Date.now() + waitMs).toISOString(), outage: DISCORD }, why);
    await sleep(waitMs, undefined, { signal: as.signal });
  }
}

/**
 * Reads how many logins are allowed, which costs one request to Discord: a discord.js client whose login has failed
 * once neither disconnects nor resets properly.
 *
 * @returns `why` it did not succeed, and how long Discord wants to be left alone
 */
async function triedLogin(
  client: Client,
  { token, signal }: { token: string; signal: AbortSignal },
): Promise<{ statedMs?: number; why?: string; err?: unknown }> {
  const { shards } = client.options; // discord.js writes the recommended ones there, once it has logged in
  try {
    const found = await client.rest.setToken(token).get(Routes.gatewayBot(), { signal });
    const { shards: recommended, session_start_limit: limit } = GatewayInfo.parse(found);
    signal.throwIfAborted();
    if (limit.remaining < (Array.isArray(shards) ? shards.length : recommended))
      return { statedMs: limit.reset_after, why: "discord's daily login limit is reached" };
    await client.login(token);
    return {};
  } catch (err) {
    signal.throwIfAborted();
    if (isTokenRefused(err)) throw new DiscordRefused(BAD_TOKEN);
    if (err instanceof RateLimitError)
      return { statedMs: err.retryAfter, why: 'discord asks to wait before logging in' };
    return { why: 'discord cannot be reached: check the connection, and see discordstatus.com', err };
  }
}

function isTokenRefused(error: unknown): boolean {
  if (error instanceof DiscordAPIError) return error.status === 401;
  return error instanceof DiscordjsError && error.code === DiscordjsErrorCodes.TokenInvalid;
}

/** A connection or a RESUME that is accepted and then not answered is abandoned after this; discord.js waits 30 s. */
const SILENCE_MS = 10_000;
/** After this many a new session is started: the address for resumes may be dead, or the session unusable. */
const MAX_RESUMES = 2;
/** A working connection closes in far less. */
const CLOSE_MS = 500;
/** A connection that broke sooner does not show that the gateway has recovered. */
const HELD_MS = 60_000;
/**
 * Discord accepts one identify in 5 s (events/gateway, "Rate Limiting"); the rest is a margin for identifies that
 * overtake each other on their way. An identify counts even if its process is gone.
 */
const IDENTIFY_SLOT = { ttlMs: 5_500, endsWithOwner: false };
const UNREACHABLE = 'gateway cannot be reached: the bot misses commands, and keeps trying; see discordstatus.com';

/** What is known of one shard, and of its connection. */
interface ShardState {
  /** Broken connections in a row. */
  failures: number;
  /** Attempts to resume the session since the last one that succeeded. */
  resumes: number;
  /** Identifies in a row that did not lead to READY. */
  unanswered: number;
  /** `waitMs`: before it is opened. `greeted`: HELLO came, so an identify may have been spent. */
  connection: { is: 'opening'; waitMs: number } | { is: 'greeted' } | { is: 'ready'; sinceMs: number };
}

/**
 * The shards of this process. discord.js by itself tries a gateway that it cannot reach twice a second without end
 * (discordjs/discord.js#9510; #9517 refused an option), identifies anew as often, until Discord resets the token
 * (#8486), waits for the answer to an IDENTIFY but not to a RESUME (#10174), and reconnects after it was destroyed in
 * the middle of connecting.
 */
class GatewayShards extends SimpleShardingStrategy {
  readonly #options: GatewayOptions;
  readonly #states = new Map<number, ShardState>();
  #closing = new AbortController();

  constructor(manager: WebSocketManager, options: GatewayOptions) {
    super(manager);
    this.#options = options;
    const { options: settings } = manager;
    const sessionOf = settings.retrieveSessionInfo;
    settings.retrieveSessionInfo = async (shard) => {
      const isConnecting = this.#shards.get(shard)?.status === WebSocketShardStatus.Idle;
      if (!isConnecting) return sessionOf(shard);
      const { connection, resumes } = this.#state(shard);
      await this.#mayConnect(connection.is === 'opening' ? connection.waitMs : 0);
      const session = resumes < MAX_RESUMES ? await sessionOf(shard) : null;
      this.#update(shard, { resumes: session ? resumes + 1 : resumes });
      this.#endSilent(shard, this.#state(shard));
      return session;
    };
    settings.buildIdentifyThrottler = async () => {
      const { session_start_limit } = await manager.fetchGatewayInformation();
      const { max_concurrency: keys } = session_start_limit;
      return { waitForIdentify: (shard, signal) => this.#waitForIdentify(shard, shard % keys, signal) };
    };
    manager.on(WebSocketShardEvents.Hello, ({ shardId }) => this.#greeted(shardId));
    manager.on(WebSocketShardEvents.Ready, ({ shardId }) => this.#ready(shardId, this.#state(shardId).failures));
    manager.on(WebSocketShardEvents.Resumed, ({ shardId }) => this.#ready(shardId, 0));
    manager.on(WebSocketShardEvents.Closed, ({ code, shardId }) => this.#broke(shardId, code));
  }

  override async spawn(shardIds: number[]): Promise<void> {
    this.#closing = new AbortController();
    for (const shard of shardIds) this.#publish(shard, 'connecting');
    await super.spawn(shardIds);
    for (const shard of this.#shards.values()) endUnansweredResumes(shard, this.#options.log);
  }

  /** Never rejects: a shard that fails keeps trying by itself. */
  override async connect(): Promise<void> {
    await super.connect().catch(() => {});
  }

  /**
   * Opens no further connection. Resolves when those that are open are closed, after 500 ms at most, since it never
   * does for a shard that waits for READY. One that is not open yet is closed once it is, or ends with the process.
   */
  override async destroy(...options: Parameters<SimpleShardingStrategy['destroy']>): Promise<void> {
    this.#closing.abort();
    const open = [...this.#shards.values()].filter(({ id }) => this.#state(id).connection.is !== 'opening');
    await withTimeout(CLOSE_MS, Promise.all(open.map((shard) => shard.destroy(...options))));
  }

  get #isClosed(): boolean {
    return this.#closing.signal.aborted;
  }

  get #shards(): ReadonlyMap<number, WebSocketShard> {
    return (this as unknown as { shards: ReadonlyMap<number, WebSocketShard> }).shards; // private in @discordjs/ws
  }

  #state(shard: number): ShardState {
    const unknown = { failures: 0, resumes: 0, unanswered: 0, connection: { is: 'opening', waitMs: 0 } } as const;
    return this.#states.get(shard) ?? unknown;
  }

  #update(shard: number, more: Partial<ShardState>): void {
    this.#states.set(shard, { ...this.#state(shard), ...more });
  }

  #publish(shard: number, state: EventsByName['gateway']['state']): void {
    this.#options.events.publish('gateway', { shard, state });
  }

  /** Never resolves once destroyed: nothing else keeps a shard from connecting. */
  async #mayConnect(waitMs: number): Promise<void> {
    const { signal } = this.#closing;
    if (waitMs > 0) await sleep(waitMs, undefined, { signal }).catch(() => {});
    if (signal.aborted) await new Promise(() => {});
  }

  /**
   * Breaks a connection that is not greeted in time. Of one that is not open yet discord.js would wait longer, and then
   * hear the error no longer, which would end the process.
   */
  #endSilent(shard: number, opening: ShardState): void {
    const end = () => {
      if (this.#state(shard) !== opening) return;
      // Private in @discordjs/ws.
      const { connection } = this.#shards.get(shard) as unknown as { connection: { terminate(): void } };
      connection.terminate();
    };
    setTimeout(end, SILENCE_MS).unref();
  }

  #greeted(shard: number): void {
    this.#publish(shard, 'connecting');
    this.#update(shard, { connection: { is: 'greeted' } });
    if (this.#isClosed) void this.#shards.get(shard)?.destroy();
  }

  /**
   * Lets one shard of each of Discord's rate limit keys identify at a time. Two of processes that share nothing can
   * still come at once; Discord answers the later one with op 9, and discord.js tries again in half a second, whatever
   * the reason.
   *
   * @throws AbortError when the connection was closed meanwhile: the shard asks again with its next one
   */
  async #waitForIdentify(shard: number, key: number, signal: AbortSignal): Promise<void> {
    const { claims, log } = this.#options;
    const { unanswered: refusals } = this.#state(shard);
    if (refusals > 0) {
      const waitMs = refusedWaitMs(refusals);
      log.info({ shard, refusals, waitMs }, 'identify refused, trying again later');
      await sleep(waitMs, undefined, { signal });
    }
    for (;;) {
      const claimed = await claims.claim(`identify:${key}`, IDENTIFY_SLOT);
      if (isMine(claimed)) break;
      await sleep(claimed.heldForMs, undefined, { signal });
    }
    signal.throwIfAborted();
    this.#update(shard, { unanswered: refusals + 1 });
  }

  #ready(shard: number, failures: number): void {
    this.#publish(shard, 'ready');
    this.#states.set(shard, { failures, resumes: 0, unanswered: 0, connection: { is: 'ready', sinceMs: Date.now() } });
  }

  #broke(shard: number, code: number): void {
    this.#publish(shard, 'closed');
    if (this.#isClosed || FATAL_CLOSES.has(code)) return;
    const { log } = this.#options;
    const { connection, failures: before, unanswered } = this.#state(shard);
    const hasHeld = connection.is === 'ready' && Date.now() - connection.sinceMs >= HELD_MS;
    const failures = hasHeld ? 1 : before + 1;
    const waitMs = reconnectWaitMs(failures, connection.is !== 'opening');
    this.#update(shard, {
      failures,
      // Op 9 closes with 1000. Any other code is a broken connection, whose wait is this one alone.
      unanswered: code === CloseCodes.Normal ? unanswered : 0,
      connection: { is: 'opening', waitMs },
    });
    if (failures === 1) log.info({ shard, code }, 'gateway connection lost, reconnecting');
    else log.warn({ shard, code, failures, waitMs, outage: DISCORD }, UNREACHABLE);
  }
}

/**
 * Closes a connection on which a RESUME has been answered by neither RESUMED nor op 9, nor by a missed event, for
 * `SILENCE_MS`: heartbeats may still be acknowledged there.
 */
function endUnansweredResumes(shard: WebSocketShard, log: Logger): void {
  const isResuming = () => shard.status === WebSocketShardStatus.Resuming;
  const silence = new Timer(() => {
    if (!isResuming()) return;
    log.warn({ shard: shard.id, waitMs: SILENCE_MS }, 'resume was not answered, trying again');
    void shard.destroy({ reason: 'RESUME was not answered', recover: WebSocketShardDestroyRecovery.Resume });
  });
  shard.on(WebSocketShardEvents.Hello, () => silence.set(Date.now() + SILENCE_MS));
  shard.on(WebSocketShardEvents.Dispatch, () => {
    if (isResuming()) silence.set(Date.now() + SILENCE_MS);
  });
}

const FIRST_WAIT_MS = 1_000;
/** A gateway that sends no HELLO costs no identify, and members wait for its return. */
const LONGEST_UNGREETED_MS = 15_000;
/** A whole day of failures then stays under the 1,000 identifies after which Discord resets the token. */
const LONGEST_GREETED_MS = 100_000;
const MOST_JITTER = 0.2;

/**
 * Milliseconds before the next try, on top of the half second that discord.js waits. The first is immediate.
 *
 * @param isGreeted whether the gateway sent HELLO on the connection that broke
 */
export function reconnectWaitMs(failures: number, isGreeted: boolean, random = Math.random()): number {
  if (failures <= 1) return 0;
  const longestMs = isGreeted ? LONGEST_GREETED_MS : LONGEST_UNGREETED_MS;
  return Math.round(backOffMs(failures - 1, { firstMs: FIRST_WAIT_MS, longestMs }) * (1 + MOST_JITTER * random));
}

/** Until the identify that was accepted no longer counts, and the second that Discord's advice begins with. */
const SHORTEST_REFUSED_MS = 6_000;
/** 100 s in the mean: a whole day of refusals stays under the 1,000 identifies after which Discord resets the token. */
const SPREAD = { firstMs: 4_000, longestMs: 188_000 };

/**
 * Milliseconds before the next identify of a shard whose last ones were refused: at random, so that shards that were
 * refused together spread out, and the wider the more often, which suggests more shards.
 */
export function refusedWaitMs(refusals: number, random = Math.random()): number {
  return Math.round(SHORTEST_REFUSED_MS + backOffMs(refusals, SPREAD) * random);
}

/**
 * Makes an interaction readable for discord.js, for which one that it cannot read would end the process. Discord's
 * specification does not require that a message says who used the command which it answers, but discord.js reads that
 * user without checking: such a message then answers nobody. And unless a poll says which channel it is in, discord.js
 * asks the channel itself, which it does not know without intents.
 *
 * @param frame as the gateway sent it; its messages are changed
 */
export function makeReadable({ t, d }: { t?: unknown; d?: unknown }): void {
  if (t !== GatewayDispatchEvents.InteractionCreate || !isObject(d)) return;
  const resolved = isObject(d.data) && isObject(d.data.resolved) ? d.data.resolved.messages : undefined;
  for (const message of [d.message, ...Object.values(resolved ?? {})]) {
    if (!isObject(message)) continue;
    message.interaction_metadata = named(message.interaction_metadata);
    if (isObject(message.poll)) message.poll = { ...message.poll, channel_id: message.channel_id ?? '' };
  }
}

function named(metadata: unknown): object | undefined {
  if (!isObject(metadata) || !isObject(metadata.user)) return undefined;
  return { ...metadata, triggering_interaction_metadata: named(metadata.triggering_interaction_metadata) };
}
