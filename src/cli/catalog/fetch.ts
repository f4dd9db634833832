import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import type { readNamesConfig } from '../../config/config.ts';
import { redaction } from '../../log.ts';
import { isObject, parseJson } from '../../model/card.ts';
import { networkCode, OperatorError } from '../../model/errors.ts';
import { plainText } from '../../render/formats.ts';
import { endpoint, keyHeader, statedWaitSeconds } from '../../service/request.ts';
import { isSafe, type NextList } from '../../service/service-description.ts';
import { agree, type CliContext, CliFailure } from '../context.ts';
import { type Given, joinIn } from './card.ts';
import { counted, needed, Unusable } from './files.ts';

type Config = ReturnType<typeof readNamesConfig>;

/**
 * The lists of names that a card service's description tells of; each is requested when it is opened. Costs a request
 * if they are those of an index.
 *
 * @throws CliFailure
 */
export async function serviceLists(
  config: Config,
  isAgreed: boolean,
  context: CliContext,
  signal: AbortSignal,
): Promise<Given> {
  const { description, baseUrl } = config.cardService;
  const { name, names, game } = description;
  if (!names) throw new CliFailure(`${name} has no list that can be fetched. See docs/catalogues.md for others.`);
  const ownHosts = [baseUrl, names.url].flatMap((address) => URL.parse(address)?.hostname ?? []);
  const bytesAt = downloads(config, [...names.hosts, ...ownHosts], signal);
  const listAt = (address: string) => {
    const url = address.startsWith('/') ? endpoint(baseUrl, address) : URL.parse(address);
    if (!url) throw new CliFailure('The description or its index names a list whose address is none.');
    return { name: shown(url), source: name, bytes: () => bytesAt(url) };
  };
  const agreeTo = (count: number, further = '') => {
    const ofDay = config.requestsPerDay ? `, of ${counted(config.requestsPerDay)} a day` : '';
    const costs = `${name}: this takes ${counted(count, 'request')}${further}${ofDay}`;
    return agree(costs, isAgreed || ofDay === '', context);
  };
  const list = listAt(names.url);
  const joins = names.join.flatMap((text) => joinIn(text, listAt) ?? []);
  const flags = { game, ...names };
  await agreeTo(1 + joins.length, names.then && ', and then one for each list of its index');
  if (!names.then) return { lists: [list], joins, flags };
  const index = await needed(list.name, () => text(list.bytes()));
  const lists = nextLists(parseJson(index), names.then, list.name).map(listAt);
  await agreeTo(lists.length);
  return { lists, joins, flags };
}

const MOST_LISTS = 5_000;

/**
 * The addresses and paths to which an index leads, each once. Its rows are the list that it is, or the first list of
 * objects in it; an index without such a list is itself the only row.
 *
 * @throws CliFailure when a row leads nowhere
 */
function nextLists(index: unknown, then: readonly NextList[], name: string): string[] {
  if (index === undefined) throw new CliFailure(`${name} is not JSON.`);
  const inside = isObject(index) ? Object.values(index) : [index];
  const rows = inside.find((value): value is unknown[] => Array.isArray(value) && value.some(isObject)) ?? [index];
  const addresses = rows.map((row) => {
    const [address] = then.flatMap(
      ({ isAddress, template }) => template.filled((path) => segment(path.valueIn(row), isAddress)) ?? [],
    );
    if (address === undefined) throw new CliFailure('A row of the index has no value for the address in `names.then`.');
    return address;
  });
  if (addresses.length > MOST_LISTS) throw new CliFailure(`The index names more than ${counted(MOST_LISTS)} lists.`);
  return [...new Set(addresses)];
}

/** @returns the value as one segment of a path or, if it is an address, as it stands */
function segment(value: unknown, isAddress: boolean): string | undefined {
  if (typeof value !== 'string' && typeof value !== 'number') return undefined;
  const written = String(value).toWellFormed();
  if (isAddress) return written;
  return /^\.*$/.test(written) ? undefined : encodeURIComponent(written);
}

/** Without a query, which may hold a key. */
function shown({ host, pathname }: URL): string {
  return host + pathname;
}

