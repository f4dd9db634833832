import { Client, type Interaction, Options } from 'discord.js';
import type { Logger } from '../log.ts';
import { NO_MENTIONS } from './replies.ts';

export interface DiscordOptions {
  /** REST base without version, such as `https://discord.com/api`. */
  apiUrl: string;
  log: Logger;
}

/** Interaction traffic makes one request handler per token; the default keeps each for an hour. */
const HANDLER_SWEEP_MS = 120_000;
/** A callback has 3 s, so a request that hangs for longer is lost anyway. */
const REQUEST_TIMEOUT_MS = 5_000;

/** A client with no intents and next to no caches: slash commands need neither. */
export function createClient({ apiUrl, log }: DiscordOptions): Client {
  const client = new Client({
    intents: [],
    shards: 'auto',
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
    rest: {
      api: apiUrl,
      // The default of 50 also counts replies, which Discord exempts: it holds up answers for up to a second.
      globalRequestsPerSecond: Number.POSITIVE_INFINITY,
      handlerSweepInterval: HANDLER_SWEEP_MS,
      timeout: REQUEST_TIMEOUT_MS,
      // These answer 429 with hours to wait, and would be slept through in silence.
      rejectOnRateLimit: ['/gateway/bot', '/applications'],
    },
  });
  logEvents(client, log);
  return client;
}

/** Without a permanent listener for `error` one rejection in any listener ends the process. */
function logEvents(client: Client, log: Logger): void {
  client.on('error', (err) => log.error({ err }, 'discord client error'));
  client.on('warn', (detail) => log.warn({ detail }, 'discord client warning'));
  client.on('shardError', (err, shard) => log.warn({ err, shard }, 'gateway connection error'));
  client.on('shardDisconnect', ({ code }, shard) => log.warn({ code, shard }, 'gateway disconnected'));
  client.on('shardReconnecting', (shard) => log.info({ shard }, 'gateway reconnecting'));
  client.on('shardResume', (shard, replayed) => log.info({ shard, replayed }, 'gateway resumed'));
  client.on('shardReady', (shard) => log.info({ shard }, 'gateway ready'));
  client.rest.on('rateLimited', ({ route, timeToReset, scope }) => {
    log.warn({ route, waitMs: timeToReset, scope }, 'discord asks to wait');
  });
  client.rest.on('invalidRequestWarning', (data) => log.warn(data, 'many invalid requests to discord'));
}

export function onInteraction(client: Client, receive: (interaction: Interaction) => Promise<void>): void {
  client.on('interactionCreate', (interaction) => void receive(interaction));
}
