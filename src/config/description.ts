import { hash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { z } from 'zod';
import packageJson from '../../package.json' with { type: 'json' };
import { type Plans, UNSTATED } from '../model/quota.ts';
import { jsonIn } from '../model/store/rows.ts';
import { DescriptionFile, faultsOf, type ServiceDescription } from '../service/service-description.ts';
import {
  type CardServiceVariables,
  type Check,
  type Environment,
  nearestTo,
  type Problem,
  problemsIn,
  set,
  WANTED_ADDRESS,
} from './variables.ts';

/** A card service's description, with what it takes from the environment. */
export interface DescribedService {
  description: ServiceDescription;
  isShipped: boolean;
  /** It is the interface that counts where `CARD_SERVICE` is unset, wherever that is served. */
  isDefault: boolean;
  /** Further headers of each request. */
  headers: Readonly<Record<string, string>>;
  /** Values of those headers that come from the environment. */
  secrets: readonly string[];
  /** Whether a variable is in the environment, and not at its default. */
  isSet(variable: string): boolean;
}

/** The card service's description with the variables that apply to it, or what is wrong with them. */
export function describedService(environment: Environment): { service?: DescribedService; problems: Problem[] } {
  const values = set(environment);
  const opened = openDescription(values.CARD_SERVICE);
  if ('faults' in opened) return { problems: opened.faults.map((message) => ({ name: 'CARD_SERVICE', message })) };
  const { currency, name, documentation = 'its documentation' } = opened.description;
  // Prices of which nobody says the currency are kept without one, so that one can be named at any time.
  const description = { ...opened.description, currency: currency && (values.PRICE_CURRENCY ?? currency) };
  const problems = problemsOf(description, values);
  const headers: Record<string, string> = {};
  const secrets: string[] = [];
  for (const [header, written] of Object.entries(description.headers)) {
    const variable = written.startsWith('$') ? written.slice(1) : '';
    const value = variable ? values[variable] : written;
    if (value === undefined)
      problems.push({ name: variable, message: `missing; ${name} needs it: see ${documentation}` });
    else {
      headers[header] = value;
      if (variable) secrets.push(value);
    }
  }
  const read = { ...opened, description, headers, secrets };
  return { service: { ...read, isSet: (variable) => values[variable] !== undefined }, problems };
}

/** What lacks beside the description, or contradicts it. */
function problemsOf({ name, url, key, plans, billed }: ServiceDescription, values: Environment): Problem[] {
  const { CARD_SERVICE_PLAN: plan = 'auto', CARD_SERVICE_API_KEY: givenKey } = values;
  const isMissing = (variable: string) => values[variable] === undefined;
  const known = ['auto', ...Object.keys(plans)];
  const planned = plan === 'auto' ? Object.values(plans)[0] : plans[plan];
  return problemsIn([
    [
      'CARD_SERVICE_URL',
      url === undefined && isMissing('CARD_SERVICE_URL'),
      isMissing('CARD_SERVICE')
        ? `missing; ${WANTED_ADDRESS}, or CARD_SERVICE: a name of docs/services.md`
        : `missing; the description has no address: ${WANTED_ADDRESS}`,
    ],
    ['CARD_SERVICE_API_KEY', key === false && givenKey !== undefined, `${name} takes no key: remove it`],
    ['CARD_SERVICE_API_KEY', key !== false && !key.optional && givenKey === undefined, `missing; ${name} needs a key`],
    ['CARD_SERVICE_PLAN', !known.includes(plan), `write one of: ${known.join(', ')}`],
    // Only the bot itself can stop before requests cost money.
    [
      'CARD_SERVICE_REQUESTS_PER_MONTH',
      billed && isMissing('CARD_SERVICE_REQUESTS_PER_MONTH') && planned?.perMonth === undefined,
      `missing; ${name} bills what is beyond the plan: write how many requests your plan has in a month`,
    ],
    ...['CARD_SERVICE_REQUESTS_PER_MINUTE', 'CARD_SERVICE_BURST'].map(
      (variable): Check => [
        variable,
        plans[plan]?.custom === true && isMissing(variable),
        `is required for the plan ${plan}`,
      ],
    ),
  ]);
}

/** Where the descriptions that ship are. */
const FOLDER = new URL('../service/descriptions/', import.meta.url);
const ENDING = '.json';
/** The description that counts where `CARD_SERVICE` is unset. */
export const DEFAULT = 'default';

/** Reading a path takes time that grows with the square of its length; no description has a tenth of this. */
const FileText = z.string('the file cannot be read').max(32_768, 'the file is larger than 32 kB');
const DescriptionText = jsonIn(FileText, 'the file is not JSON').pipe(DescriptionFile);

/** A description as its file has it, or what is wrong with that, a line each. */
type OpenedDescription = Pick<DescribedService, 'description' | 'isShipped' | 'isDefault'> | { faults: string[] };

/** @param given `CARD_SERVICE`: the name of a description that ships, or the path of a `.json` */
export function openDescription(given = DEFAULT): OpenedDescription {
  const isShipped = !isFile(given);
  const names = shippedNames();
  if (isShipped && !names.includes(given)) {
    const meant = nearestTo(given, names);
    const others = names.filter((name) => name !== DEFAULT).join(', ');
    const cure = meant ? `did you mean ${meant}?` : `write one of ${others}, or the path of a ${ENDING} file`;
    return { faults: [`unknown; ${cure}`] };
  }
  const file = isShipped ? `${given}${ENDING}` : given;
  const read = DescriptionText.safeParse(textOf(isShipped ? new URL(file, FOLDER) : file));
  if (read.success) return { description: read.data, isShipped, isDefault: given === DEFAULT };
  return { faults: faultsOf(read.error).map((fault) => `${file}: ${fault}`) };
}

/** Whether a description is given by its path, and not by its name. */
export function isFile(given: string): boolean {
  return /[/\\]/.test(given) || given.endsWith(ENDING);
}

/** The names of the descriptions that ship. */
export function shippedNames(): string[] {
  return readdirSync(FOLDER)
    .filter((file) => file.endsWith(ENDING))
    .map((file) => file.slice(0, -ENDING.length))
    .sort();
}

function textOf(file: string | URL): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}

