import { createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type { readNamesConfig } from '../../config/config.ts';
import { redaction } from '../../log.ts';
import { OperatorError } from '../../model/operator-error.ts';
import { plainText } from '../../render/formats.ts';
import { keyHeader } from '../../service/request.ts';
import { statedWaitSeconds } from '../../service/stated.ts';
import { CliFailure } from '../context.ts';
import { networkCode } from '../request.ts';
import { Unusable } from './source-row.ts';

/** All lists together: Scryfall's cards in every language, unpacked, have some 2.3 GB, and those in English a fifth. */
const MOST_BYTES = 2 ** 31;
const MOST_REDIRECTS = 5;
/** A longer wait than this is the operator's: whatever was fetched stays. */
const LONGEST_PAUSE_SECONDS = 60;
const MOST_PAUSES = 3;
const AGAIN = 'Run the same command again for the rest.';

type Config = Omit<ReturnType<typeof readNamesConfig>, 'dataDir'>;

/**
 * Saves what addresses answer with, no faster than the card service's plan allows, and from no other hosts than named.
 */
export class Downloads {
  readonly #config: Config;
  readonly #origin: string;
  readonly #hosts: readonly string[];
  #nextAtMs = 0;
  bytes = 0;

  /** @param hosts from which lists may come, besides the card service's own */
  constructor(config: Config, hosts: readonly string[]) {
    this.#config = config;
    const { origin, hostname } = new URL(config.cardService.baseUrl);
    this.#origin = origin;
    this.#hosts = [hostname, ...hosts];
  }

  /**
   * Costs a request, and one more for each redirect. The file appears when it is complete.
   *
   * @param progress called for each part that arrives
   * @throws Unusable when there is nothing at the address, CliFailure when nothing more can be had
   */
  async save(url: URL, file: string, progress: () => void): Promise<void> {
    const counted = async function* (this: Downloads, chunks: AsyncIterable<Uint8Array>) {
      for await (const chunk of chunks) {
        this.bytes += chunk.length;
        if (this.bytes > MOST_BYTES) throw new CliFailure('The lists are larger than 2 GB. Nothing more is fetched.');
        progress();
        yield chunk;
      }
    }.bind(this);
    const part = `${file}.${crypto.randomUUID()}.part`; // another fetch may be under way
    try {
      const { body } = await this.#answer(url);
      await pipeline(body ?? Readable.from([]), counted, createWriteStream(part, { mode: 0o600 }));
      await rename(part, file);
    } catch (error) {
      await rm(part, { force: true }); // the disk may be full
      if (error instanceof OperatorError || error instanceof Unusable) throw error;
      if (error instanceof Error && 'syscall' in error)
        throw new CliFailure(`${file} cannot be written (${error.message}).`, { cause: error });
      const why = networkCode(error) ?? 'the connection broke';
      throw new CliFailure(`${shown(url)} could not be fetched (${why}). ${AGAIN}`, { cause: error });
    }
  }

  /** Follows redirects by hand, so that neither the key nor a request goes where the description does not say. */
  async #answer(url: URL): Promise<Response> {
    let [at, redirects, pauses] = [url, 0, 0];
    for (;;) {
      if (!this.#isAllowed(at))
        throw new CliFailure(`${shown(at)} is not fetched: the description names no such host, or it is not https.`);
      const response = await this.#request(at);
      if (response.ok) return response;
      const reason = await this.#reasonOf(response);
      const { status, headers } = response;
      const location = headers.get('location');
      const next = status >= 300 && status < 400 && location !== null && URL.parse(location, at);
      if (next && redirects++ < MOST_REDIRECTS) at = next;
      else if (status === 429 && pauses++ < MOST_PAUSES) await sleep(this.#pauseSeconds(at, response, reason) * 1000);
      else throw this.#failure(at, status, reason);
    }
  }

  /** What an answer says besides its status, as the end of a sentence for a terminal; empty where that is no text. */
  async #reasonOf({ body }: Response): Promise<string> {
    let text = '';
    try {
      for await (const part of body?.pipeThrough(new TextDecoderStream()) ?? []) {
        text += part;
        if (text.length > MOST_OF_REASON) break;
      }
    } catch {
      // what came before the connection broke may be enough
    }
    const { apiKey, secrets } = this.#config.cardService;
    const known = redaction([apiKey, ...secrets])(text).slice(0, MOST_OF_REASON);
    const words = plainText(known.replace(/<[^>]*>/g, ' '), LONGEST_REASON);
    return /\p{L}/u.test(words) ? `: ${words.replace(/\.$/, '')}` : '';
  }

  #failure(at: URL, status: number, reason: string): Unusable | CliFailure {
    if (NOTHING_THERE.has(status)) return new Unusable(`is not there (status ${status}${reason})`);
    const hadKey = at.origin === this.#origin && this.#config.cardService.apiKey !== undefined;
    const cure = KEY_REFUSED.has(status) && hadKey ? 'Check CARD_SERVICE_API_KEY, and what the plan allows.' : AGAIN;
    return new CliFailure(`${shown(at)} answers with status ${status}${reason}. ${cure}`);
  }

  async #request(at: URL): Promise<Response> {
    const { cardService, requestsPerMinute } = this.#config;
    const { headers, description, apiKey } = cardService;
    await sleep(Math.max(0, this.#nextAtMs - performance.now()));
    this.#nextAtMs = performance.now() + 60_000 / requestsPerMinute;
    const isOwn = at.origin === this.#origin;
    const sent = isOwn ? { ...headers, ...keyHeader(description, apiKey) } : { 'user-agent': headers['user-agent'] };
    return fetch(at, { headers: sent, redirect: 'manual' }); // which gives up after 300 s of silence
  }

  #isAllowed({ origin, protocol, port, hostname, username, password }: URL): boolean {
    if (username + password !== '') return false;
    if (origin === this.#origin) return true;
    const isOwnMachine = protocol === 'http:' && LOOPBACK.test(hostname);
    return this.#hosts.includes(hostname) && (isOwnMachine || (protocol === 'https:' && port === ''));
  }

  /** @throws CliFailure when it is too long to be waited for */
  #pauseSeconds({ host }: URL, { headers }: Response, reason: string): number {
    const stated = statedWaitSeconds({ headers }, Date.now());
    const seconds = Math.max(stated ?? UNSTATED_PAUSE_SECONDS, this.#config.cardService.description.shutOutSeconds);
    if (seconds <= LONGEST_PAUSE_SECONDS) return seconds;
    throw new CliFailure(
      `${host} asks to wait ${Math.ceil(seconds / 60)} minutes${reason}. ${AGAIN.slice(0, -1)} then.`,
    );
  }
}

const UNSTATED_PAUSE_SECONDS = 10;
const LOOPBACK = /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/;
/** What concerns this address alone. */
const NOTHING_THERE = new Set([400, 404, 410, 422]);
const KEY_REFUSED = new Set([401, 403]);
const MOST_OF_REASON = 2_000;
const LONGEST_REASON = 200;

/** Without a query, which may hold a key. */
export function shown({ host, pathname }: URL): string {
  return host + pathname;
}
