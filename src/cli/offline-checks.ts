import { accessSync, constants, existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { parseEnv } from 'node:util';
import { OFFERED } from '../catalog/card-index.ts';
import { type Config, readConfig, secretsOf } from '../config/config.ts';
import { ConfigError, type Environment, misspelledVariables, Variables } from '../config/variables.ts';
import { SHORT_SECRET } from '../log.ts';
import { cardIdReader } from '../model/card-id.ts';
import { plansOf } from '../model/plan.ts';
import { catalogFolder, withoutNames } from '../storage/state.ts';

/** The result of one check. */
export interface Finding {
  /** What was checked. */
  check: string;
  /** `null`: it could not be found out. */
  ok: boolean | null;
  /** What is wrong and what to do, or why it could not be found out; empty when there is nothing to do. */
  cure: string;
  /** What is there, for the operator's eyes; empty when it is not worth a word. */
  found: string;
}

export function right(check: string, found = '', cure = ''): Finding {
  return { check, ok: true, cure, found };
}

/** @param cure whole sentences: what is wrong, and what to do about it */
export function wrong(check: string, cure: string): Finding {
  return { check, ok: false, cure, found: '' };
}

/** Those that hold. */
export function wrongs(check: string, cures: readonly (string | false | null | undefined | 0)[]): Finding[] {
  return cures.flatMap((cure) => (cure ? wrong(check, cure) : []));
}

/** @param cure whole sentences: why it could not be found out */
export function unknown(check: string, cure: string): Finding {
  return { check, ok: null, cure, found: '' };
}

/** Right, and something could be better. */
function note(check: string, cure: string): Finding {
  return right(check, cure, cure);
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
    ...wrongs('.env', [isOpen('.env', 0o077) && 'Other users can read the token in it. Run: chmod 600 .env']),
    ...(config ? [...ofFolder(resolve(config.dataDir)), ...ofNames(config)] : []),
  ];
  return { config, findings };
}

function envFile(): Environment {
  return existsSync('.env') ? parseEnv(readFileSync('.env', 'utf8')) : {};
}

/** What can be read without the variables that are faulty. */
function readUsable(environment: Environment): { config?: Config; faults: Finding[] } {
  try {
    return { config: readConfig(environment), faults: [] };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const { problems } = error;
    const others = Object.entries(environment).filter(([name]) => !problems.some((each) => each.name === name));
    const isLess = others.length < Object.keys(environment).length;
    const faults = problems.map(({ name, message }) => wrong(name, message));
    return { ...(isLess && readUsable(Object.fromEntries(others))), faults };
  }
}

/** Variables that other programs read, and that an operator may have in `.env`; compose.yaml reads REDIS_PASSWORD. */
const OF_OTHERS =
  /^(NODE_|UV_|LC_|SSL_CERT_|COMPOSE_|DOCKER_|npm_)|^(TZ|LANG|CHROMIUM_PATH|REDIS_PASSWORD|REQUIRE_REAL_REDIS)$|_proxy$/i;

function unread(environment: Environment, file: Environment): Finding[] {
  const misspelled = misspelledVariables({ ...file, ...environment });
  const known = [...Object.keys(Variables.shape), ...misspelled.map(({ name }) => name)];
  const strange = Object.keys(file).filter((name) => !known.includes(name) && !OF_OTHERS.test(name));
  return [
    ...misspelled.map(({ name, meant }) => wrong(name, `Nothing reads it. Did you mean ${meant}?`)),
    ...strange.map((name) => wrong(name, 'Nothing reads it. Remove it from .env, or look it up in .env.example.')),
  ];
}

/** The environment wins over the file, as whoever set it there may have meant. */
function overridden(environment: Environment, file: Environment): Finding[] {
  return Object.entries(file)
    .filter(([name, value]) => name in Variables.shape && value?.trim() && (environment[name] ?? value) !== value)
    .map(([name]) => note(name, 'Its value in the environment differs from the one in .env; the environment wins.'));
}

const BOT_TOKEN = /^[^.]+\.[^.]+\.[^.]+$/;

