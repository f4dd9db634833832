import { createHash } from 'node:crypto';
import type { z } from 'zod';
import packageJson from '../../package.json' with { type: 'json' };
import { Path } from '../model/field-source.ts';
import { PLANS, type Plans } from '../model/plan.ts';
import type { ServiceDescription } from '../model/service-description.ts';
import { openDescription } from './description-file.ts';
import { type Environment, type Problem, set } from './environment.ts';
import { type CardServiceVariables, WANTED_ADDRESS } from './variables.ts';

export const BOT_VERSION = packageJson.version;

/** A value of `headers` that stands for an environment variable. */
const FROM_ENVIRONMENT = /^\$(.+)$/;

/** The card service's description with the variables that apply to it, or what is wrong with them. */
export function describedService(environment: Environment): { service?: DescribedService; problems: Problem[] } {
  const values = set(environment);
  const opened = openDescription(values.CARD_SERVICE);
  if ('faults' in opened) return { problems: opened.faults.map((message) => ({ name: 'CARD_SERVICE', message })) };
  const { isDefault, currency } = opened.description;
  // What the default service calls a price is kept without a currency, so that one can be named at any time.
  const description = { ...opened.description, currency: isDefault ? currency : (values.PRICE_CURRENCY ?? currency) };
  const headers = Object.entries(description.headers).map(([name, value]) => {
    const variable = FROM_ENVIRONMENT.exec(value)?.[1];
    return { name, variable, value: variable === undefined ? value : values[variable] };
  });
  const problems = [
    ...addressProblems(description, values),
    ...keyProblems(description, values),
    ...planProblems(description, values),
    ...billProblems(description, values),
    ...headers.flatMap(({ variable, value }) =>
      variable !== undefined && value === undefined
        ? [
            {
              name: variable,
              message: `missing; ${description.name} needs it: see ${description.documentation ?? 'its documentation'}`,
            },
          ]
        : [],
    ),
  ];
  const named = headers.flatMap(({ name, value }) => (value === undefined ? [] : [[name, value]]));
  const secrets = headers.flatMap(({ variable, value }) => (variable === undefined ? [] : [value]));
  const isSet = (name: string) => values[name] !== undefined;
  return { service: { ...opened, description, isSet, headers: Object.fromEntries(named), secrets }, problems };
}

export interface DescribedService {
  description: ServiceDescription;
  isShipped: boolean;
  /** Further headers of each request. */
  headers: Readonly<Record<string, string>>;
  /** Whether a variable is in the environment, and not at its default. */
  isSet(name: string): boolean;
  /** Values of those headers that come from the environment. */
  secrets: readonly (string | undefined)[];
}

function addressProblems({ url }: ServiceDescription, values: Environment): Problem[] {
  if (url !== undefined || values.CARD_SERVICE_URL !== undefined) return [];
  const message =
    values.CARD_SERVICE === undefined
      ? `missing; ${WANTED_ADDRESS}`
      : `missing; the description has no address: ${WANTED_ADDRESS}`;
  return [{ name: 'CARD_SERVICE_URL', message }];
}

function keyProblems({ name, key }: ServiceDescription, { CARD_SERVICE_API_KEY: given }: Environment): Problem[] {
  if (key === false && given !== undefined) return [keyProblem(`${name} takes no key: remove it`)];
  const isRequired = key !== false && !key.optional;
  return isRequired && given === undefined ? [keyProblem(`missing; ${name} needs a key`)] : [];
}

function keyProblem(message: string): Problem {
  return { name: 'CARD_SERVICE_API_KEY', message };
}

function planProblems({ plans }: ServiceDescription, { CARD_SERVICE_PLAN: given }: Environment): Problem[] {
  const known = ['auto', ...(plans ? Object.keys(plans) : PLANS)];
  if (given === undefined || known.includes(given)) return [];
  return [{ name: 'CARD_SERVICE_PLAN', message: `write one of: ${known.join(', ')}` }];
}

