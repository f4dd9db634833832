import { z } from 'zod';
import { PLANS } from '../model/plan.ts';
import { conflicts } from './conflicts.ts';

/** Discord accepts edits of a deferred reply for 15 minutes; this leaves one for the request and the edit. */
const LONGEST_WAIT_LIMIT_SECONDS = 840;

/** A century: times stay far below what a date or a row can hold. */
const MOST_SECONDS = 3_153_600_000;

const seconds = (fallback: number) =>
  z.coerce
    .number('write a number of seconds')
    .min(0, 'write 0 or more')
    .max(MOST_SECONDS, `write ${MOST_SECONDS} (a hundred years) or less`)
    .default(fallback);
const number = z.coerce.number('write a number');
const atLeastOne = number.min(1, 'write 1 or more');
const oneOf = <const Value extends string>(values: readonly Value[]) =>
  z.enum(values, `write one of: ${values.join(', ')}`);

const shardList = z
  .string()
  .regex(/^\d{1,5}(\s*,\s*\d{1,5})*$/)
  .transform((text) => [...new Set(text.split(',').map(Number))]);

const HTTP_ADDRESS = 'write an address that begins with https:// or http://';
const httpUrl = z
  .url({ protocol: /^https?$/, error: ({ input }) => `${input === undefined ? 'missing; ' : ''}${HTTP_ADDRESS}` })
  .refine((text) => !URL.canParse(text) || plain(new URL(text)), 'write the address without user, password, ? and #');

/** Variables of both `npm run commands` and the bot. */
export const DiscordVariables = z.object({
  DISCORD_TOKEN: z
    .string('missing; write the bot token (Discord Developer Portal, your application, Bot, Reset Token)')
    .regex(/^[\x21-\x7e]+$/, 'write the bot token alone, without "Bot" before it, spaces or quotes'),
  DISCORD_API_URL: httpUrl
    .refine((text) => !/\/v\d+\/*$/.test(text), 'write the address without version, such as https://discord.com/api')
    .transform(withoutLastSlash)
    .default('https://discord.com/api'),
});

/** Where things are stored: variables of both `npm run catalog` and the bot. */
export const StorageVariables = z.object({
  DATA_DIR: z.string().min(1).default('./data'),
  REDIS_URL: z
    .url({
      protocol: /^rediss?$/,
      error: 'write an address that begins with redis:// or rediss://, such as redis://127.0.0.1:6379',
    })
    .refine(
      (text) => !URL.canParse(text) || redisCanRead(new URL(text)),
      'write redis://:PASSWORD@HOST:PORT/NUMBER, with %25 for % in the password; password, port and number may be left out',
    )
    .optional(),
  REDIS_KEY_PREFIX: z
    .string()
    .regex(/^[\w.:-]+$/, 'write letters, digits, and . : - _ only')
    .default('cardbot'),
});

const WEBHOOK_WANTED =
  'write the address of a Discord webhook, such as https://discord.com/api/webhooks/… (channel, Integrations, Webhooks)';

/** Variables of the bot. */
export const Variables = DiscordVariables.extend({
  ...StorageVariables.shape,
  // Cards and quota are stored per address, so each address must have one spelling.
  CARD_SERVICE_URL: httpUrl.transform(withoutLastSlash),
  CARD_SERVICE_API_KEY: z
    .string()
    .regex(/^[\x21-\x7e]+$/, 'write the key without spaces')
    .optional(),
  CARD_SERVICE_CARD_PATH: z
    .string()
    .regex(/^\/[^?#{}]*\{id\}[^?#{}]*$/, 'write a path that begins with / and holds {id} once, such as /cards/{id}')
    .default('/cards/{id}'),
  CARD_SERVICE_BULK_PATH: z
    .string()
    .regex(
      /^(?:(?:GET +)?\/[^#{}]*\{ids\}[^#{}]*|POST +\/[^#{}]*)$/,
      'write a path with {ids} in it, such as /cards?ids={ids}, or POST and a path, such as POST /cards/batch',
    )
    .optional(),
  CARD_SERVICE_BULK_MAX: number
    .int('write a whole number')
    .min(2, 'write 2 or more')
    .max(1_000, 'write 1000 or less')
    .default(20),
  CARD_SERVICE_PLAN: oneOf(['auto', ...PLANS]).default('auto'),
  CARD_SERVICE_REQUESTS_PER_MINUTE: atLeastOne.optional(),
  CARD_SERVICE_BURST: atLeastOne.int('write a whole number').optional(),
  CARD_SERVICE_TIMEOUT_MS: z.coerce
    .number('write a number of milliseconds')
    .min(100, 'write 100 or more')
    .max(120_000, 'write 120000 or less')
    .default(10_000),
  FACTS_FRESH_SECONDS: seconds(604_800),
  PRICES_FRESH_SECONDS: seconds(21_600),
  NOT_FOUND_FRESH_SECONDS: seconds(3_600),
  KEEP_SECONDS: seconds(7_776_000),
  LONGEST_WAIT_SECONDS: seconds(300).refine(
    (value) => value <= LONGEST_WAIT_LIMIT_SECONDS,
    `write ${LONGEST_WAIT_LIMIT_SECONDS} or less`,
  ),
  PRICE_CURRENCY: z
    .string()
    .refine(
      (code) => Intl.supportedValuesOf('currency').includes(code),
      'write an ISO 4217 code in capitals, such as EUR',
    )
    .optional(),
  HTTP_PORT: z.coerce
    .number('write a port')
    .int('write a whole number')
    .min(0, 'write 1 or more')
    .max(65_535, 'write 65535 or less')
    .optional(),
  HTTP_HOST: z
    .string()
    .regex(/^[\w.:-]+$/, 'write an address of this machine, such as 127.0.0.1 or 0.0.0.0')
    .default('127.0.0.1'),
  ALERT_WEBHOOK_URL: z
    .url({ protocol: /^https?$/, error: WEBHOOK_WANTED })
    .refine((text) => !URL.canParse(text) || /\/webhooks\/\d+\/[\w-]+\/?$/.test(new URL(text).pathname), WEBHOOK_WANTED)
    .optional(),
  MEMBER_HISTORY: oneOf(['on', 'off']).default('on'),
  LOG_LEVEL: oneOf(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']).default('info'),
  DISCORD_SHARDS: z
    .union([z.literal('auto'), shardList], "write auto, or this process's shards, such as 0,1")
    .default('auto'),
  DISCORD_SHARD_COUNT: z.coerce
    .number('write how many shards there are on all machines')
    .int('write a whole number')
    .min(1, 'write 1 or more')
    .optional(),
  GUILD_DAILY_REQUESTS: atLeastOne.int('write a whole number').optional(),
  MEMBER_DAILY_REQUESTS: number.int('write a whole number').min(0, 'write 0 (no cap) or more').optional(),
}).superRefine(
  (read, context) => {
    for (const [name, message] of conflicts(read)) context.addIssue({ code: 'custom', path: [name], message });
  },
  { when: () => true }, // report these together with the problems of single variables
);

function redisCanRead({ username, password, pathname }: URL): boolean {
  try {
    decodeURIComponent(username + password);
  } catch {
    return false;
  }
  return /^\/?\d*$/.test(pathname);
}

function plain(url: URL): boolean {
  return url.username === '' && url.password === '' && url.search === '' && url.hash === '';
}

function withoutLastSlash(address: string): string {
  return address.replace(/\/+$/, '');
}
