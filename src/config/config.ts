import type { z } from 'zod';
import type { PlanSetting } from '../model/quota.ts';
import { cardServiceOf, describedService, plansIn, pricesBy, scopeOf } from './description.ts';
import {
  CardServiceVariables,
  ConfigError,
  conflictsIn,
  DiscordVariables,
  type Environment,
  type Problem,
  parse,
  StorageVariables,
  Variables,
} from './variables.ts';

export type Config = ReturnType<typeof readConfig>;

/** What `npm run commands` needs. */
export type RegistrationConfig = Omit<Config['discord'], 'shards'>;

/** @throws ConfigError */
export function readConfig(environment: Environment) {
  const { read, service } = readWithService(Variables, environment, conflictsIn(environment));
  const { DISCORD_SHARDS: ids, DISCORD_SHARD_COUNT: count } = read;
  const { description } = service;
  const { freshSeconds = read.PRICES_FRESH_SECONDS, keepSeconds } = description;
  return {
    discord: {
      ...registrationOf(read),
      /** `auto`: this process runs all shards, as many as Discord recommends. */
      shards: ids === 'auto' || count === undefined ? ('auto' as const) : { ids, count },
    },
    cardService: cardServiceOf(read, service),
    plan: {
      plan: read.CARD_SERVICE_PLAN,
      plans: plansIn(description),
      isDayStated: description.dayStated,
      requestsPerDay: read.CARD_SERVICE_REQUESTS_PER_DAY,
      requestsPerMonth: read.CARD_SERVICE_REQUESTS_PER_MONTH,
      monthBegins: read.CARD_SERVICE_MONTH_BEGINS,
      isBilled: description.billed,
      requestsPerMinute: read.CARD_SERVICE_REQUESTS_PER_MINUTE,
      burst: read.CARD_SERVICE_BURST,
    } satisfies PlanSetting as PlanSetting,
    /** Variables that are set win over the description, but for how long its service lets anything be kept. */
    freshness: {
      factsFreshMs: read.FACTS_FRESH_SECONDS * 1000,
      pricesFreshMs: (service.isSet('PRICES_FRESH_SECONDS') ? read.PRICES_FRESH_SECONDS : freshSeconds) * 1000,
      keepMs: Math.min(read.KEEP_SECONDS, keepSeconds ?? read.KEEP_SECONDS) * 1000,
      historyMs: keepSeconds && keepSeconds * 1000,
      pricesBy: pricesBy(service),
    },
    budgets: {
      guildDaily: read.GUILD_DAILY_REQUESTS,
      memberDaily: read.MEMBER_DAILY_REQUESTS,
      foreignDaily: read.USER_INSTALL_DAILY_REQUESTS,
    },
    longestWaitMs: read.LONGEST_WAIT_SECONDS * 1000,
    /** ISO 4217, of prices that name none. */
    currency: read.PRICE_CURRENCY ?? description.currency,
    display: {
      pageUrl: read.CARD_PAGE_URL,
      hasPictures: read.CARD_PICTURES === undefined ? description.pictures : read.CARD_PICTURES === 'on',
      notice: description.notice,
    },
    ...storageOf(read),
    /** `undefined`: no port is opened. Port 0: any that is free. */
    http: read.HTTP_PORT === undefined ? undefined : { port: read.HTTP_PORT, host: read.HTTP_HOST },
    /** Secret. `undefined`: no alerts. */
    alertWebhookUrl: read.ALERT_WEBHOOK_URL,
    registersItself: read.REGISTER_COMMANDS === 'on',
    renewsWatched: read.WATCH_RENEWALS === 'on',
    memberHistory: read.MEMBER_HISTORY === 'on',
    logLevel: read.LOG_LEVEL,
  };
}

function registrationOf(read: z.output<typeof DiscordVariables>) {
  return {
    token: read.DISCORD_TOKEN,
    /** A token begins with it, in base64. */
    botId: Buffer.from(read.DISCORD_TOKEN.split('.', 1)[0] ?? '', 'base64url').toString(),
    apiUrl: read.DISCORD_API_URL,
    /** Whether members can install the bot for themselves, and bring it along. */
    hasUserInstall: read.USER_INSTALL_DAILY_REQUESTS !== 0,
  };
}

/** @throws ConfigError with the problems of the variables and of the description together */
function readWithService<T extends typeof CardServiceVariables>(
  schema: T,
  environment: Environment,
  conflicts: readonly Problem[] = [],
) {
  const { service, problems } = describedService(environment);
  const read = parse(schema, environment, [...conflicts, ...problems]);
  if (!service) throw new ConfigError(problems);
  return { read, service };
}

function storageOf(read: z.output<typeof StorageVariables>) {
  return {
    dataDir: read.DATA_DIR,
    /** `undefined`: state is in files under `dataDir`. `url` may hold a password. */
    redis: read.REDIS_URL === undefined ? undefined : { url: read.REDIS_URL, keyPrefix: read.REDIS_KEY_PREFIX },
  };
}

/** Secrets, which no log line may show. */
export function secretsOf(config: Partial<Config>): (string | undefined)[] {
  const { discord, cardService, redis, alertWebhookUrl = '' } = config;
  const { password = '' } = URL.parse(redis?.url ?? '') ?? {};
  const webhookToken = /[^/]{20,}$/.exec(URL.parse(alertWebhookUrl)?.pathname ?? '')?.[0];
  const { apiKey, secrets = [] } = cardService ?? {};
  return [discord?.token, apiKey, ...secrets, password, decodeURIComponent(password), alertWebhookUrl, webhookToken];
}

/** @throws ConfigError */
export function readRegistrationConfig(environment: Environment): RegistrationConfig {
  return registrationOf(parse(DiscordVariables, environment));
}

/** What `npm run catalog` and `npm run data` need. @throws ConfigError */
export function readStorageConfig(environment: Environment) {
  return storageOf(parse(StorageVariables, environment));
}

/** What trying a description needs. @throws ConfigError */
export function readCardServiceConfig(environment: Environment) {
  const { read, service } = readWithService(CardServiceVariables, environment);
  return cardServiceOf(read, service);
}

/** To which service the names belong that `npm run catalog` manages. @throws ConfigError */
export function readScope(environment: Environment): string | undefined {
  const { service, problems } = describedService(environment);
  if (!service) throw new ConfigError(problems);
  const given = CardServiceVariables.shape.CARD_SERVICE_URL.safeParse(environment.CARD_SERVICE_URL || undefined).data;
  return scopeOf(given ?? service.description.url ?? '', service);
}

/** What `npm run catalog -- fetch` needs. @throws ConfigError */
export function readNamesConfig(environment: Environment) {
  const { read, service } = readWithService(CardServiceVariables, environment);
  const plans = plansIn(service.description);
  const plan = plans[read.CARD_SERVICE_PLAN] ?? Object.values(plans)[0];
  return {
    cardService: cardServiceOf(read, service),
    requestsPerDay: plan?.requestsPerDay,
    requestsPerMinute: read.CARD_SERVICE_REQUESTS_PER_MINUTE ?? plan?.requestsPerMinute ?? 1,
  };
}
