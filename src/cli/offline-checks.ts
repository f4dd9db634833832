import { accessSync, constants, existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { parseEnv } from 'node:util';
import { OFFERED } from '../catalog/card-index.ts';
import { type Config, readConfig, secretsOf } from '../config/config.ts';
import {
  type Check,
  ConfigError,
  type Environment,
  misspelledVariables,
  type Problem,
  problemsIn,
  set,
  Variables,
} from '../config/variables.ts';
import { SHORT_SECRET } from '../log.ts';
import { cardIdReader } from '../service/service-description.ts';
import { catalogFolder, DatabaseUnusable } from '../storage/sqlite/file.ts';

/** The result of one check. */
export interface Finding {
  /** What was checked. */
  check: string;
  /** `null`: it could not be found out. */
  ok: boolean | null;
  /** What is there, what is wrong and what to do, or why it could not be found out. */
  cure: string;
  /** Whoever was asked could not be reached or lets nobody in just now: that says nothing of what was checked. */
  noAnswer?: true;
}

const finding =
  (ok: Finding['ok']) =>
  (check: string, cure: string): Finding => ({ check, ok, cure });
export const right = finding(true);
export const wrong = finding(false);
export const unknown = finding(null);

/** @param cure empty where nothing is wrong */
export function verdict(check: string, cure: string | false | undefined, found: string): Finding {
  return cure ? wrong(check, cure) : right(check, found);
}

/** The check of the cards that the bot knows by name: that there are some, and that their ids can be looked up. */
export const NAMES = 'names';

/** What can be said without asking anybody. */
export interface Checked {
  /** Without the variables that are faulty; empty where one of them is required. */
  config: Partial<Config>;
  findings: Finding[];
  /** The likeliest of the cards that members can find by name. */
  knownId?: string | undefined;
}

/**
 * Everything that an operator can get wrong and that can be found out on this machine alone: sends nothing, changes
 * nothing.
 *
 * @param file the variables in `.env`, which holds none of other programs
 */
export function checkOffline(
  environment: Environment,
  file: Environment = existsSync('.env') ? parseEnv(readFileSync('.env', 'utf8')) : {},
): Checked {
  const { config, problems } = readUsable(environment);
  const faults = [...problems, ...unread(environment, file, config)];
  if (config) faults.push(...contradictions(environment, config));
  const findings = faults.map(({ name, message }) => wrong(name, message));
  if (faults.length === 0) findings.push(right('settings', 'all variables are valid and known'));
  findings.push(...overridden(environment, file), ...ofOthers('.env', '.env'));
  if (!config) return { config: {}, findings };
  findings.push(...ofFolder(resolve(config.dataDir)));
  const { card, names } = config.cardService.description;
  const ids = idsByName(config);
  const usable = ids?.flatMap((id) => cardIdReader(card)(id) ?? []);
  const cure = names ? 'Run: npm run catalog -- fetch' : 'Give it a list: docs/catalogues.md';
  if (ids?.length === 0)
    findings.push(right(NAMES, `The bot knows no card by name yet, so members can only type ids. ${cure}`));
  else if (usable?.length === 0)
    findings.push(wrong(NAMES, `\`card.ids\` in the description takes no id such as ${ids?.[0]}.`));
  return { config, findings, knownId: usable?.[0] };
}

/** What can be read without the variables that are faulty. */
function readUsable(environment: Environment): { config?: Config; problems: readonly Problem[] } {
  try {
    return { config: readConfig(environment), problems: [] };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const { problems } = error;
    const others = Object.entries(environment).filter(([name]) => !problems.some((each) => each.name === name));
    const isLess = others.length < Object.keys(environment).length;
    return { ...(isLess && readUsable(Object.fromEntries(others))), problems };
  }
}

/** Variables that other programs read, and that an operator may have in `.env`; compose.yaml reads REDIS_PASSWORD. */
const OF_OTHERS =
  /^(NODE_|UV_|LC_|SSL_CERT_|COMPOSE_|DOCKER_|npm_)|^(TZ|LANG|CHROMIUM_PATH|REDIS_PASSWORD|REQUIRE_REAL_REDIS)$|_proxy$/i;

/** @param config absent: what the description of the card service reads is not known, and so not what nothing reads */
function unread(environment: Environment, file: Environment, config: Config | undefined): Problem[] {
  const headers = Object.values(config?.cardService.description.headers ?? {});
  const isRead = (name: string) => name in Variables.shape || headers.includes(`$${name}`) || OF_OTHERS.test(name);
  const misspelled = misspelledVariables({ ...file, ...environment });
  const cures = new Map(misspelled.map(({ name, meant }) => [name, `Did you mean ${meant}?`]));
  for (const name of Object.keys(config ? file : {}))
    if (!cures.has(name) && !isRead(name)) cures.set(name, 'Remove it from .env.');
  return [...cures].map(([name, cure]) => ({ name, message: `Nothing reads it. ${cure}` }));
}

/** The environment wins over the file, as whoever set it there may have meant. */
function overridden(environment: Environment, file: Environment): Finding[] {
  return Object.entries(set(file))
    .filter(([name, value]) => name in Variables.shape && (environment[name] ?? value) !== value)
    .map(([name]) => right(name, 'Its value in the environment differs from the one in .env; the environment wins.'));
}

/** Settings that are valid alone, and make no sense together. */
function contradictions(
  environment: Environment,
  { freshness, budgets, plan, discord, cardService, redis }: Config,
): Problem[] {
  const { keepMs, factsFreshMs, pricesFreshMs } = freshness;
  const { memberDaily = 0, guildDaily = memberDaily } = budgets;
  const limits = plan.plans[plan.plan];
  const values = set(environment);
  const abovePlan = (name: string, value = 0, most = value): Check => [
    name,
    value > most,
    `The plan ${plan.plan} allows ${most}. Remove it, or name the plan that allows more.`,
  ];
  const isShort = (secret = '') => secret !== '' && secret.length < SHORT_SECRET;
  return problemsIn([
    [
      'REDIS_KEY_PREFIX',
      'REDIS_KEY_PREFIX' in values && !('REDIS_URL' in values),
      'It has no effect without REDIS_URL.',
    ],
    ['HTTP_HOST', 'HTTP_HOST' in values && !('HTTP_PORT' in values), 'It has no effect without HTTP_PORT.'],
    [
      'KEEP_SECONDS',
      keepMs < Math.max(factsFreshMs, pricesFreshMs),
      'Cards are dropped while they are still fresh. Write at least as much as each …_FRESH_SECONDS.',
    ],
    [
      'PRICES_FRESH_SECONDS',
      pricesFreshMs > factsFreshMs,
      'Prices count as fresh for longer than their card. Write at most FACTS_FRESH_SECONDS.',
    ],
    [
      'MEMBER_DAILY_REQUESTS',
      memberDaily > guildDaily,
      'One member may cause more requests than the whole server. Write at most GUILD_DAILY_REQUESTS.',
    ],
    [
      'DISCORD_TOKEN',
      discord.token.split('.').filter(Boolean).length !== 3,
      'It does not look like a bot token, which has three parts with dots between them.',
    ],
    [
      'a secret',
      secretsOf({ cardService, redis }).some(isShort),
      `One of fewer than ${SHORT_SECRET} characters (CARD_SERVICE_API_KEY, or the password in REDIS_URL) may stand in the log as a part of a word. Take a longer one.`,
    ],
    abovePlan('CARD_SERVICE_REQUESTS_PER_MINUTE', plan.requestsPerMinute, limits?.requestsPerMinute),
    abovePlan('CARD_SERVICE_BURST', plan.burst, limits?.burst),
  ]);
}

/** Whether the bot, which creates a folder that is absent, can keep files there, and others cannot read them. */
function ofFolder(folder: string): Finding[] {
  const check = 'data directory';
  let at = folder;
  while (!existsSync(at)) at = dirname(at);
  try {
    const files = readdirSync(at).filter((name) => at === folder && name.includes('.sqlite'));
    for (const name of ['', ...files]) accessSync(join(at, name), constants.R_OK | constants.W_OK);
    // The files hold members' ids, and `state.sqlite` interaction tokens.
    const open = [...ofOthers(check, folder, 0o022), ...files.flatMap((name) => ofOthers(name, join(folder, name)))];
    return open.length > 0 ? open : [right(check, at === folder ? folder : `${folder} will be created`)];
  } catch (error) {
    return [wrong(check, new DatabaseUnusable(join(folder, 'state.sqlite'), error).message)];
  }
}

/** That others have rights which they should not have, of a file any. On Windows its mode does not say. */
function ofOthers(check: string, path: string, rights = 0o077): Finding[] {
  const { mode = 0 } = statSync(path, { throwIfNoEntry: false }) ?? {};
  const isOpen = process.platform !== 'win32' && (mode & rights) !== 0;
  return isOpen ? [wrong(check, `Other users can read or change it. Run: chmod go-rwx ${path}`)] : [];
}

/**
 * Ids of some cards that members can find by name, the likeliest first; `undefined` where the file cannot be read, or
 * is of another version.
 */
function idsByName({ dataDir, cardService }: Config): string[] | undefined {
  const file = join(catalogFolder(dataDir, cardService.scope), 'catalog.sqlite');
  try {
    if (!statSync(file, { throwIfNoEntry: false })) return [];
    using database = new DatabaseSync(file, { readOnly: true });
    const some = `SELECT * FROM (SELECT id, confirmed FROM cards WHERE ${OFFERED} LIMIT 100) ORDER BY confirmed DESC`;
    return database
      .prepare(some)
      .all()
      .map(({ id }) => String(id));
  } catch {
    return undefined;
  }
}
