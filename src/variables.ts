import { z } from 'zod';
import { PLANS } from './plans.ts';

/** A deferred reply can be edited for 15 minutes; this leaves a minute to ask and to answer. */
const LONGEST_WAIT_LIMIT_SECONDS = 840;

const seconds = (fallback: number) =>
  z.coerce.number('write a number of seconds').min(0, 'write 0 or more').default(fallback);
const atLeastOne = z.coerce.number('write a number').min(1, 'write 1 or more');
const notBuiltYet = z.undefined('this feature is not built yet: take the variable out').optional();

const httpUrl = z
  .url({ protocol: /^https?$/, error: 'write an address that begins with https:// or http://' })
  .refine((text) => !URL.canParse(text) || plain(new URL(text)), 'write the address without user, password, ? and #');

/** What `npm run commands` needs, and the bot too. */
export const DiscordVariables = z.object({
  DISCORD_TOKEN: z
    .string('missing; write the bot token (Discord Developer Portal, your application, Bot, Reset Token)')
    .regex(/^[\x21-\x7e]+$/, 'write the bot token alone, without "Bot" before it, spaces or quotes'),
  DISCORD_API_URL: httpUrl
    .refine((text) => !/\/v\d+\/*$/.test(text), 'write the address without version, such as https://discord.com/api')
    .transform(withoutLastSlash)
    .default('https://discord.com/api'),
});

/** What the bot needs. */
export const Variables = DiscordVariables.extend({
  // Cards and quota are kept by address, so that one address must not have two spellings.
  CARD_SERVICE_URL: httpUrl.transform(withoutLastSlash),
  CARD_SERVICE_API_KEY: z
    .string()
    .regex(/^[\x21-\x7e]+$/, 'write the key without spaces')
    .optional(),
  CARD_SERVICE_CARD_PATH: z
    .string()
    .regex(/^\/[^?#{}]*\{id\}[^?#{}]*$/, 'write a path that begins with / and holds {id} once, such as /cards/{id}')
    .default('/cards/{id}'),
  CARD_SERVICE_PLAN: z.enum(['auto', ...PLANS], `write one of: auto, ${PLANS.join(', ')}`).default('auto'),
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
    .refine((code) => Intl.supportedValuesOf('currency').includes(code), 'write an ISO 4217 code, such as EUR')
    .optional(),
  DATA_DIR: z.string().min(1).default('./data'),
  LOG_LEVEL: z
    .enum(
      ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'],
      'write one of: trace, debug, info, warn, error, fatal, silent',
    )
    .default('info'),
  DISCORD_SHARDS: z.literal('auto', 'only auto is built yet: write auto or take the variable out').optional(),
  DISCORD_SHARD_COUNT: notBuiltYet,
  GUILD_DAILY_REQUESTS: atLeastOne.int('write a whole number').optional(),
  MEMBER_DAILY_REQUESTS: z.coerce
    .number('write a number')
    .int('write a whole number')
    .min(0, 'write 0 (no cap) or more')
    .optional(),
  REDIS_URL: notBuiltYet,
  REDIS_KEY_PREFIX: notBuiltYet,
}).superRefine(
  (read, context) => {
    if (read.CARD_SERVICE_PLAN !== 'enterprise') return;
    for (const name of ['CARD_SERVICE_REQUESTS_PER_MINUTE', 'CARD_SERVICE_BURST'] as const) {
      if (read[name] === undefined)
        context.addIssue({ code: 'custom', path: [name], message: 'is required for the plan enterprise' });
    }
  },
  { when: () => true }, // together with the problems of single variables
);

function plain(url: URL): boolean {
  return url.username === '' && url.password === '' && url.search === '' && url.hash === '';
}

function withoutLastSlash(address: string): string {
  return address.replace(/\/+$/, '');
}
