import { z } from 'zod';
import { isPublicHost } from '../model/card.ts';
import { OperatorError } from '../model/errors.ts';
import { errorsFrom } from '../model/typing-errors.ts';

function number(what: string, least: number, most = Number.MAX_VALUE) {
  return z.coerce.number(`write ${what}`).min(least, `write ${least} or more`).max(most, `write ${most} or less`);
}
const whole = (least: number, most?: number, what = 'a number') =>
  number(what, least, most).int('write a whole number');
/** At most a century: times stay far below what a date or a row can hold. */
const seconds = (most = 3_153_600_000) => number('a number of seconds', 0, most);

const text = (form: RegExp, cure?: string) => z.string().regex(form, cure);
const count = whole(1).optional();
const oneOf = <const Value extends string>(values: readonly Value[]) =>
  z.enum(values, `write one of: ${values.join(', ')}`);

const onOff = oneOf(['on', 'off']);

/** An address for which `isUsable`; otherwise the message is `cure`. */
function address(protocol: RegExp, wanted: string, isUsable: (url: URL) => boolean, cure = wanted) {
  const error = ({ input }: { input: unknown }) => `${input === undefined ? 'missing; ' : ''}${wanted}`;
  return z.url({ protocol, error }).refine((text) => !URL.canParse(text) || isUsable(new URL(text)), cure);
}

/** What an address of a service must be. */
export const WANTED_ADDRESS = 'write an address that begins with https:// or http://';

