import { z } from 'zod';
import { isPublicHost } from '../model/public-host.ts';
import { conflicts } from './conflicts.ts';

/** Discord accepts edits of a deferred reply for 15 minutes; this leaves one for the request and the edit. */
const LONGEST_WAIT_LIMIT_SECONDS = 840;

/** A century: times stay far below what a date or a row can hold. */
const MOST_SECONDS = 3_153_600_000;

function number(what: string, least: number, most = Number.MAX_VALUE) {
  const from = z.coerce.number(`write ${what}`).min(least, `write ${least} or more`);
  return from.max(most, `write ${most} or less`);
}
const whole = (least: number, most?: number, what = 'a number') =>
  number(what, least, most).int('write a whole number');
const seconds = (fallback: number, most = MOST_SECONDS) => number('a number of seconds', 0, most).default(fallback);

const oneOf = <const Value extends string>(values: readonly Value[]) =>
  z.enum(values, `write one of: ${values.join(', ')}`);

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
const pageAddress = z
  .string()
  .regex(
    /^https?:\/\/[^/?#{}\s]+[/?#](?=[^\s]*\{)(?:[^{}\s]|\{(?:id|name|number)\})*$/,
    'write an address that begins with https:// and holds {id}, {name} or {number}, such as https://shop.example/cards/{id}',
  )
  .refine(
    (text) => isPublicHost(URL.parse(text)?.hostname ?? ''),
    'write the address of a host that anybody can reach',
  );

const shardList = z
  .string()
  .regex(/^\d{1,5}(\s*,\s*\d{1,5})*$/)
  .transform((text) => [...new Set(text.split(',').map(Number))]);

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
  REDIS_KEY_PREFIX: z
    .string()
    .regex(/^[\w.:-]+$/, 'write letters, digits, and . : - _ only')
    .default('cardbot'),
});

/** Where the card service is: variables of `npm run doctor -- --service`, `npm run catalog -- fetch` and the bot. */
export const CardServiceVariables = z.object({
  CARD_SERVICE: z.string().optional(),
  // Cards and quota are stored per address, so each address must have one spelling.
  CARD_SERVICE_URL: httpUrl.transform(withoutLastSlash).optional(),
  CARD_SERVICE_API_KEY: z
    .string()
    .regex(/^[\x21-\x7e]+$/, 'write the key without spaces and line breaks, also at its end')
    .optional(),
  CARD_SERVICE_CARD_PATH: z
    .string()
    .regex(/^\/[^?#{}]*\{id\}[^?#{}]*$/, 'write a path that begins with / and holds {id} once, such as /cards/{id}')
    .default('/cards/{id}'),
  CARD_SERVICE_BULK_PATH: z
    .string()
    .regex(
      /^(?:(?:GET +)?\/[^#{}]*\{ids\}[^#{}]*|POST +\/[^#{}]*)$/,
      'write a path with {ids} in it, such as /cards?ids={ids}, or POST and a path, such as POST /cards/batch',
    )
    .optional(),
  CARD_SERVICE_TIMEOUT_MS: number('a number of milliseconds', 100, 120_000).default(10_000),
  CARD_SERVICE_PLAN: z.string().default('auto'),
  CARD_SERVICE_REQUESTS_PER_MINUTE: number('a number', 1).optional(),
});

/** Variables of the bot. */
export const Variables = DiscordVariables.extend({
  ...StorageVariables.shape,
  ...CardServiceVariables.shape,
  CARD_SERVICE_REQUESTS_PER_DAY: whole(1).optional(),
  CARD_SERVICE_REQUESTS_PER_MONTH: whole(1).optional(),
  CARD_SERVICE_MONTH_BEGINS: whole(1, 28).default(1),
  CARD_SERVICE_BURST: whole(1).optional(),
  FACTS_FRESH_SECONDS: seconds(604_800),
  PRICES_FRESH_SECONDS: seconds(21_600),
  KEEP_SECONDS: seconds(7_776_000),
  CARD_PAGE_URL: pageAddress.optional(),
  CARD_PICTURES: oneOf(['on', 'off']).optional(),
  LONGEST_WAIT_SECONDS: seconds(300, LONGEST_WAIT_LIMIT_SECONDS),
  PRICE_CURRENCY: z
    .string()
    .refine(
      (code) => Intl.supportedValuesOf('currency').includes(code),
      'write an ISO 4217 code in capitals, such as EUR',
    )
    .optional(),
  HTTP_PORT: whole(0, 65_535, 'a port').optional(),
  HTTP_HOST: z
    .string()
    .regex(/^[\w.:-]+$/, 'write an address of this machine, such as 127.0.0.1 or 0.0.0.0')
    .default('127.0.0.1'),
  ALERT_WEBHOOK_URL: address(
    /^https?$/,
    'write the address of a Discord webhook, such as https://discord.com/api/webhooks/… (channel, Integrations, Webhooks)',
    ({ pathname }) => /\/webhooks\/\d+\/[\w-]+\/?$/.test(pathname),
  ).optional(),
  MEMBER_HISTORY: oneOf(['on', 'off']).default('on'),
  WATCH_RENEWALS: oneOf(['on', 'off']).default('on'),
  LOG_LEVEL: oneOf(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']).default('info'),
  DISCORD_SHARDS: z
    .union([z.literal('auto'), shardList], "write auto, or this process's shards, such as 0,1")
    .default('auto'),
  DISCORD_SHARD_COUNT: whole(1, undefined, 'how many shards there are on all machines').optional(),
  GUILD_DAILY_REQUESTS: whole(1).optional(),
  MEMBER_DAILY_REQUESTS: whole(0).optional(),
}).superRefine(
  (read, context) => {
    for (const [name, message] of conflicts(read)) context.addIssue({ code: 'custom', path: [name], message });
  },
  { when: () => true }, // report these together with the problems of single variables
);

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
