import { z } from 'zod';
import { PLANS } from './plans.ts';
import type { PlanSetting } from './quota/pace.ts';

export interface Config {
  discord: { token: string; apiUrl: string };
  cardService: { baseUrl: string; apiKey: string | undefined; cardPath: string; timeoutMs: number };
  plan: PlanSetting;
  freshness: { factsFreshMs: number; pricesFreshMs: number; notFoundFreshMs: number; keepMs: number };
  longestWaitMs: number;
  currency: string | undefined;
  dataDir: string;
  logLevel: string;
}

/** What `npm run commands` needs. */
export interface RegistrationConfig {
  token: string;
  apiUrl: string;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** A deferred reply can be edited for 15 minutes; this leaves a minute to ask and to answer. */
const LONGEST_WAIT_LIMIT_SECONDS = 840;

const seconds = (fallback: number) =>
  z.coerce.number('write a number of seconds').min(0, 'write 0 or more').default(fallback);
const atLeastOne = z.coerce.number('write a number').min(1, 'write 1 or more');
const notBuiltYet = z.undefined('this feature is not built yet: take the variable out').optional();

const httpUrl = z
  .url({ protocol: /^https?$/, error: 'write an address that begins with https:// or http://' })
  .refine((text) => !URL.canParse(text) || plain(new URL(text)), 'write the address without user, password, ? and #');

const DiscordVariables = z.object({
  DISCORD_TOKEN: z
    .string('write the bot token from the Discord developer portal (Bot → Reset Token)')
    .regex(/^(?!Bot )\S+$/, 'write the bare bot token, without spaces and without "Bot"'),
  DISCORD_API_URL: httpUrl.transform((text) => text.replace(/\/+$/, '')).default('https://discord.com/api'),
});

const Variables = DiscordVariables.extend({
  CARD_SERVICE_URL: httpUrl,
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
  GUILD_DAILY_REQUESTS: notBuiltYet,
  MEMBER_DAILY_REQUESTS: notBuiltYet,
  REDIS_URL: notBuiltYet,
  REDIS_KEY_PREFIX: notBuiltYet,
}).superRefine((read, context) => {
  if (read.CARD_SERVICE_PLAN !== 'enterprise') return;
  for (const name of ['CARD_SERVICE_REQUESTS_PER_MINUTE', 'CARD_SERVICE_BURST'] as const) {
    if (read[name] === undefined)
      context.addIssue({ code: 'custom', path: [name], message: 'is required for the plan enterprise' });
  }
});

/** The configuration does not do; the message names every problem. */
export class ConfigError extends Error {
  override name = 'ConfigError';
}

/** @throws ConfigError with one line for each variable that does not do */
export function readConfig(environment: Environment = process.env): Config {
  const read = parse(Variables, environment);
  return {
    discord: { token: read.DISCORD_TOKEN, apiUrl: read.DISCORD_API_URL },
    cardService: {
      baseUrl: read.CARD_SERVICE_URL,
      apiKey: read.CARD_SERVICE_API_KEY,
      cardPath: read.CARD_SERVICE_CARD_PATH,
      timeoutMs: read.CARD_SERVICE_TIMEOUT_MS,
    },
    plan: {
      plan: read.CARD_SERVICE_PLAN,
      requestsPerMinute: read.CARD_SERVICE_REQUESTS_PER_MINUTE,
      burst: read.CARD_SERVICE_BURST,
    },
    freshness: {
      factsFreshMs: read.FACTS_FRESH_SECONDS * 1000,
      pricesFreshMs: read.PRICES_FRESH_SECONDS * 1000,
      notFoundFreshMs: read.NOT_FOUND_FRESH_SECONDS * 1000,
      keepMs: read.KEEP_SECONDS * 1000,
    },
    longestWaitMs: read.LONGEST_WAIT_SECONDS * 1000,
    currency: read.PRICE_CURRENCY,
    dataDir: read.DATA_DIR,
    logLevel: read.LOG_LEVEL,
  };
}

/** @throws ConfigError */
export function readRegistrationConfig(environment: Environment = process.env): RegistrationConfig {
  const read = parse(DiscordVariables, environment);
  return { token: read.DISCORD_TOKEN, apiUrl: read.DISCORD_API_URL };
}

function parse<T>(schema: z.ZodType<T>, environment: Environment): T {
  // A variable that is set to nothing is one that is not set: `.env.example` lists them all.
  const set = Object.fromEntries(Object.entries(environment).filter(([, value]) => value?.trim()));
  const read = schema.safeParse(set);
  if (read.success) return read.data;
  const problems = read.error.issues.map(({ path, message }) => `  ${path.join('.')}: ${message}`);
  throw new ConfigError(`The configuration does not do (see .env.example):\n${problems.join('\n')}`);
}

function plain(url: URL): boolean {
  return url.username === '' && url.password === '' && url.search === '' && url.hash === '';
}
