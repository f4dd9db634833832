import { createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type { readNamesConfig } from '../../config/config.ts';
import { OperatorError } from '../../model/operator-error.ts';
import { keyHeader } from '../../service/request.ts';
import { statedWaitSeconds } from '../../service/retry-after.ts';
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

/** Saves what addresses answer with, no faster than the card service's plan allows, and from no other hosts than named. */
export class Downloads {
  readonly #config: Config;
  readonly #hosts: readonly string[];
  #nextAtMs = 0;
  bytes = 0;

  /** @param hosts from which lists may come, besides the card service's own */
  constructor(config: Config, hosts: readonly string[]) {
    this.#config = config;
    this.#hosts = [new URL(config.cardService.baseUrl).hostname, ...hosts];
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
      await response.body?.cancel();
      const { status, headers } = response;
      const location = headers.get('location');
      const next = status >= 300 && status < 400 && location !== null && URL.parse(location, at);
      if (next && redirects++ < MOST_REDIRECTS) at = next;
      else if (status === 429 && pauses++ < MOST_PAUSES) await sleep(this.#pauseSeconds(at, headers) * 1000);
      else throw failure(at, status);
    }
  }

  async #request(at: URL): Promise<Response> {
    const { cardService, requestsPerMinute } = this.#config;
    const { headers, description, apiKey, baseUrl } = cardService;
    await sleep(Math.max(0, this.#nextAtMs - performance.now()));
    this.#nextAtMs = performance.now() + 60_000 / requestsPerMinute;
    const isOwn = at.origin === new URL(baseUrl).origin;
    const sent = isOwn ? { ...headers, ...keyHeader(description, apiKey) } : { 'user-agent': headers['user-agent'] };
    return fetch(at, { headers: sent, redirect: 'manual' }); // which gives up after 300 s of silence
  }

  #isAllowed({ origin, protocol, port, hostname, username, password }: URL): boolean {
    if (username + password !== '') return false;
    if (origin === new URL(this.#config.cardService.baseUrl).origin) return true;
    const isOwnMachine = protocol === 'http:' && LOOPBACK.test(hostname);
    return this.#hosts.includes(hostname) && (isOwnMachine || (protocol === 'https:' && port === ''));
  }

  /** @throws CliFailure when it is too long to be waited for */
  #pauseSeconds({ host }: URL, headers: Headers): number {
    const stated = statedWaitSeconds({ headers }, Date.now());
    const seconds = Math.max(stated ?? UNSTATED_PAUSE_SECONDS, this.#config.cardService.description.shutOutSeconds);
    if (seconds <= LONGEST_PAUSE_SECONDS) return seconds;
    throw new CliFailure(`${host} asks to wait ${Math.ceil(seconds / 60)} minutes. ${AGAIN.slice(0, -1)} then.`);
  }
}

function failure(at: URL, status: number): Unusable | CliFailure {
  if (NOTHING_THERE.has(status)) return new Unusable(`is not there (status ${status})`);
  return new CliFailure(`${shown(at)} answers with status ${status}. ${CURES[status] ?? AGAIN}`);
}

const UNSTATED_PAUSE_SECONDS = 10;
const LOOPBACK = /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/;
/** What concerns this address alone. */
const NOTHING_THERE = new Set([400, 404, 410, 422]);
const CURES: Readonly<Record<number, string>> = {
  401: 'Check CARD_SERVICE_API_KEY.',
  403: 'Check CARD_SERVICE_API_KEY, and what the plan allows.',
};

/** Without a query, which may hold a key. */
export function shown({ host, pathname }: URL): string {
  return host + pathname;
}