/** Settings that are valid alone, and make no sense together. */
function contradictions(environment: Environment, config: Config): Finding[] {
  const { freshness, budgets, plan, discord, cardService, redis } = config;
  const { keepMs, factsFreshMs, pricesFreshMs } = freshness;
  const { memberDaily = 0, guildDaily = memberDaily } = budgets;
  const limits = plansOf(plan)[plan.plan];
  const isSet = (name: string) => Boolean(environment[name]?.trim());
  const without = (name: string, other: string) =>
    isSet(name) && !isSet(other) && `It has no effect without ${other}. Set that, or remove this.`;
  const abovePlan = (value = 0, most = value) =>
    value > most && `The plan ${plan.plan} allows ${most}. Remove it, or name the plan that allows more.`;
  const isShort = (secret = '') => secret !== '' && secret.length < SHORT_SECRET;
  const cures: Readonly<Record<string, string | false>> = {
    REDIS_KEY_PREFIX: without('REDIS_KEY_PREFIX', 'REDIS_URL'),
    HTTP_HOST: without('HTTP_HOST', 'HTTP_PORT'),
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
      'It does not look like a bot token, which has three parts with dots between them: Developer Portal, your application, Bot, Reset Token.',
    'a secret':
      secretsOf({ cardService, redis }).some(isShort) &&
      `One of fewer than ${SHORT_SECRET} characters (CARD_SERVICE_API_KEY, or the password in REDIS_URL) may stand in the log as a part of a word. Take a longer one.`,
    CARD_SERVICE_REQUESTS_PER_MINUTE: abovePlan(plan.requestsPerMinute, limits?.requestsPerMinute),
    CARD_SERVICE_BURST: abovePlan(plan.burst, limits?.burst),
  };
  return Object.entries(cures).flatMap(([name, cure]) => wrongs(name, [cure]));
}

const FOLDER_CHECK = 'data directory';

/** Whether the bot, which creates a folder that is absent, can keep files there, and others cannot read them. */
function ofFolder(folder: string): Finding[] {
  let at = folder;
  while (!existsSync(at)) at = dirname(at);
  if (!statSync(at).isDirectory()) return [wrong(FOLDER_CHECK, `${at} is a file. Set DATA_DIR to a folder.`)];
  if (at !== folder && isUsable(at)) return [right(FOLDER_CHECK, `${folder} will be created`)];
  if (at !== folder) return [wrong(FOLDER_CHECK, `${folder} cannot be created. Create it, or set DATA_DIR.`)];
  const faults = ofRights(FOLDER_CHECK, folder);
  if (faults.length > 0) return faults;
  // They hold members' ids, and `state.sqlite` interaction tokens.
  const files = readdirSync(folder).filter((name) => name.includes('.sqlite'));
  return [right(FOLDER_CHECK, folder), ...files.flatMap((name) => ofRights(name, join(folder, name)))];
}

/** What is wrong with the rights of a file that only the bot should read, or a folder that only it should change. */
function ofRights(check: string, path: string): Finding[] {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return []; // a bot that runs has removed it since
  const user = process.getuid?.();
  if (!isUsable(path))
    return [wrong(check, `User ${user} cannot read and write it. Run as root: chown -hR ${user} ${path}`)];
  const [others, cure] = stats.isDirectory() ? [0o022, 'chmod 700'] : [0o077, 'chmod 600'];
  return wrongs(check, [isOpen(path, others) && `Other users can read or change it. Run: ${cure} ${path}`]);
}

/** Whether these rights are given. On Windows its mode does not say. */
function isOpen(path: string, rights: number): boolean {
  const { mode = 0 } = statSync(path, { throwIfNoEntry: false }) ?? {};
  return process.platform !== 'win32' && (mode & rights) !== 0;
}

function isUsable(path: string): boolean {
  try {
    accessSync(path, constants.R_OK | constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

function ofNames(config: Config): Finding[] {
  const hasNone = idsByName(config)?.length === 0;
  return hasNone ? [note(NAMES, withoutNames(config.cardService.description.names))] : [];
}

/**
 * Ids of some cards that members can find by name, the likeliest first; `undefined` where the file cannot be read, or
 * is of another version.
 */
export function idsByName({ dataDir, cardService }: Config): string[] | undefined {
  const file = join(catalogFolder(dataDir, cardService.scope), 'catalog.sqlite');
  const readId = cardIdReader(cardService.description.card);
  try {
    if (statSync(file, { throwIfNoEntry: false }) === undefined) return [];
    using database = new DatabaseSync(file, { readOnly: true });
    const some = `SELECT id, confirmed FROM cards WHERE ${OFFERED} LIMIT 100`;
    const rows = database.prepare(`SELECT id FROM (${some}) ORDER BY confirmed DESC`).all();
    return rows.flatMap(({ id }) => readId(String(id)) ?? []);
  } catch {
    return undefined;
  }
}
