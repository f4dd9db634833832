import { Client, type Interaction, Options, type RateLimitData, type RESTOptions, Status } from 'discord.js';
import type { Logger } from '../../log.ts';
import { requestWithReadableErrors } from '../rest/error-answers.ts';
import { NO_MENTIONS } from '../rest/mentions.ts';
import { sleepsThrough } from '../rest/rate-limit-patience.ts';
import { type IdentifySlots, IdentifyThrottler } from './identify.ts';
import { GatewayShards } from './shards.ts';

export interface DiscordOptions {
  /** REST base without version, such as `https://discord.com/api`. */
  apiUrl: string;
  /** `auto`, or the shards of this process among all. */
  shards: 'auto' | { ids: readonly number[]; count: number };
  identifySlots: IdentifySlots;
  log: Logger;
}

/** Interaction traffic makes one request handler per token; the default keeps each for an hour. */
const HANDLER_SWEEP_MS = 120_000;
const REQUEST_TIMEOUT_MS = 5_000;
/** A callback that hangs is sent again, and both tries have to fit into the 3 s that Discord gives. */
const CALLBACK_TIMEOUT_MS = 1_200;

/** A client with no intents and next to no caches: slash commands need neither. */
export function createClient({ apiUrl, shards, identifySlots, log }: DiscordOptions): Client {
  const client = new Client({
    intents: [],
    ...(shards === 'auto' ? { shards } : { shards: [...shards.ids], shardCount: shards.count }),
    allowedMentions: NO_MENTIONS,
    makeCache: Options.cacheWithLimits({
      ...Options.DefaultMakeCacheSettings,
      UserManager: { maxSize: 50, keepOverLimit: (user) => user.id === user.client.user?.id },
      GuildMemberManager: 0,
      MessageManager: 0,
      ReactionManager: 0,
      PresenceManager: 0,
      VoiceStateManager: 0,
      ThreadManager: 0,
    }),
    ws: {
      buildStrategy: (manager) => new GatewayShards(manager, log),
      async buildIdentifyThrottler(manager) {
        const { session_start_limit } = await manager.fetchGatewayInformation();
        return new IdentifyThrottler(manager, {
          maxConcurrency: session_start_limit.max_concurrency,
          slots: identifySlots,
          log,
        });
      },
    },
    rest: {
      api: apiUrl,
      // The default of 50 also counts replies, which Discord exempts: it holds up answers for up to a second.
      globalRequestsPerSecond: Number.POSITIVE_INFINITY,
      handlerSweepInterval: HANDLER_SWEEP_MS,
      timeout: REQUEST_TIMEOUT_MS,
      makeRequest,
      rejectOnRateLimit: (limit) => isRefused(limit, log),
    },
  });
  logEvents(client, log);
  // Else discord.js holds back every shard's commands until the last one is ready, and each waits 5 s for its turn.
  client.ws.status = Status.Ready;
  return client;
}

const makeRequest: RESTOptions['makeRequest'] = (url, init) => {
  if (!url.endsWith('/callback')) return requestWithReadableErrors(url, init);
  const signals = [AbortSignal.timeout(CALLBACK_TIMEOUT_MS), ...(init.signal ? [init.signal] : [])];
  return requestWithReadableErrors(url, { ...init, signal: AbortSignal.any(signals) });
};

function isRefused(limit: RateLimitData, log: Logger): boolean {
  const { route, scope, retryAfter, timeToReset } = limit;
  log.warn({ route, scope, waitMs: Math.max(retryAfter, timeToReset) }, 'discord asks to wait');
  return !sleepsThrough(limit);
}

/** Without a permanent listener for `error` one rejection in any listener ends the process. */
function logEvents(client: Client, log: Logger): void {
  client.on('error', (err) => log.error({ err }, 'discord client error'));
  client.on('warn', (detail) => log.warn({ detail }, 'discord client warning'));
  client.on('shardError', (err, shard) => log.warn({ err, shard }, 'gateway connection error'));
  client.on('shardDisconnect', ({ code }, shard) => log.warn({ code, shard }, 'gateway disconnected'));
  client.on('shardResume', (shard, replayed) => log.info({ shard, replayed }, 'gateway resumed'));
  client.on('shardReady', (shard) => log.info({ shard }, 'gateway ready'));
  client.rest.on('invalidRequestWarning', (data) => log.warn(data, 'many invalid requests to discord'));
}

export function onInteraction(client: Client, receive: (interaction: Interaction) => Promise<void>): void {
  client.on('interactionCreate', (interaction) => void receive(interaction));
}
