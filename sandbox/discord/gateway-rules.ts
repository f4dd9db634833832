import { GatewayCloseCodes as Close, GatewayIntentBits as Intent } from 'discord-api-types/v10';
import * as z from 'zod';

import { apiVersion } from './client-rules.ts';

// events/gateway: payload size, sends per minute, and intents that must be switched on for an application
const LARGEST_PAYLOAD_BYTES = 4_096;
export const SENDS_PER_MINUTE = 120;
const PRIVILEGED = Intent.GuildMembers | Intent.GuildPresences | Intent.MessageContent;
const ALL_INTENTS = Object.values(Intent).reduce<number>((all, bit) => (typeof bit === 'number' ? all | bit : all), 0);

export const Frame = z.object({ op: z.int(), d: z.unknown() });
export type Frame = z.infer<typeof Frame>;

// Some clients send the value of the Authorization header, and Discord accepts it.
const Token = z.string().transform((token) => token.replace(/^Bot /, ''));

export const Identify = z.object({
  token: Token,
  intents: z.number(),
  properties: z.looseObject({}),
  shard: z.tuple([z.int(), z.int()]).default([0, 1]),
});
export type Identify = z.infer<typeof Identify>;

export const Resume = z.object({ token: Token, session_id: z.string(), seq: z.int() });

/** The payload of a client; undefined = Discord closes with 4002. */
export function parseFrame(text: string): Frame | undefined {
  if (Buffer.byteLength(text) > LARGEST_PAYLOAD_BYTES) return undefined;
  try {
    return Frame.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

/**
 * The version in the address, or the close code for what is not served; events/gateway, "Connecting". Compression is not
 * emulated.
 */
export function gatewayAddress(query: URLSearchParams): { version: number } | { refusal: number } {
  const version = apiVersion(query.get('v'));
  if (version === undefined) return { refusal: Close.InvalidAPIVersion };
  const { encoding = 'json', compress } = Object.fromEntries(query);
  return encoding === 'json' && compress === undefined ? { version } : { refusal: Close.DecodeError };
}

/** The close code for an invalid identify; undefined = valid. */
export function identifyRefusal(
  { token, intents, shard: [id, count] }: Identify,
  isBotToken: (token: string) => boolean,
) {
  if (!isBotToken(token)) return Close.AuthenticationFailed;
  if (count < 1 || id < 0 || id >= count) return Close.InvalidShard;
  if (!Number.isInteger(intents) || intents < 0 || intents > 2 ** 31 || (intents & ~ALL_INTENTS) !== 0) {
    return Close.InvalidIntents;
  }
  return (intents & PRIVILEGED) === 0 ? undefined : Close.DisallowedIntents;
}

export interface Sends {
  sinceMs: number;
  count: number;
}

/** The count after one more payload, in windows of 60 s. */
export function countSend({ sinceMs, count }: Sends, nowMs: number): Sends {
  return nowMs - sinceMs >= 60_000 ? { sinceMs: nowMs, count: 1 } : { sinceMs, count: count + 1 };
}
