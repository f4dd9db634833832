import { z } from 'zod';
import type { Logger } from '../log.ts';
import { KEPT_DAYS } from '../quota/ledger.ts';
import type { LimiterState } from '../quota/limiter-state.ts';
import { DAY_MS, utcDay } from '../time/utc-day.ts';
import { BEGIN, MOVE } from './redis/carry-over-scripts.ts';
import { additions, countersOf, dayKeys } from './redis/counter-keys.ts';
import { deletionRequestsKey, REQUESTS_KEPT_MS } from './redis/deletion-requests.ts';
import type { RedisLink } from './redis/link.ts';
import { RedisUnavailable } from './redis/unavailable.ts';
import { EmbeddedFiles, FilesInUse } from './sqlite/embedded-files.ts';

export interface CarryOverOptions {
  link: RedisLink;
  /** How all keys begin but those of cards. */
  prefix: string;
  /** How the keys of cards begin in the files (those of another service or path are left), and what Redis has before them. */
  cardKeys: { inFiles: string; before: string };
  account: string;
  dataDir: string;
  log: Logger;
}

const ROWS_AT_ONCE = 100;
const RETRY_MS = 1_000;
const LOG_EVERY_MS = 5_000;
/** Longer than a reply can be completed. */
const REPLIES_TTL_MS = 16 * 60_000;
/** When it is gone, so are the days of the ledger that it is about. */
const MARKER_TTL_MS = (KEPT_DAYS + 5) * DAY_MS;
const IN_USE =
  'the files are not carried over into redis: a bot without REDIS_URL uses them; stop it, and restart this one';
const UNREADABLE = 'the files are not carried over into redis: they cannot be read';

/**
 * Takes what an embedded bot has left in `DATA_DIR` along into a Redis that has counted nothing yet: deferred replies,
 * the ledger, members' wishes to be forgotten and cards, in the background. Broken off, it continues at the next start. The files stay.
 */
export class CarryOver {
  /** The limiter's state of the same account, if the files have one. */
  readonly limiterState: LimiterState | undefined;
  readonly #options: CarryOverOptions;
  readonly #marker: string;
  #files: EmbeddedFiles | undefined;
  #running: Promise<void> | undefined;
  #retry: NodeJS.Timeout | undefined;
  #isClosed = false;

  /** This has to be made before the counters, whose first count would show that this Redis is in use. */
  constructor(options: CarryOverOptions) {
    const { link, prefix, dataDir, account, log } = options;
    this.#options = options;
    this.#marker = `${prefix}:carried-over`;
    try {
      this.#files = EmbeddedFiles.open(dataDir);
      this.limiterState = this.#files?.limiterState(account);
    } catch (err) {
      const [why, fields] = err instanceof FilesInUse ? [IN_USE, {}] : [UNREADABLE, { err }];
      log.warn({ dataDir, ...fields }, why);
    }
    if (this.#files) link.onHealth((health) => health === 'usable' && this.#start());
  }

  /** Breaks off after what is under way. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#running;
    clearTimeout(this.#retry);
    this.#closeFiles();
  }

  #start(): void {
    if (this.#files && !this.#isClosed) this.#running ??= this.#run(this.#files);
  }

  async #run(files: EmbeddedFiles): Promise<void> {
    try {
      await this.#carry(files);
      this.#closeFiles();
    } catch (err) {
      if (err instanceof RedisUnavailable) this.#retry = setTimeout(() => this.#start(), RETRY_MS);
      else
        this.#options.log.error({ err }, 'carrying over the files into redis failed: it continues at the next start');
    }
    this.#running = undefined;
  }

  #closeFiles(): void {
    this.#files?.close();
    this.#files = undefined;
  }

  async #carry(files: EmbeddedFiles): Promise<void> {
    const { dataDir, log, cardKeys } = this.#options;
    const progress = await this.#begin(files.id());
    if (progress === undefined)
      log.info({ dataDir }, 'the files are not carried over into redis: it is in use already');
    if (progress === undefined || progress.done === 'yes') return;
    const totals = { cards: files.cardCount(cardKeys.inFiles), bookings: files.bookedCount() };
    log.info({ dataDir, ...totals }, 'carrying over the files into redis');
    await this.#carryReplies(files);
    const isCounted = await this.#carryCounts(files, progress.counts);
    if (!isCounted) return;
    await this.#carryDeletionRequests(files);
    if (!(await this.#carryCards(files, progress.cards, totals.cards))) return;
    await this.#move('done', '', 'yes', []);
    log.info({ dataDir, ...totals }, 'the files have been carried over into redis');
  }

  /** How far each kind is, '' at first; `undefined` when these files are not taken along. */
  async #begin(source: string) {
    const { link, prefix } = this.#options;
    const keys = [this.#marker, ...dayKeys(`${prefix}:ledger`)];
    const begun = await link.run((client) => client.eval(BEGIN, { keys, arguments: [source, String(MARKER_TTL_MS)] }));
    const [counts, cards, done] = z.array(z.string()).parse(begun);
    return counts === undefined ? undefined : { counts, cards: cards ?? '', done };
  }

  /** Any process may complete them: the next heartbeat hands them out. */
  async #carryReplies(files: EmbeddedFiles): Promise<void> {
    const key = `${this.#options.prefix}:replies`;
    const replies = files.deferredReplies().map(([id, reply]) => ['HSETNX', key, id, `- ${reply}`]);
    await this.#move('replies', '', 'all', [...replies, ['PEXPIRE', key, String(REPLIES_TTL_MS)]]);
  }