const httpUrl = address(
  /^https?$/,
  WANTED_ADDRESS,
  ({ username, password, href }) => username + password === '' && !/[?#]/.test(href),
  'write the address without user, password, ? and #',
);

/** An address for each card; an embed links to nothing but public hosts. */
const pageAddress = text(
  /^https?:\/\/[^/?#{}\s]+[/?#](?=[^\s]*\{)(?:[^{}\s]|\{(?:id|name|number)\})*$/,
  'write an address that begins with https:// and holds {id}, {name} or {number}, such as https://shop.example/cards/{id}',
).refine((text) => isPublicHost(URL.parse(text)?.hostname ?? ''), 'write the address of a host that anybody can reach');

const SHARDS = /^\d{1,5}(\s*,\s*\d{1,5})*$/;
const shardList = text(SHARDS).transform((text) => [...new Set(text.split(',').map(Number))]);

/** Variables of both `npm run commands` and the bot. */
export const DiscordVariables = z.object({
  DISCORD_TOKEN: z
    .string('missing; write the bot token (Discord Developer Portal, your application, Bot, Reset Token)')
    .regex(/^[\x21-\x7e]+$/, 'write the bot token alone, without "Bot" before it, spaces, line breaks or quotes'),
  DISCORD_API_URL: httpUrl
    .refine((text) => !/\/v\d+\/*$/.test(text), 'write the address without version, such as https://discord.com/api')
    .transform(withoutLastSlash)
    .default('https://discord.com/api'),
  USER_INSTALL_DAILY_REQUESTS: whole(0).optional(),
});

/** Where things are stored: variables of both `npm run catalog` and the bot. */
export const StorageVariables = z.object({
  DATA_DIR: z.string().min(1).default('./data'),
  REDIS_URL: address(
    /^rediss?$/,
    'write an address that begins with redis:// or rediss://, such as redis://127.0.0.1:6379',
    redisCanRead,
    'write redis://:PASSWORD@HOST:PORT/NUMBER, with %25 for % in the password; password, port and number may be left out',
  ).optional(),
  REDIS_KEY_PREFIX: text(/^[\w.:-]+$/, 'write letters, digits, and . : - _ only').default('cardbot'),
});

/** Where the card service is: variables of `npm run doctor -- --service`, `npm run catalog -- fetch` and the bot. */
export const CardServiceVariables = z.object({
  CARD_SERVICE: z.string().optional(),
  // Cards and quota are stored per address, so each address must have one spelling.
  CARD_SERVICE_URL: httpUrl.transform(withoutLastSlash).optional(),
  CARD_SERVICE_API_KEY: text(
    /^[\x21-\x7e]+$/,
    'write the key without spaces and line breaks, also at its end',
  ).optional(),
  CARD_SERVICE_CARD_PATH: text(
    /^\/[^?#{}]*\{id\}[^?#{}]*$/,
    'write a path that begins with / and holds {id} once, such as /cards/{id}',
  ).default('/cards/{id}'),
  CARD_SERVICE_BULK_PATH: text(
    /^(?:(?:GET +)?\/[^#{}]*\{ids\}[^#{}]*|POST +\/[^#{}]*)$/,
    'write a path with {ids} in it, such as /cards?ids={ids}, or POST and a path, such as POST /cards/batch',
  ).optional(),
  CARD_SERVICE_TIMEOUT_MS: number('a number of milliseconds', 100, 120_000).default(10_000),
  CARD_SERVICE_PLAN: z.string().default('auto'),
  CARD_SERVICE_REQUESTS_PER_MINUTE: number('a number', 1).optional(),
});

/** Variables of the bot. */
export const Variables = DiscordVariables.extend({
  ...StorageVariables.shape,
  ...CardServiceVariables.shape,
  CARD_SERVICE_REQUESTS_PER_DAY: count,
  CARD_SERVICE_REQUESTS_PER_MONTH: count,
  CARD_SERVICE_MONTH_BEGINS: whole(1, 28).default(1),
  CARD_SERVICE_BURST: count,
  FACTS_FRESH_SECONDS: seconds().default(604_800),
  PRICES_FRESH_SECONDS: seconds().default(21_600),
  KEEP_SECONDS: seconds().default(7_776_000),
  CARD_PAGE_URL: pageAddress.optional(),
  CARD_PICTURES: onOff.optional(),
  // Discord accepts edits of a deferred reply for 15 minutes; this leaves one for the request and the edit.
  LONGEST_WAIT_SECONDS: seconds(840).default(300),
  PRICE_CURRENCY: z
    .enum(Intl.supportedValuesOf('currency'), 'write an ISO 4217 code in capitals, such as EUR')
    .optional(),
  HTTP_PORT: whole(0, 65_535, 'a port').optional(),
  HTTP_HOST: text(/^[\w.:-]+$/, 'write an address of this machine, such as 127.0.0.1 or 0.0.0.0').default('127.0.0.1'),
  ALERT_WEBHOOK_URL: address(
    /^https?$/,
    'write the address of a Discord webhook, such as https://discord.com/api/webhooks/… (channel, Integrations, Webhooks)',
    ({ pathname }) => /\/webhooks\/\d+\/[\w-]+\/?$/.test(pathname),
  ).optional(),
  MEMBER_HISTORY: onOff.default('on'),
  WATCH_RENEWALS: onOff.default('on'),
  REGISTER_COMMANDS: onOff.default('on'),
  LOG_LEVEL: oneOf(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']).default('info'),
  DISCORD_SHARDS: z
    .union([z.literal('auto'), shardList], "write auto, or this process's shards, such as 0,1")
    .default('auto'),
  DISCORD_SHARD_COUNT: whole(1, undefined, 'how many shards there are on all machines').optional(),
  GUILD_DAILY_REQUESTS: count,
  MEMBER_DAILY_REQUESTS: whole(0).optional(),
});

/** What variables that are valid alone must not say together; faulty ones are read as they were written. */
export function conflictsIn(environment: Environment): Problem[] {
  const values = set(environment);
  const { DISCORD_SHARDS: shards = 'auto', DISCORD_SHARD_COUNT: given, CARD_SERVICE_API_KEY: key } = values;
  const count = Number(given);
  const own = SHARDS.test(shards) ? shards.split(',') : [];
  return problemsIn([
    ['DISCORD_SHARD_COUNT', shards === 'auto' && count >= 1, "needs DISCORD_SHARDS: write this process's shards there"],
    [
      'DISCORD_SHARD_COUNT',
      own.length > 0 && given === undefined,
      'is required with DISCORD_SHARDS: write how many shards there are on all machines',
    ],
    [
      'DISCORD_SHARDS',
      own.some((shard) => Number(shard) >= count),
      `shards are numbered from 0: with ${count} of them, write numbers below that`,
    ],
    // The key is sent to the card service.
    [
      'CARD_SERVICE_API_KEY',
      key !== undefined && key === values.DISCORD_TOKEN,
      "is the same as DISCORD_TOKEN, which nobody else may see: write the card service's key",
    ],
  ]);
}

/** Whether something is wrong with a variable, and what. */
export type Check = [name: string, isWrong: boolean, message: string];

export function problemsIn(checks: readonly Check[]): Problem[] {
  return checks.filter(([, isWrong]) => isWrong).map(([name, , message]) => ({ name, message }));
}

function redisCanRead({ username, password, pathname }: URL): boolean {
  try {
    decodeURIComponent(username + password);
  } catch {
    return false;
  }
  return /^\/?\d*$/.test(pathname);
}

function withoutLastSlash(address: string): string {
  return address.replace(/\/+$/, '');
}

export type Environment = Readonly<Record<string, string | undefined>>;

/** What is wrong with a variable, for operators. */
export interface Problem {
  name: string;
  message: string;
}

/** The configuration is invalid; the message names every problem, one per line. */
export class ConfigError extends OperatorError {
  /** One for each variable that is missing or invalid. */
  readonly problems: readonly Problem[];

  constructor(problems: readonly Problem[], misspelled: ReturnType<typeof misspelledVariables> = []) {
    const lines = [
      ...problems.map(({ name, message }) => `  ${name}: ${message}`),
      ...misspelled.map(({ name, meant }) => `  ${name}: unknown; did you mean ${meant}?`),
    ];
    super(`The configuration is invalid (see .env.example):\n${lines.join('\n')}`);
    this.problems = problems;
  }
}

/** Node strips the quotes in a `.env`; those that arrive here are a mistake. */
const QUOTED = /^\s*(['"`]).*\1\s*$/s;

/** @param more what else is wrong with the configuration @throws ConfigError */
export function parse<T extends z.ZodObject>(
  schema: T,
  environment: Environment,
  more: readonly Problem[] = [],
): z.output<T> {
  const values = set(environment);
  const read = schema.safeParse(values);
  const quoted = Object.keys(schema.shape).filter((name) => QUOTED.test(values[name] ?? ''));
  if (read.success && quoted.length + more.length === 0) return read.data;
  const issues = read.error?.issues.map(({ path, message }) => ({ name: path.join('.'), message })) ?? [];
  const problems = [
    ...quoted.map((name) => ({ name, message: 'write it without quotes: docker --env-file does not strip them' })),
    ...[...issues, ...more].filter(({ name }) => !quoted.includes(name)),
  ];
  throw new ConfigError(problems, misspelledVariables(environment, schema));
}

/** An empty variable counts as unset, because `.env.example` lists them all. */
export function set(environment: Environment): Environment {
  return Object.fromEntries(Object.entries(environment).filter(([, value]) => value?.trim()));
}

/**
 * Variables that are set and that nothing reads, and the known one of `wanted` that each resembles. A name with a digit
 * is never reported: no variable of the bot has one, so DISCORD_TOKEN_2 is intended. Names only, never values.
 */
export function misspelledVariables(environment: Environment, wanted: z.ZodObject = Variables) {
  const known = Object.keys(Variables.shape);
  return Object.keys(set(environment)).flatMap((name) => {
    if (known.includes(name) || /\d/.test(name)) return [];
    const meant = nearestTo(name, known);
    return meant !== undefined && meant in wanted.shape ? [{ name, meant }] : [];
  });
}

/**
 * The known name that differs in capitals, separators or a few letters, if there is one. Only a few, so that names of
 * other programs are not taken for ours, such as the CARD_SERVICE_PORT that Kubernetes sets.
 */
export function nearestTo(name: string, known: readonly string[]): string | undefined {
  const lettersOf = (text: string) => text.toUpperCase().replace(/[^A-Z]/g, '');
  const errorsIn = errorsFrom(lettersOf(name));
  const near = known.flatMap((meant) => {
    const letters = lettersOf(meant);
    const errors = errorsIn(letters).whole;
    return errors <= mostErrors(letters.length) ? { meant, errors } : [];
  });
  return near.sort((a, b) => a.errors - b.errors)[0]?.meant;
}

/** A judgement: up to here a reader takes it for the same name. */
function mostErrors(length: number): number {
  if (length < 12) return 1;
  return length < 17 ? 2 : 3;
}