const MOST_REDIRECTS = 5;
const MOST_PAUSES = 3;
/** A longer wait than this is the operator's. */
const LONGEST_PAUSE_SECONDS = 60;
const UNSTATED_PAUSE_SECONDS = 10;
const LONGEST_REASON = 200;
/** What concerns this address alone. */
const NOTHING_THERE = [400, 404, 410, 422];
const KEY_REFUSED = [401, 403];

/**
 * Gets lists, no faster than the card service's plan allows, and from no other hosts than named.
 *
 * @param hosts from which lists may come, besides the card service's own origin
 * @returns what is at an address. Costs a request, and one more for each redirect, when it is first read. Throws
 *   Unusable when there is nothing at the address, CliFailure when nothing more can be had
 */
function downloads({ requestsPerMinute, cardService }: Config, hosts: readonly string[], signal: AbortSignal) {
  const { headers, description, apiKey, secrets, baseUrl } = cardService;
  const isOwn = ({ origin }: URL) => origin === new URL(baseUrl).origin;
  let nextAtMs = 0;

  const isAllowed = (at: URL) => {
    const { protocol, port, hostname, username, password } = at;
    if (username + password !== '') return false;
    const isUsual = protocol === 'http:' || port === '';
    return isOwn(at) || (isSafe(at) && isUsual && hosts.includes(hostname));
  };

  const request = async (at: URL) => {
    if (!isAllowed(at))
      throw new CliFailure(`${shown(at)} is not fetched: the description names no such host, or it is not https.`);
    await sleep(Math.max(0, nextAtMs - performance.now()), undefined, { signal });
    nextAtMs = performance.now() + 60_000 / requestsPerMinute;
    const sent = isOwn(at)
      ? { ...headers, ...keyHeader(description, apiKey) }
      : { 'user-agent': headers['user-agent'] };
    return fetch(at, { headers: sent, redirect: 'manual', signal }); // which gives up after 300 s of silence
  };

  const cureOf = (at: URL, status: number) => {
    const isOfKey = KEY_REFUSED.includes(status) && isOwn(at) && apiKey;
    return isOfKey ? ' Check CARD_SERVICE_API_KEY, and what the plan allows.' : '';
  };

  /** Follows redirects by hand, so that neither the key nor a request goes where the description does not say. */
  const answerAt = async (at: URL, redirects = 0, pauses = 0): Promise<Response> => {
    const response = await request(at);
    const { ok, status, headers } = response;
    if (ok) return response;
    const reason = reasonIn(redaction([apiKey, ...secrets])(await response.text().catch(() => '')));
    const location = headers.get('location');
    if (status < 400 && location !== null && redirects < MOST_REDIRECTS)
      return answerAt(new URL(location, at), redirects + 1, pauses);
    if (NOTHING_THERE.includes(status)) throw new Unusable(`is not there (status ${status}${reason})`);
    if (status !== 429 || pauses === MOST_PAUSES)
      throw new CliFailure(`${shown(at)} answers with status ${status}${reason}.${cureOf(at, status)}`);
    const stated = statedWaitSeconds({ headers }, Date.now()) ?? UNSTATED_PAUSE_SECONDS;
    const seconds = Math.max(stated, description.shutOutSeconds);
    if (seconds > LONGEST_PAUSE_SECONDS)
      throw new CliFailure(`${at.host} asks to wait ${Math.ceil(seconds / 60)} minutes${reason}.`);
    nextAtMs = performance.now() + seconds * 1000;
    return answerAt(at, redirects, pauses + 1);
  };

  return async function* bytesAt(url: URL) {
    try {
      const { body } = await answerAt(url);
      for await (const chunk of body ?? []) yield Buffer.from(chunk);
    } catch (error) {
      if (error instanceof OperatorError || error instanceof Unusable) throw error;
      const why = networkCode(error) ?? 'the connection broke';
      throw new CliFailure(`${shown(url)} could not be fetched (${why}).`, { cause: error });
    }
  };
}

/** What an answer says besides its status, as the end of a sentence for a terminal; empty where that is no text. */
function reasonIn(body: string): string {
  const words = plainText(body.replace(/<[^>]*>/g, ' '), LONGEST_REASON);
  return /\p{L}/u.test(words) ? `: ${words.replace(/\.$/, '')}` : '';
}
