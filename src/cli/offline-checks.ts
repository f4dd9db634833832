import { accessSync, constants, existsSync, readdirSync, readFileSync, statfsSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { parseEnv } from 'node:util';
import { type Config, readConfig, secretsOf } from '../config/config.ts';
import { ConfigError, type Environment, misspelledVariables } from '../config/environment.ts';
import { Variables } from '../config/variables.ts';
import { SHORT_SECRET } from '../log.ts';
import { plansOf } from '../model/plan.ts';
import { OFFERED } from '../storage/sqlite/catalog/schema.ts';
import { catalogFolder, withoutNames } from '../storage/state.ts';

/** The result of one check. */
export interface Finding {
  /** What was checked. */
  check: string;
  /** `null`: it could not be found out. */
  ok: boolean | null;
  /** What is wrong and what to do, or why it could not be found out; empty when nothing is wrong. */
  cure: string;
  /** What is there, for the operator's eyes; empty when it is not worth a word. */
  found: string;
}

export function right(check: string, found = ''): Finding {
  return { check, ok: true, cure: '', found };
}

/** Nothing is wrong, and something could be better: @param cure what, and how */
function note(check: string, cure: string): Finding {
  return { check, ok: true, cure, found: cure };
}

/** @param cure whole sentences: what is wrong, and what to do about it */
export function wrong(check: string, cure: string): Finding {
  return { check, ok: false, cure, found: '' };
}

export function wrongs(check: string, cures: readonly (string | false | null | undefined | 0)[]): Finding[] {
  return cures.flatMap((cure) => (cure ? wrong(check, cure) : []));
}

/** @param cure whole sentences: why it could not be found out */
export function unknown(check: string, cure: string): Finding {
  return { check, ok: null, cure, found: '' };
}

/** The check that says so where the bot knows no card by name. */
export const NAMES = 'names';

/**
 * Everything that an operator can get wrong and that can be found out on this machine alone: sends nothing, changes
 * nothing.
 *
 * @param file the variables in `.env`, which holds none of other programs
 * @returns `config`: without the variables that are faulty, so that the rest can be checked; `undefined` when a required one is
 */
export function checkOffline(
  environment: Environment,
  file = envFile(),
): { config: Config | undefined; findings: Finding[] } {
  const { config, faults } = readUsable(environment);
  const settings = [
    ...faults,
    ...unread(environment, file),
    ...overridden(environment, file),
    ...(config ? contradictions(environment, config) : []),
  ];
  const areRight = settings.every(({ ok }) => ok);
  const findings = [
    ...(areRight ? [right('settings', 'all variables are valid and known')] : []),
    ...settings,
    ...ofEnvFile(),
    ...ofSqlite(),
    ...(config ? [...ofFolder(resolve(config.dataDir)), ...ofNames(config)] : []),
  ];
  return { config, findings };
}

function envFile(): Environment {
  return existsSync('.env') ? parseEnv(readFileSync('.env', 'utf8')) : {};
}

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

function unread(environment: Environment, file: Environment): Finding[] {
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
  return Object.entries(file)
    .filter(([name, value]) => name in Variables.shape && value?.trim() && (environment[name] ?? value) !== value)
    .map(([name]) =>
      note(name, 'Its value in the environment differs from the one in .env, and the environment wins.'),
    );
}

/** Variables without effect unless the other one is set, too. */
const NEEDED = {
  REDIS_KEY_PREFIX: 'REDIS_URL',
  HTTP_HOST: 'HTTP_PORT',
} as const;

const BOT_TOKEN = /^[^.]+\.[^.]+\.[^.]+$/;

/** Settings that are valid alone, and make no sense together. */
function contradictions(environment: Environment, config: Config): Finding[] {
  const isSet = (name: string) => Boolean(environment[name]?.trim());
  const { freshness, budgets, plan, discord, cardService, redis } = config;
  const { keepMs, factsFreshMs, pricesFreshMs } = freshness;
  const { memberDaily = 0, guildDaily = memberDaily } = budgets;
  const limits = plansOf(plan)[plan.plan];
  const abovePlan = (value = 0, most = value) =>
    value > most && `The plan ${plan.plan} allows ${most}. Remove it, or name the plan that allows more.`;
  const isShort = (secret = '') => secret !== '' && secret.length < SHORT_SECRET;
  const cures: Readonly<Record<string, string | false>> = {
    ...Object.fromEntries(
      Object.entries(NEEDED).map(([name, other]) => [
        name,
        isSet(name) && !isSet(other) && `It has no effect without ${other}. Set that, or remove this.`,
      ]),
    ),
    KEEP_SECONDS:
      keepMs < Math.max(factsFreshMs, pricesFreshMs) &&
      'Cards are dropped while they are still fresh. Write at least as much as each …_FRESH_SECONDS.',
    PRICES_FRESH_SECONDS:
      pricesFreshMs > factsFreshMs &&
      'Prices count as fresh for longer than the card that they belong to. Write at most FACTS_FRESH_SECONDS.',
    MEMBER_DAILY_REQUESTS:
      memberDaily > guildDaily &&
      'One member may cause more requests than the whole server. Write at most GUILD_DAILY_REQUESTS.',
    DISCORD_TOKEN:
      !BOT_TOKEN.test(discord.token) &&
      'It does not look like a bot token, which has three parts with dots between them. The client secret, the public key and the application id are something else: Developer Portal, your application, Bot, Reset Token.',
    'a secret':
      secretsOf({ cardService, redis }).some(isShort) &&
      `One of fewer than ${SHORT_SECRET} characters is kept out of the log only where it stands as a word of its own. Take a longer one.`,
    CARD_SERVICE_REQUESTS_PER_MINUTE: abovePlan(plan.requestsPerMinute, limits?.requestsPerMinute),
    CARD_SERVICE_BURST: abovePlan(plan.burst, limits?.burst),
  };
  return Object.entries(cures).flatMap(([name, cure]) => (cure ? wrong(name, cure) : []));
}

/** On Windows its mode does not say. */
function ofEnvFile(): Finding[] {
  const { mode = 0 } = statSync('.env', { throwIfNoEntry: false }) ?? {};
  const isOpen = process.platform !== 'win32' && (mode & 0o077) !== 0;
  return isOpen ? [wrong('.env', 'Other users can read the token in it. Run: chmod 600 .env')] : [];
}

/** One that is built by a distribution may lack it. In memory, in a millisecond. */
function ofSqlite(): Finding[] {
  using database = new DatabaseSync(':memory:');
  try {
    database.exec('CREATE VIRTUAL TABLE words USING fts5 (word)');
    return [];
  } catch {
    const cure = 'It lacks FTS5, so cards cannot be found by name. Run the bot by npm start, with the Node of npm ci.';
    return [wrong(`SQLite of Node ${process.version}`, cure)];
  }
}

const FOLDER_CHECK = 'data directory';
const ROOT = 0;
/** The cache alone grows to 500 MB when half a million cards are looked up; less than this fills up within days. */
const LEAST_FREE_BYTES = 200_000_000;

/** Whether this user can keep files there, and other users cannot read them. */
function ofFolder(folder: string): Finding[] {
  const stats = statSync(folder, { throwIfNoEntry: false });
  if (!stats) return [ofMissing(folder)];
  if (!stats.isDirectory()) return [wrong(FOLDER_CHECK, `${folder} is a file. Set DATA_DIR to a folder.`)];
  const { uid, mode } = stats;
  const user = process.getuid?.() ?? uid;
  const isUsable = isAllowed(folder);
  const { bavail, bsize } = isUsable ? statfsSync(folder) : { bavail: LEAST_FREE_BYTES, bsize: 1 };
  const free = bavail * bsize;
  const faults = wrongs(FOLDER_CHECK, [
    // An operator may run the doctor as root, and the bot as somebody else.
    (!isUsable || (user !== uid && user !== ROOT)) &&
      `It belongs to user ${uid}, and the bot runs as user ${user}. Run as root: chown -R ${user} ${folder}`,
    isUsable && mode & 0o022 && `Other users can change files in ${folder}. Run: chmod 700 ${folder}`,
    free < LEAST_FREE_BYTES &&
      `Only ${Math.floor(free / 1_000_000)} MB are free in ${folder}, and 200 should be. Free some, or set DATA_DIR to another disk.`,
  ]);
  return [...(faults.length > 0 ? faults : [right(FOLDER_CHECK, folder)]), ...(isUsable ? ofFiles(folder, user) : [])];
}

/** The bot creates it. */
function ofMissing(folder: string): Finding {
  let parent = dirname(folder);
  while (!existsSync(parent)) parent = dirname(parent);
  if (statSync(parent).isDirectory() && isAllowed(parent)) return right(FOLDER_CHECK, `${folder} will be created`);
  const why = `${folder} cannot be created, since ${parent} is no folder that this user can write to.`;
  return wrong(FOLDER_CHECK, `${why} Create it, or set DATA_DIR.`);
}

/** They hold members' ids, and `state.sqlite` interaction tokens. */
function ofFiles(folder: string, user: number): Finding[] {
  return readdirSync(folder)
    .filter((name) => name.includes('.sqlite'))
    .flatMap((name) => {
      const file = join(folder, name);
      const stats = statSync(file, { throwIfNoEntry: false });
      if (stats === undefined) return []; // a bot that runs has removed it since
      if (!isAllowed(file, constants.R_OK | constants.W_OK))
        return wrong(name, `User ${user} cannot read and write it. Run as root: chown -h ${user} ${file}`);
      return stats.mode & 0o077 ? wrong(name, `Other users can read it. Run: chmod 600 ${file}`) : [];
    });
}

function isAllowed(path: string, mode = constants.R_OK | constants.W_OK | constants.X_OK): boolean {
  try {
    accessSync(path, mode);
    return true;
  } catch {
    return false;
  }
}

function ofNames({ dataDir, cardService: { scope, description } }: Config): Finding[] {
  const file = join(catalogFolder(dataDir, scope), 'catalog.sqlite');
  try {
    if (statSync(file, { throwIfNoEntry: false })) {
      using database = new DatabaseSync(file, { readOnly: true });
      if (database.prepare(`SELECT 1 FROM cards WHERE ${OFFERED} LIMIT 1`).get()) return [];
    }
  } catch {
    return []; // it is of another version, or others have said that it cannot be read
  }
  return [note(NAMES, withoutNames(description.names))];
}
