import type { Guild, Member } from './chat.ts';
import type { ExternalImage } from './external-images.ts';
import type { Lifetimes } from './interaction.ts';

export interface EmulatedDiscordOptions {
  /** Its address when it has no server: it is asked through `answer`, and bots join its gateway. */
  withoutServerAt?: string | undefined;
  /** Default 0: any free port. */
  port?: number;
  /** Default: an invented one. */
  botToken?: string;
  /** Default: 3 s to answer, tokens of 15 minutes. */
  lifetimes?: Lifetimes;
  /** Default 41,250. */
  heartbeatIntervalMs?: number;
  /** The recommended number of shards. Default 1. */
  shards?: number;
  /** Shards that may identify at once. Default 16, as for a large bot, because with 1 a bot waits 5 s between shards. */
  maxConcurrency?: number;
  /** Time between two identifies with the same rate limit key. Default 0, no limit; Discord's is 5,000. */
  identifyWindowMs?: number;
  guilds?: readonly Guild[];
  /** Those without the bot. */
  foreignGuilds?: readonly Guild[];
  members?: readonly Member[];
  /** Serves an external image; undefined = 404. */
  image?: (url: string) => ExternalImage | undefined;
}
