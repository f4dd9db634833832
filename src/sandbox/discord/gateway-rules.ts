import { GatewayCloseCodes as Close, GatewayIntentBits as Intent } from 'discord-api-types/v10';
import * as z from 'zod';

// events/gateway: payload size, sends per minute, and intents that must be switched on for an application
export const LARGEST_PAYLOAD_BYTES = 4_096;
export const SENDS_PER_MINUTE = 120;
const PRIVILEGED = Intent.GuildMembers | Intent.GuildPresences | Intent.MessageContent;
const ALL_INTENTS = Object.values(Intent).reduce<number>((all, bit) => (typeof bit === 'number' ? all | bit : all), 0);

export const Frame = z.object({ op: z.int(), d: z.unknown() });
export type Frame = z.infer<typeof Frame>;

export const Identify = z.object({
  token: z.string(),
  intents: z.number(),
  properties: z.looseObject({}),
  shard: z.tuple([z.int(), z.int()]).default([0, 1]),
});
export type Identify = z.infer<typeof Identify>;

export const Resume = z.object({ token: z.string(), session_id: z.string(), seq: z.int() });

/** What a client sent, or undefined where Discord closes with 4002. */
export function parseFrame(text: string): Frame | undefined {
  if (Buffer.byteLength(text) > LARGEST_PAYLOAD_BYTES) return undefined;
  try {
    return Frame.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

/** The close code for an address whose `v` or `encoding` is not served; undefined = it is. */
export function addressRefusal(query: URLSearchParams): number | undefined {
  if (query.get('v') !== '10') return Close.InvalidAPIVersion;
  return query.get('encoding') === 'json' && !query.has('compress') ? undefined : Close.DecodeError;
}

/** The close code for an identify that is refused; undefined = it is not. */
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