  /** After the counts that they are about. */
  async #carryDeletionRequests(files: EmbeddedFiles): Promise<void> {
    const key = deletionRequestsKey(this.#options.prefix);
    const requests = files.deletionRequests().map(([memberId, at]) => ['HSETNX', key, memberId, at]);
    await this.#move('requests', '', 'all', [...requests, ['PEXPIRE', key, String(REQUESTS_KEPT_MS)]]);
  }

  /** @returns whether all are carried over */
  async #carryCounts(files: EmbeddedFiles, from: string): Promise<boolean> {
    const oldest = utcDay(Date.now() - KEPT_DAYS * DAY_MS);
    for (let at = from; !this.#isClosed; ) {
      const rows = files.booked(at, ROWS_AT_ONCE);
      const last = rows.at(-1);
      if (last === undefined) return true;
      const kept = rows.filter(({ day }) => day >= oldest);
      const counters = kept.flatMap(({ day, guild, member, ...counts }) => countersOf(day, guild, member, counts));
      at = await this.#move('counts', at, last.position, additions(`${this.#options.prefix}:ledger`, counters));
    }
    return false;
  }

  /** A card that Redis has already is never older, and stays. @returns whether all are carried over */
  async #carryCards(files: EmbeddedFiles, from: string, total: number): Promise<boolean> {
    const { link, cardKeys, log } = this.#options;
    let loggedMs = Date.now();
    let carried = 0;
    for (let at = from; !this.#isClosed; ) {
      const cards = files.cards(cardKeys.inFiles, at, ROWS_AT_ONCE);
      const last = cards.at(-1);
      if (last === undefined) return true;
      const nowMs = Date.now();
      const kept = cards.filter(({ expiresAtMs }) => expiresAtMs > nowMs);
      await link.run((client) => {
        const set = kept.map(({ key, value, expiresAtMs }) => {
          const expiration = { type: 'PX', value: expiresAtMs - nowMs } as const;
          return client.set(cardKeys.before + key, value, { condition: 'NX', expiration });
        });
        return Promise.all([...set, client.hSet(this.#marker, 'cards', last.key)]);
      });
      at = last.key;
      carried += cards.length;
      if (nowMs - loggedMs < LOG_EVERY_MS) continue;
      loggedMs = nowMs;
      log.info({ cards: carried, of: total }, 'carrying over the files into redis');
    }
    return false;
  }

  /** @returns where the field is now */
  async #move(field: string, from: string, to: string, commands: readonly string[][]): Promise<string> {
    const words = commands.flatMap((command) => [String(command.length), ...command]);
    const move = { keys: [this.#marker], arguments: [field, from, to, ...words] };
    return z.string().parse(await this.#options.link.run((client) => client.eval(MOVE, move)));
  }
}
