import { type Config, readConfig } from '../../config/config.ts';
import { ConfigError, type Environment, misspelledVariables } from '../../config/environment.ts';
import { Variables } from '../../config/variables.ts';
import { PLAN_LIMITS } from '../../model/plan.ts';
import { type Finding, right, wrong } from './finding.ts';

/** What the variables say, as far as it can be used. */
export interface Settings {
  findings: Finding[];
  /** Without the variables that are faulty, so that the rest can be checked; `undefined` when a required one is. */
  config: Config | undefined;
}

const CHECK = 'settings';

/** @param file the lines of `.env`, if there is one: it holds no variables of other programs */
export function checkSettings(environment: Environment, file: Environment = {}): Settings {
  const { config, faults } = readUsable(environment);
  const others = [
    ...faults,
    ...unknown(environment, file),
    ...overridden(environment, file),
    ...(config ? contradictions(environment, config) : []),
  ];
  return { config, findings: others.length > 0 ? others : [right(CHECK, 'all variables are valid and known')] };
}

function readUsable(environment: Environment): { config: Config | undefined; faults: Finding[] } {
  try {
    return { config: readConfig(environment), faults: [] };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const faults = error.problems.map(({ name, message }) => wrong(name, message));
    const names = error.problems.map(({ name }) => name);
    const remaining = Object.entries(environment).filter(([name]) => !names.includes(name));
    return { config: remaining.length < Object.keys(environment).length ? usable(remaining) : undefined, faults };
  }
}

function usable(entries: [string, string | undefined][]): Config | undefined {
  try {
    return readConfig(Object.fromEntries(entries));
  } catch {
    return undefined;
  }
}

/** Variables that other programs read, and that an operator may have in `.env`; compose.yaml reads REDIS_PASSWORD. */
const OF_OTHERS =
  /^(NODE_|UV_|LC_|SSL_CERT_|COMPOSE_|DOCKER_|npm_)|^(TZ|LANG|CHROMIUM_PATH|REDIS_PASSWORD|REQUIRE_REAL_REDIS)$|_proxy$/i;

function unknown(environment: Environment, file: Environment): Finding[] {
  const misspelled = misspelledVariables({ ...file, ...environment });
  const strange = Object.keys(file).filter(
    (name) => !(name in Variables.shape) && !OF_OTHERS.test(name) && !misspelled.some((each) => each.name === name),
  );
  return [
    ...misspelled.map(({ name, meant }) => wrong(name, `Nothing reads it. Did you mean ${meant}?`)),
    ...strange.map((name) =>
      wrong(name, 'Nothing reads it. Remove it from .env, or look up its name in .env.example.'),
    ),
  ];
}

/** The environment wins over the file. */
function overridden(environment: Environment, file: Environment): Finding[] {
  return Object.entries(file)
    .filter(([name, value]) => name in Variables.shape && value?.trim() && (environment[name] ?? value) !== value)
    .map(([name]) =>
      wrong(
        name,
        'Its value in the environment differs from the one in .env, and the environment wins. Change one of them.',
      ),
    );
}

/** Variables without effect unless the other one is set, too. */
const NEEDED = {
  REDIS_KEY_PREFIX: 'REDIS_URL',
  HTTP_HOST: 'HTTP_PORT',
  CARD_SERVICE_BULK_MAX: 'CARD_SERVICE_BULK_PATH',
} as const;

const BOT_TOKEN = /^[^.]+\.[^.]+\.[^.]+$/;

/** Settings that are valid alone, and make no sense together. */
function contradictions(environment: Environment, config: Config): Finding[] {
  const isSet = (name: string) => Boolean(environment[name]?.trim());
  const { freshness, budgets, plan } = config;
  const limits = plan.plan === 'auto' || plan.plan === 'enterprise' ? undefined : PLAN_LIMITS[plan.plan];
  const longestFreshMs = Math.max(freshness.factsFreshMs, freshness.pricesFreshMs, freshness.notFoundFreshMs);
  const findings: (Finding | false | undefined)[] = [
    ...Object.entries(NEEDED).map(
      ([name, other]) =>
        isSet(name) && !isSet(other) && wrong(name, `It has no effect without ${other}. Set that, or remove this.`),
    ),
    freshness.keepMs < longestFreshMs &&
      wrong(
        'KEEP_SECONDS',
        'Cards are dropped while they are still fresh. Write at least as much as each …_FRESH_SECONDS.',
      ),
    freshness.pricesFreshMs > freshness.factsFreshMs &&
      wrong(
        'PRICES_FRESH_SECONDS',
        'Prices count as fresh for longer than the card that they belong to. Write at most FACTS_FRESH_SECONDS.',
      ),
    budgets.guildDaily !== undefined &&
      (budgets.memberDaily ?? 0) > budgets.guildDaily &&
      wrong(
        'MEMBER_DAILY_REQUESTS',
        'One member may cause more requests than the whole server. Write at most GUILD_DAILY_REQUESTS.',
      ),
    !BOT_TOKEN.test(config.discord.token) &&
      wrong(
        'DISCORD_TOKEN',
        'It does not look like a bot token, which has three parts with dots between them. The client secret, the public key and the application id are something else: Developer Portal, your application, Bot, Reset Token.',
      ),
    limits &&
      (plan.requestsPerMinute ?? 0) > limits.requestsPerMinute &&
      wrong(
        'CARD_SERVICE_REQUESTS_PER_MINUTE',
        `The plan ${plan.plan} allows ${limits.requestsPerMinute}. Remove it, or name the plan that allows more.`,
      ),
    limits &&
      (plan.burst ?? 0) > limits.burst &&
      wrong(
        'CARD_SERVICE_BURST',
        `The plan ${plan.plan} allows ${limits.burst}. Remove it, or name the plan that allows more.`,
      ),
  ];
  return findings.filter((finding) => typeof finding === 'object');
}
