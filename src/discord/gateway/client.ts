import { Client, Options, Status } from 'discord.js';
import type { Logger } from '../../log.ts';
import type { Claims } from '../../model/claims.ts';
import type { Events } from '../../model/events.ts';
import { NO_MENTIONS, restOptions } from '../rest/requests.ts';
import { IdentifyThrottler } from './identify.ts';
import { DISCORD } from './reconnect.ts';
import { GatewayShards } from './shards.ts';

export interface DiscordOptions {
  /** REST base without version, such as `https://discord.com/api`. */
  apiUrl: string;
  /** `auto`, or the shards of this process among all. */
  shards: 'auto' | { ids: readonly number[]; count: number };
  claims: Claims;
  events: Events;
  log: Logger;
}

/**
 * A client with no intents and minimal caches: slash commands need neither. It emits each command, button and menu as
 * `interactionCreate`, which `app.ts` hands to `Interactions`.
 */
export function createClient({ apiUrl, shards, claims, events, log }: DiscordOptions): Client {
  const client = new Client({
    intents: [],
    ...(shards === 'auto' ? { shards } : { shards: [...shards.ids], shardCount: shards.count }),
    allowedMentions: NO_MENTIONS,
    makeCache: Options.cacheWithLimits({
      UserManager: { maxSize: 50, keepOverLimit: (user) => user.id === user.client.user?.id },
      GuildMemberManager: 0,
      MessageManager: 0,
    }),
    ws: {
      buildStrategy: (manager) => new GatewayShards(manager, events, log),
      async buildIdentifyThrottler(manager) {
        const { session_start_limit } = await manager.fetchGatewayInformation();
        return new IdentifyThrottler(manager, {
          maxConcurrency: session_start_limit.max_concurrency,
          claims,
          log,
        });
      },
    },
    rest: restOptions(apiUrl, log),
  });
  logEvents(client, log);
  // Otherwise discord.js holds back every shard's commands until the last one is ready, 5 s after the one before it.
  client.ws.status = Status.Ready;
  return client;
}

/** Without a permanent listener for `error`, one rejection in any listener ends the process. */
function logEvents(client: Client, log: Logger): void {
  client.on('error', (err) => log.error({ err }, 'discord client error'));
  client.on('warn', (detail) => log.warn({ detail }, 'discord client warning'));
  client.on('shardError', (err, shard) => log.warn({ err, shard }, 'gateway connection error'));
  client.on('shardResume', (shard, replayed) => log.info({ over: DISCORD, shard, replayed }, 'gateway resumed'));
  client.on('shardReady', (shard) => log.info({ over: DISCORD, shard }, 'gateway ready'));
  client.rest.on('invalidRequestWarning', (data) =>
    log.warn(data, 'many invalid requests to discord: it blocks this address after 10,000 in 10 minutes'),
  );
}
