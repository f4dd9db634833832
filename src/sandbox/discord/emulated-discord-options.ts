import type { Guild, Member } from './chat.ts';
import type { ExternalImage } from './external-images.ts';
import type { Lifetimes } from './interaction.ts';

export interface EmulatedDiscordOptions {
  /** Default 0: any free one. */
  port?: number;
  /** Default: a made-up one. */
  botToken?: string;
  /** Default: 3 s to answer, tokens of 15 minutes. */
  lifetimes?: Lifetimes;
  /** Default 41,250. */
  heartbeatIntervalMs?: number;
  /** How many shards are recommended. Default 1. */
  shards?: number;
  /** Shards that may identify at once. Default 16, as of a large bot: one that starts with 1 waits 5 s between shards. */
  maxConcurrency?: number;
  /** So long no other shard of the same turn may identify. Default 0, no limit; Discord's is 5,000. */
  identifyWindowMs?: number;
  guilds?: readonly Guild[];
  members?: readonly Member[];
  /** What is served in the place of an external image; undefined = 404. */
  image?: (url: string) => ExternalImage | undefined;
}