/** Only the bot itself can stop before requests cost money. */
function billProblems({ name, billed, plans = {} }: ServiceDescription, values: Environment): Problem[] {
  if (!billed || values.CARD_SERVICE_REQUESTS_PER_MONTH !== undefined) return [];
  const { CARD_SERVICE_PLAN: given = 'auto' } = values;
  const plan = given === 'auto' ? Object.values(plans)[0] : plans[given];
  const message = `missing; ${name} bills what is beyond the plan: write how many requests your plan has in a month`;
  return plan?.perMonth === undefined ? [{ name: 'CARD_SERVICE_REQUESTS_PER_MONTH', message }] : [];
}

/** Where a plan states no pace, or a description no plan: a judgement of what any service takes. */
const UNSTATED = { perMinute: 120, burst: 5 };

/** @returns `undefined`: the default service's */
export function plansIn({ description }: Pick<DescribedService, 'description'>): Plans | undefined {
  if (description.isDefault) return undefined;
  const { plans = { free: {} } } = description;
  return Object.fromEntries(
    Object.entries(plans).map(
      ([name, { perHour, perDay, perMonth, perMinute, perSecond, burst = UNSTATED.burst, counts }]) => {
        const rates = [perMinute, perSecond && perSecond * 60].filter((rate) => rate !== undefined);
        const requestsPerMinute = rates.length > 0 ? Math.min(...rates) : UNSTATED.perMinute;
        const windows = { requestsPerHour: perHour, requestsPerDay: perDay, requestsPerMonth: perMonth };
        return [name, { ...windows, requestsPerMinute, burst, isWindow: counts === 'window' }];
      },
    ),
  );
}

/** A fingerprint of what decides on which price is shown. @returns `undefined`: the default service's */
export function pricesBy({ description: { isDefault, url, prices, currency } }: DescribedService): string | undefined {
  if (isDefault) return undefined;
  return createHash('sha256')
    .update(JSON.stringify([url, prices, currency]))
    .digest('hex')
    .slice(0, 12);
}

/** How the card service is asked; variables that are set win over the description. */
export function cardServiceOf(
  read: CardServiceRead,
  { description, headers, secrets, isShipped, isSet }: DescribedService,
) {
  const { card, list } = description;
  const path = isSet('CARD_SERVICE_CARD_PATH') ? read.CARD_SERVICE_CARD_PATH : card.path;
  const baseUrl = read.CARD_SERVICE_URL ?? description.url ?? '';
  const listPath = read.CARD_SERVICE_BULK_PATH;
  const described: ServiceDescription = {
    ...description,
    card: { ...card, path },
    list: listPath === undefined ? list : { ...list, ...UNDESCRIBED_LIST, path: listPath },
  };
  return {
    description: described,
    isShipped,
    headers: { 'user-agent': USER_AGENT, ...headers },
    secrets,
    baseUrl,
    scope: scopeOf(baseUrl, description),
    apiKey: read.CARD_SERVICE_API_KEY,
    timeoutMs: read.CARD_SERVICE_TIMEOUT_MS,
  };
}

/**
 * To which the ids of cards belong, and so what is kept by them: an address, and the form of its ids. The default
 * interface's ids are whatever they are, as long as it is one.
 */
export function scopeOf(baseUrl: string, { isDefault, card }: ServiceDescription): string | undefined {
  if (isDefault) return undefined;
  const written = (_: string, value: unknown) => (value instanceof RegExp ? value.source : value);
  const form = JSON.stringify([baseUrl, card.ids, card.idSeparator], written);
  return createHash('sha256').update(form).digest('hex').slice(0, 8);
}

/** Services ask for one that names the program. */
const USER_AGENT = `cardbot/${BOT_VERSION}`;

type CardServiceRead = z.output<typeof CardServiceVariables>;

/** As `CARD_SERVICE_BULK_PATH` lists cards: twenty ids between commas, or in the body of a POST. */
const UNDESCRIBED_LIST = { each: '{id}', separator: ',', body: { ids: ['{id}'] }, at: new Path(''), max: 20 };