/** The plans of a service whose figures are known. */
export function plansIn({ plans }: ServiceDescription): Plans {
  const rated = Object.entries(plans).filter(([, { custom }]) => !custom);
  return Object.fromEntries(
    rated.map(([name, { perHour, perDay, perMonth, perMinute, perSecond, burst = UNSTATED.burst, counts }]) => {
      const slowest = Math.min(perMinute ?? Infinity, (perSecond ?? Infinity) * 60);
      const requestsPerMinute = slowest === Infinity ? UNSTATED.requestsPerMinute : slowest;
      const windows = { requestsPerHour: perHour, requestsPerDay: perDay, requestsPerMonth: perMonth };
      return [name, { ...windows, requestsPerMinute, burst, isWindow: counts === 'window' }];
    }),
  );
}

/**
 * A fingerprint of what decides on which price is shown, and after a dot one of what its figures are: the service's, and
 * by which source. Where that is another, former prices are compared with nothing.
 *
 * @returns `undefined`: the default service's
 */
export function pricesBy({ isDefault, description: { url, prices, currency } }: DescribedService): string | undefined {
  if (isDefault) return undefined;
  // A row of a path alone is written as it was before rows had more, so that an update makes no card stale whose rows
  // are the same.
  const rows = prices?.rows.map((row) => (Object.keys(row).length > 1 ? row : row.at));
  const reading = fingerprint([url, prices && { ...prices, rows }, currency]).slice(0, 12);
  return `${reading}.${fingerprint([url, prices?.market]).slice(0, 8)}`;
}

/**
 * To which the ids of cards belong, and so what is kept by them: an address, and the form of its ids. The default
 * interface's ids are whatever they are, as long as it is one.
 */
export function scopeOf(baseUrl: string, { isDefault, description: { card } }: DescribedService): string | undefined {
  return isDefault ? undefined : fingerprint([baseUrl, card.ids, card.idSeparator]).slice(0, 8);
}

function fingerprint(of: unknown): string {
  const written = (_: string, value: unknown) => (value instanceof RegExp ? value.source : value);
  return hash('sha256', JSON.stringify(of, written));
}

/** As `CARD_SERVICE_BULK_PATH` lists cards: twenty ids between commas, or in the body of a POST. */
const UNDESCRIBED_LIST = { each: '{id}', separator: ',', body: { ids: ['{id}'] }, at: undefined, max: 20 };

/** How the card service is asked; variables that are set win over the description. */
export function cardServiceOf(read: z.output<typeof CardServiceVariables>, service: DescribedService) {
  const { description, headers, secrets, isShipped, isSet } = service;
  const { card, list } = description;
  const baseUrl = read.CARD_SERVICE_URL ?? description.url ?? '';
  const listPath = read.CARD_SERVICE_BULK_PATH;
  const described: ServiceDescription = {
    ...description,
    card: { ...card, path: isSet('CARD_SERVICE_CARD_PATH') ? read.CARD_SERVICE_CARD_PATH : card.path },
    list: listPath === undefined ? list : { ...list, ...UNDESCRIBED_LIST, path: listPath },
  };
  return {
    description: described,
    isShipped,
    headers: { 'user-agent': `cardbot/${packageJson.version}`, ...headers }, // services ask for one that names the program
    secrets,
    baseUrl,
    scope: scopeOf(baseUrl, service),
    apiKey: read.CARD_SERVICE_API_KEY,
    timeoutMs: read.CARD_SERVICE_TIMEOUT_MS,
  };
}
