import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import type { readNamesConfig } from '../../config/config.ts';
import { redaction } from '../../log.ts';
import { isObject } from '../../model/field-source.ts';
import { OperatorError } from '../../model/operator-error.ts';
import type { NextList } from '../../model/service-description.ts';
import { plainText } from '../../render/formats.ts';
import { endpoint, keyHeader, parseJson } from '../../service/request.ts';
import { statedWaitSeconds } from '../../service/stated.ts';
import { agree, type CliContext, CliFailure } from '../context.ts';
import { networkCode } from '../request.ts';
import { joinIn } from './card.ts';
import { counted, type Given } from './import.ts';
import { needed, Unusable } from './rows.ts';

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
  const downloads = new Downloads(config, [...names.hosts, ...ownHosts], signal);
  const listAt = (address: string) => {
    const url = address.startsWith('/') ? endpoint(baseUrl, address) : URL.parse(address);
    if (!url) throw new CliFailure('The description or its index names a list whose address is none.');
    return { name: shown(url), source: name, bytes: () => downloads.bytesAt(url) };
  };
  const agreeTo = (count: number, further = '') => {
    const ofDay = config.requestsPerDay === undefined ? '' : `, of ${counted(config.requestsPerDay)} a day`;
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
const LOOPBACK = /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/;

/** Gets lists, no faster than the card service's plan allows, and from no other hosts than named. */
class Downloads {
  readonly #config: Config;
  readonly #hosts: readonly string[];
  readonly #signal: AbortSignal;
  #nextAtMs = 0;

  /** @param hosts from which lists may come, besides the card service's own origin */
  constructor(config: Config, hosts: readonly string[], signal: AbortSignal) {
    this.#config = config;
    this.#hosts = hosts;
    this.#signal = signal;
  }

  /**
   * Costs a request, and one more for each redirect, when it is first read.
   *
   * @throws Unusable when there is nothing at the address, CliFailure when nothing more can be had
   */
  async *bytesAt(url: URL): AsyncGenerator<Buffer> {
    try {
      const { body } = await this.#answerAt(url);
      for await (const chunk of body ?? []) yield Buffer.from(chunk);
    } catch (error) {
      if (error instanceof OperatorError || error instanceof Unusable) throw error;
      const why = networkCode(error) ?? 'the connection broke';
      throw new CliFailure(`${shown(url)} could not be fetched (${why}).`, { cause: error });
    }
  }

  /** Follows redirects by hand, so that neither the key nor a request goes where the description does not say. */
  async #answerAt(at: URL, redirects = 0, pauses = 0): Promise<Response> {
    const response = await this.#request(at);
    const { ok, status, headers } = response;
    if (ok) return response;
    const reason = await this.#reasonOf(response);
    const location = headers.get('location');
    if (status < 400 && location !== null && redirects < MOST_REDIRECTS)
      return this.#answerAt(new URL(location, at), redirects + 1, pauses);
    if (status !== 429 || pauses === MOST_PAUSES) throw this.#failure(at, status, reason);
    const stated = statedWaitSeconds({ headers }, Date.now()) ?? UNSTATED_PAUSE_SECONDS;
    const seconds = Math.max(stated, this.#config.cardService.description.shutOutSeconds);
    if (seconds > LONGEST_PAUSE_SECONDS)
      throw new CliFailure(`${at.host} asks to wait ${Math.ceil(seconds / 60)} minutes${reason}.`);
    this.#nextAtMs = performance.now() + seconds * 1000;
    return this.#answerAt(at, redirects, pauses + 1);
  }

  async #request(at: URL): Promise<Response> {
    const { requestsPerMinute, cardService } = this.#config;
    const { headers, description, apiKey } = cardService;
    const signal = this.#signal;
    if (!this.#isAllowed(at))
      throw new CliFailure(`${shown(at)} is not fetched: the description names no such host, or it is not https.`);
    await sleep(Math.max(0, this.#nextAtMs - performance.now()), undefined, { signal });
    this.#nextAtMs = performance.now() + 60_000 / requestsPerMinute;
    const sent = this.#isOwn(at)
      ? { ...headers, ...keyHeader(description, apiKey) }
      : { 'user-agent': headers['user-agent'] };
    return fetch(at, { headers: sent, redirect: 'manual', signal }); // which gives up after 300 s of silence
  }

  #isAllowed(at: URL): boolean {
    const { protocol, port, hostname, username, password } = at;
    if (username + password !== '') return false;
    const isOwnMachine = protocol === 'http:' && LOOPBACK.test(hostname);
    const isSafe = isOwnMachine || (protocol === 'https:' && port === '');
    return this.#isOwn(at) || (isSafe && this.#hosts.includes(hostname));
  }

  #isOwn({ origin }: URL): boolean {
    return origin === new URL(this.#config.cardService.baseUrl).origin;
  }

  /** What an answer says besides its status, as the end of a sentence for a terminal; empty where that is no text. */
  async #reasonOf(response: Response): Promise<string> {
    const { apiKey, secrets } = this.#config.cardService;
    const body = await response.text().catch(() => '');
    const known = redaction([apiKey, ...secrets])(body);
    const words = plainText(known.replace(/<[^>]*>/g, ' '), LONGEST_REASON);
    return /\p{L}/u.test(words) ? `: ${words.replace(/\.$/, '')}` : '';
  }

  #failure(at: URL, status: number, reason: string): Unusable | CliFailure {
    if (NOTHING_THERE.includes(status)) return new Unusable(`is not there (status ${status}${reason})`);
    const hadKey = this.#isOwn(at) && this.#config.cardService.apiKey !== undefined;
    const cure = KEY_REFUSED.includes(status) && hadKey ? ' Check CARD_SERVICE_API_KEY, and what the plan allows.' : '';
    return new CliFailure(`${shown(at)} answers with status ${status}${reason}.${cure}`);
  }
}
