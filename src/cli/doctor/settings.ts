import { readFileSync, statSync } from 'node:fs';
import { parseEnv } from 'node:util';
import { type Config, readConfig, secretsOf } from '../../config/config.ts';
import { ConfigError, type Environment, misspelledVariables } from '../../config/environment.ts';
import { Variables } from '../../config/variables.ts';
import { SHORT_SECRET } from '../../log.ts';
import { plansOf } from '../../model/plan.ts';
import { catalogFolder, withoutNames } from '../../storage/state.ts';
import { checkDataDirectory, checkSqlite, knowsNames, NAMES } from './data-directory.ts';
import { type Finding, note, right, wrong } from './finding.ts';

/** What the variables say, as far as it can be used. */
export interface Settings {
  findings: Finding[];
  /** Without the variables that are faulty, so that the rest can be checked; `undefined` when a required one is. */
  config: Config | undefined;
}

const CHECK = 'settings';

/** Everything that can be found out on this machine alone: sends nothing, changes nothing. */
export function checkOffline(environment: Environment, file = envFile()): Settings {
  const { findings, config } = checkSettings(environment, file);
  const files = config ? checkDataDirectory(config.dataDir) : [];
  const lacksNames = config && !knowsNames(catalogFolder(config.dataDir, config.cardService.scope));
  const names = lacksNames ? [note(NAMES, withoutNames(config.cardService.description.names))] : [];
  return { config, findings: [...findings, ...checkEnvFile(), ...checkSqlite(), ...files, ...names] };
}

/** The variables in `.env`, as Node has read them at the start; none without that file. */
export function envFile(file = '.env'): Environment {
  try {
    return parseEnv(readFileSync(file, 'utf8'));
  } catch {
    return {};
  }
}

/** Whether the file with the token is its owner's alone; on Windows its mode does not say. */
export function checkEnvFile(file = '.env'): Finding[] {
  const { mode = 0 } = statSync(file, { throwIfNoEntry: false }) ?? {};
  const isOpen = process.platform !== 'win32' && (mode & 0o077) !== 0;
  return isOpen ? [wrong('.env', `Other users can read the token in it. Run: chmod 600 ${file}`)] : [];
}

/** @param file the lines of `.env`, if there is one: it holds no variables of other programs */
export function checkSettings(environment: Environment, file: Environment = {}): Settings {
  const { config, faults } = readUsable(environment);
  const others = [
    ...faults,
    ...unknown(environment, file),
    ...overridden(environment, file),
    ...(config ? contradictions(environment, config) : []),
  ];
  const isRight = others.every(({ ok }) => ok);
  return { config, findings: [...(isRight ? [right(CHECK, 'all variables are valid and known')] : []), ...others] };
}

/** @returns `config`: of the variables that are not faulty */
function readUsable(environment: Environment): { config: Config | undefined; faults: Finding[] } {
  try {
    return { config: readConfig(environment), faults: [] };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const faulty = new Set(error.problems.map(({ name }) => name));
    const others = Object.entries(environment).filter(([name]) => !faulty.has(name));
    const isLess = others.length < Object.keys(environment).length;
    return {
      config: isLess ? readUsable(Object.fromEntries(others)).config : undefined,
      faults: error.problems.map(({ name, message }) => wrong(name, message)),
    };
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

/** The environment wins over the file, as whoever set it there may have meant. */
function overridden(environment: Environment, file: Environment): Finding[] {
  const isOther = ([name, value]: [string, string | undefined]) =>
    name in Variables.shape && value?.trim() && (environment[name] ?? value) !== value;
  const says = 'Its value in the environment differs from the one in .env, and the environment wins.';
  return Object.entries(file)
    .filter(isOther)
    .map(([name]) => note(name, says));
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
  const { freshness, budgets, plan, discord } = config;
  const { keepMs, factsFreshMs, pricesFreshMs, notFoundFreshMs } = freshness;
  const limits = plansOf(plan)[plan.plan];
  const abovePlan = (value = 0, most = value) =>
    value > most && `The plan ${plan.plan} allows ${most}. Remove it, or name the plan that allows more.`;
  const cures: Readonly<Record<string, string | false>> = {
    ...Object.fromEntries(
      Object.entries(NEEDED).map(([name, other]) => [
        name,
        isSet(name) && !isSet(other) && `It has no effect without ${other}. Set that, or remove this.`,
      ]),
    ),
    KEEP_SECONDS:
      keepMs < Math.max(factsFreshMs, pricesFreshMs, notFoundFreshMs) &&
      'Cards are dropped while they are still fresh. Write at least as much as each …_FRESH_SECONDS.',
    PRICES_FRESH_SECONDS:
      pricesFreshMs > factsFreshMs &&
      'Prices count as fresh for longer than the card that they belong to. Write at most FACTS_FRESH_SECONDS.',
    MEMBER_DAILY_REQUESTS:
      (budgets.memberDaily ?? 0) > (budgets.guildDaily ?? Number.POSITIVE_INFINITY) &&
      'One member may cause more requests than the whole server. Write at most GUILD_DAILY_REQUESTS.',
    DISCORD_TOKEN:
      !BOT_TOKEN.test(discord.token) &&
      'It does not look like a bot token, which has three parts with dots between them. The client secret, the public key and the application id are something else: Developer Portal, your application, Bot, Reset Token.',
    'a secret':
      secretsOf({ cardService: config.cardService, redis: config.redis }).some(
        (secret) => secret && secret.length < SHORT_SECRET,
      ) &&
      `One of fewer than ${SHORT_SECRET} characters is kept out of the log only where it stands as a word of its own. Take a longer one.`,
    CARD_SERVICE_REQUESTS_PER_MINUTE: abovePlan(plan.requestsPerMinute, limits?.requestsPerMinute),
    CARD_SERVICE_BURST: abovePlan(plan.burst, limits?.burst),
  };
  return Object.entries(cures).flatMap(([name, cure]) => (cure ? wrong(name, cure) : []));
}
