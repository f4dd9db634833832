import { z } from 'zod';
import { OperatorError } from '../model/operator-error.ts';
import { type Misspelled, misspelled } from './misspelled.ts';
import { DiscordVariables, StorageVariables, Variables } from './variables.ts';

export type Config = ReturnType<typeof readConfig>;

/** What `npm run commands` needs. */
export type RegistrationConfig = Pick<Config['discord'], 'token' | 'apiUrl'>;

/** What `npm run catalog` and `npm run data` need. */
export type StorageConfig = Pick<Config, 'dataDir' | 'redis'>;

export type Environment = Readonly<Record<string, string | undefined>>;

/** The configuration is invalid; the message names every problem, one per line. */
export class ConfigError extends OperatorError {
  override name = 'ConfigError';
  /** One for each variable that is missing or invalid. */
  readonly problems: readonly { name: string; message: string }[];

  constructor(problems: readonly { name: string; message: string }[], misspelled: readonly Misspelled[]) {
    const lines = [
      ...problems.map(({ name, message }) => `  ${name}: ${message}`),
      ...misspelled.map(({ name, meant }) => `  ${name}: unknown; did you mean ${meant}?`),
    ];
    super(`The configuration is invalid (see .env.example):\n${lines.join('\n')}`);
    this.problems = problems;
  }
}

/** @throws ConfigError */
export function readConfig(environment: Environment = process.env) {
  const read = parse(Variables, environment);
  const { DISCORD_SHARDS: ids, DISCORD_SHARD_COUNT: count } = read;
  return {
    discord: {
      token: read.DISCORD_TOKEN,
      apiUrl: read.DISCORD_API_URL,
      /** `auto`: this process runs all shards, as many as Discord recommends. */
      shards: ids === 'auto' || count === undefined ? ('auto' as const) : { ids, count },
    },
    cardService: {
      baseUrl: read.CARD_SERVICE_URL,
      apiKey: read.CARD_SERVICE_API_KEY,
      cardPath: read.CARD_SERVICE_CARD_PATH,
      /** `undefined`: every card is requested by itself. */
      bulkPath: read.CARD_SERVICE_BULK_PATH,
      bulkMax: read.CARD_SERVICE_BULK_MAX,
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
    budgets: { guildDaily: read.GUILD_DAILY_REQUESTS, memberDaily: read.MEMBER_DAILY_REQUESTS },
    longestWaitMs: read.LONGEST_WAIT_SECONDS * 1000,
    currency: read.PRICE_CURRENCY,
    ...storageOf(read),
    /** `undefined`: no port is opened. Port 0: any that is free. */
    http: read.HTTP_PORT === undefined ? undefined : { port: read.HTTP_PORT, host: read.HTTP_HOST },
    /** Secret. `undefined`: no alerts. */
    alertWebhookUrl: read.ALERT_WEBHOOK_URL,
    memberHistory: read.MEMBER_HISTORY === 'on',
    logLevel: read.LOG_LEVEL,
  };
}

function storageOf(read: z.output<typeof StorageVariables>) {
  return {
    dataDir: read.DATA_DIR,
    /** `undefined`: state is in files under `dataDir`. `url` may hold a password. */
    redis: read.REDIS_URL === undefined ? undefined : { url: read.REDIS_URL, keyPrefix: read.REDIS_KEY_PREFIX },
  };
}

/** Secrets, which no log line may show. */
export function secretsOf({ discord, cardService, redis, alertWebhookUrl }: Config): (string | undefined)[] {
  const webhookToken = alertWebhookUrl && /[^/]{20,}$/.exec(new URL(alertWebhookUrl).pathname)?.[0];
  return [discord.token, cardService.apiKey, ...redisSecretsOf({ redis }), alertWebhookUrl, webhookToken];
}

/** The same, of what is stored. */
export function redisSecretsOf({ redis }: Pick<Config, 'redis'>): (string | undefined)[] {
  const password = redis && new URL(redis.url).password;
  return [password, password && decodeURIComponent(password)];
}

/** @throws ConfigError */
export function readRegistrationConfig(environment: Environment = process.env): RegistrationConfig {
  const read = parse(DiscordVariables, environment);
  return { token: read.DISCORD_TOKEN, apiUrl: read.DISCORD_API_URL };
}

/** @throws ConfigError */
export function readStorageConfig(environment: Environment = process.env): StorageConfig {
  return storageOf(parse(StorageVariables, environment));
}

/** What `npm run contract` needs. @throws ConfigError */
export function readCardServiceConfig(environment: Environment = process.env) {
  const { CARD_SERVICE_URL, CARD_SERVICE_API_KEY, CARD_SERVICE_CARD_PATH, CARD_SERVICE_TIMEOUT_MS } = Variables.shape;
  const wanted = { CARD_SERVICE_URL, CARD_SERVICE_API_KEY, CARD_SERVICE_CARD_PATH, CARD_SERVICE_TIMEOUT_MS };
  const read = parse(z.object(wanted), environment);
  return {
    baseUrl: read.CARD_SERVICE_URL,
    apiKey: read.CARD_SERVICE_API_KEY,
    cardPath: read.CARD_SERVICE_CARD_PATH,
    timeoutMs: read.CARD_SERVICE_TIMEOUT_MS,
  };
}

/** Variables that are set, that nothing reads, and that look like one of `wanted`. Names only, never values. */
export function misspelledVariables(
  environment: Environment = process.env,
  wanted: z.ZodObject = Variables,
): Misspelled[] {
  return misspelled(Object.keys(set(environment)), Object.keys(Variables.shape)).filter(
    ({ meant }) => meant in wanted.shape,
  );
}

/** An empty variable counts as unset, because `.env.example` lists them all. */
function set(environment: Environment): Environment {
  return Object.fromEntries(Object.entries(environment).filter(([, value]) => value?.trim()));
}

/** Node strips the quotes in a `.env`; those that arrive here are a mistake. */
const QUOTED = /^\s*(['"`]).*\1\s*$/s;

function parse<T extends z.ZodObject>(schema: T, environment: Environment): z.output<T> {
  const values = set(environment);
  const read = schema.safeParse(values);
  const quoted = Object.keys(schema.shape).filter((name) => QUOTED.test(values[name] ?? ''));
  if (read.success && quoted.length === 0) return read.data;
  const issues = read.error?.issues.map(({ path, message }) => ({ name: path.join('.'), message })) ?? [];
  const problems = [
    ...quoted.map((name) => ({ name, message: 'write it without quotes: docker --env-file does not strip them' })),
    ...issues.filter(({ name }) => !quoted.includes(name)),
  ];
  throw new ConfigError(problems, misspelledVariables(environment, schema));
}
