import type { Logger } from '../log.ts';
import { KEPT_DAYS } from '../quota/kept-days.ts';
import { dayOfService } from '../quota/ledger.ts';
import type { LimiterState } from '../quota/limiter-state.ts';
import { SETTINGS_KEPT_MS } from '../settings/server-settings.ts';
import { DAY_MS, utcDay } from '../time/utc-day.ts';
import { WATCH_KEPT_MS } from '../watches/watch.ts';
import { additions, countersOf, dayKeys } from './redis/counters.ts';
import { DELETION_REQUESTS, REQUESTS_KEPT_MS } from './redis/forget.ts';
import { NOBODY, REPLIES, REPLIES_KEPT_MS } from './redis/journal.ts';
import type { RedisLink } from './redis/link.ts';
import { serversKey, settingsKey } from './redis/server-settings.ts';
import { RedisUnavailable } from './redis/unavailable.ts';
import { changeOrderKey, inChangeOrder, watchFields } from './redis/watches.ts';
import { type CardRow, EmbeddedFiles } from './sqlite/embedded-files.ts';

/**
 * KEYS: the marker, the ledger's days. ARGV: commands, as JSON: with an argument for each word, the client's stack would end
 * at some thousand watches. Runs them once, and only if nothing was ever counted in this Redis. Returns whether the cards
 * have been carried over, too, or that Redis is in use.
 */
const CARRY = `
  if redis.call('EXISTS', KEYS[1]) == 0 then
    if redis.call('EXISTS', unpack(KEYS, 2)) > 0 then return 'in use' end
    for _, command in ipairs(cjson.decode(ARGV[1])) do redis.call(unpack(command)) end
  end
  return redis.call('HGET', KEYS[1], 'done') or 'no'
`;
/** When it is gone, so are the days of the ledger that show that this Redis is in use. */
const MARKER_KEPT_MS = (KEPT_DAYS + 5) * DAY_MS;
const CARDS_AT_ONCE = 100;

export interface CarryOverOptions {
  link: RedisLink;
  /** How the keys of cards begin in the files (those of another service or path are left), and what Redis has before them. */
  cardKeys: { inFiles: string; before: string };
  account: string;
  /** Whose requests are counted; absent: the default interface's. */
  service?: string | undefined;
  dataDir: string;
  log: Logger;
}

/**
 * Takes what an embedded bot has left in `DATA_DIR` along into a Redis that has counted nothing yet: deferred replies,
 * today's counts, members' wishes to be forgotten, their watches and servers' settings at once, and cards in the
 * background. Broken off, it continues when Redis is back or at the next start. The files stay.
 */
export class CarryOver {
  /** The limiter's state of the same account, if the files have one. */
  readonly limiterState: LimiterState | undefined;
  readonly #options: CarryOverOptions;
  readonly #marker: string;
  #files: EmbeddedFiles | undefined;
  #running: Promise<void> | undefined;
  #isClosed = false;

  /** This has to be made before the counters, whose first count would show that this Redis is in use. */
  constructor(options: CarryOverOptions) {
    const { link, dataDir, account, log } = options;
    this.#options = options;
    this.#marker = `${link.prefix}:carried-over`;
    try {
      this.#files = EmbeddedFiles.open(dataDir);
      this.limiterState = this.#files?.limiterState(account);
    } catch (err) {
      log.warn({ err, dataDir }, 'the files are not carried over into redis');
    }
    link.onHealth((health) => {
      if (health === 'usable' && this.#files) this.#running ??= this.#carry(this.#files);
    });
  }

  /** Breaks off after what is under way. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#running;
    this.#closeFiles();
  }

  #closeFiles(): void {
    this.#files?.close();
    this.#files = undefined;
  }

  async #carry(files: EmbeddedFiles): Promise<void> {
    const { link, service, dataDir, log } = this.#options;
    try {
      const days = [undefined, service].flatMap((each) => dayKeys(`${link.prefix}:ledger`, each));
      const keys = [this.#marker, ...days];
      const commands = JSON.stringify(this.#commands(files));
      const isDone = await link.run((client) => client.eval(CARRY, { keys, arguments: [commands] }));
      if (isDone === 'in use') log.info({ dataDir }, 'the files are not carried over into redis: it is in use already');
      if (isDone === 'no') await this.#carryCards(files);
      this.#closeFiles();
    } catch (err) {
      if (err instanceof RedisUnavailable)
        this.#running = undefined; // the link logs why
      else log.error({ err }, 'carrying over the files into redis failed: it continues at the next start');
    }
  }

  /** The next heartbeat hands out the replies, which any process may complete. */
  #commands(files: EmbeddedFiles): string[][] {
    const { prefix } = this.#options.link;
    const [replies, requests] = [`${prefix}:${REPLIES}`, `${prefix}:${DELETION_REQUESTS}`];
    const today = dayOfService(utcDay(Date.now()), this.#options.service);
    const counters = files
      .booked(today)
      .flatMap(({ guild, member, ...counts }) => countersOf(today, guild, member, counts));
    return [
      ['HSET', this.#marker, 'done', 'no'],
      ['PEXPIRE', this.#marker, String(MARKER_KEPT_MS)],
      ...files.deferredReplies().map(([id, reply]) => ['HSET', replies, id, `${NOBODY} ${reply}`]),
      ['PEXPIRE', replies, String(REPLIES_KEPT_MS)],
      ...additions(`${prefix}:ledger`, counters),
      ...files.deletionRequests().map(([memberId, at]) => ['HSET', requests, memberId, `${at} 0`]),
      ['PEXPIRE', requests, String(REQUESTS_KEPT_MS)],
      ...files.serverSettings().flatMap(([guildId, name, value]) => {
        const key = settingsKey(prefix, guildId);
        return [
          ['HSET', key, name, value],
          ['PEXPIRE', key, String(SETTINGS_KEPT_MS)],
          ['SADD', serversKey(prefix), guildId],
        ];
      }),
      ...files
        .watches()
        .flatMap((watch) => [
          ...Object.entries(watchFields(prefix, watch, 1)).flatMap(([key, text]) => [
            ...(text ? [['HSET', key, watch.id, text]] : []),
            ['PEXPIRE', key, String(WATCH_KEPT_MS)],
          ]),
          ['ZADD', changeOrderKey(prefix), '1', inChangeOrder(watch)],
        ]),
      ['PEXPIRE', changeOrderKey(prefix), String(WATCH_KEPT_MS)],
    ];
  }

  /** A card that Redis has already is never older, and stays. */
  async #carryCards(files: EmbeddedFiles): Promise<void> {
    const { link, cardKeys, dataDir, log } = this.#options;
    log.info({ dataDir }, 'carrying over the files into redis');
    for (let after: string | undefined = ''; after !== undefined; ) {
      const cards: CardRow[] = files.cards(cardKeys.inFiles, after, CARDS_AT_ONCE);
      const nowMs = Date.now();
      await link.run((client) => {
        const kept = cards.filter(({ expiresAtMs }) => expiresAtMs > nowMs);
        const set = kept.map(({ key, value, expiresAtMs }) => {
          const expiration = { type: 'PX', value: expiresAtMs - nowMs } as const;
          return client.set(cardKeys.before + key, value, { condition: 'NX', expiration });
        });
        return Promise.all(set);
      });
      if (this.#isClosed) return;
      after = cards.at(-1)?.key;
    }
    await link.run((client) => client.hSet(this.#marker, 'done', 'yes'));
    log.info({ dataDir }, 'the files have been carried over into redis');
  }
}
