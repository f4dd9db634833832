import { z } from 'zod';
import { type Bookings, guildKey, type Requester, type WindowQuota } from '../model/quota.ts';
import { type Change, type Rows, readJson } from '../model/store/rows.ts';
import { DAY_MS, HOUR_MS, KEPT_DAYS, MONTH_MS, nextUtcMidnightMs, utcDay, utcHour } from '../time.ts';

/** One request that is booked on its requester, in the hour of the UTC day in which it left. */
export interface Booking {
  requester: Requester;
  atMs: number;
}

/** How much is kept about a member. */
export interface KeptCounts {
  days: number;
  requests: number;
  saved: number;
}

export interface MemberRequests {
  memberId: string;
  requests: number;
}

/** What was counted in an hour. */
export type HourCounts = Pick<Bookings, 'requests' | 'saved'>;

const KINDS = ['requests', 'refused', 'saved'] as const;
/** Most answers are saved ones. Written together they cost next to nothing, and a crash loses one second of them. */
const WRITE_SAVED_EVERY_MS = 1_000;

/**
 * Who caused which requests: of each UTC day, kept for 35 days, in a part with the counts of each hour, one for each
 * Discord server (with the requests of each member), and one for each member (by server). No method costs a request,
 * waits long, throws or rejects: no lookup fails because it cannot be counted, and what cannot be read counts as zero.
 * What cannot be written now is not counted; what may have been is not counted again.
 */
export class Ledger {
  readonly #rows: Rows;
  readonly #service: string | undefined;
  readonly #unwritten = new Map<string, Extract<Change, { add: number }>>();
  #nextWrite: NodeJS.Timeout | undefined;
  /** Resolves when all that was sent to the store has its answer. */
  #written: Promise<unknown> = Promise.resolve();

  /**
   * @param service with ids of its own, so that nobody's budget counts requests to another; absent: the default
   * interface
   */
  constructor(rows: Rows, service?: string) {
    this.#rows = rows;
    this.#service = service;
  }

  /** A request leaves for this requester. */
  spent(requester: Requester): Booking {
    const booking = { requester, atMs: Date.now() };
    this.#add(booking, 'requests', 1);
    this.#write();
    return booking;
  }

  /** The request was answered with 429, or never connected: it counts as refused, and not as spent, in its own hour. */
  refused(booking: Booking): void {
    this.#add(booking, 'requests', -1);
    this.#add(booking, 'refused', 1);
    this.#write();
  }

  /** An answer came without a request of its own. */
  saved(requester: Requester): void {
    this.#add({ requester, atMs: Date.now() }, 'saved', 1);
    this.#nextWrite ??= setTimeout(() => this.#write(), WRITE_SAVED_EVERY_MS).unref();
  }

  /** Today's counts of all, by UTC hour up to the present one; empty while they cannot be read. */
  async hours(): Promise<HourCounts[]> {
    const counts = await this.#read(ofDay(this.#today));
    const hours = Array.from({ length: utcHour(Date.now()) + 1 }, (_, hour) => `${hour} `);
    if (!counts) return [];
    return hours.map((hour) => {
      const { requests, saved } = sumOf(counts, hour);
      return { requests, saved };
    });
  }

  /** In the requester's server: all foreign places are one, and so are the watches. */
  async guildToday(requester: Requester): Promise<Bookings> {
    return sumOf(await this.#read(ofGuild(this.#today, guildKey(requester)), KINDS));
  }

  /** In all servers. */
  async memberToday(memberId: string): Promise<Bookings> {
    return sumOf(await this.#read(ofMember(utcDay(Date.now()), memberId)), `${this.#today} `);
  }

  /** The members who caused most requests in the requester's server today, most first, equal ones by member id. */
  async topMembers(requester: Requester, count: number): Promise<MemberRequests[]> {
    const counts = await this.#read(ofGuild(this.#today, guildKey(requester)));
    return [...(counts ?? [])]
      .filter(([key, requests]) => key.startsWith(OF_MEMBER) && requests > 0)
      .map(([key, requests]) => ({ memberId: key.slice(OF_MEMBER.length), requests }))
      .sort((a, b) => b.requests - a.requests || (a.memberId < b.memberId ? -1 : 1))
      .slice(0, count);
  }

  /** What is kept about a member, of all days and services; `undefined` while that cannot be read. */
  async keptOf(memberId: string): Promise<KeptCounts | undefined> {
    const days = await Promise.all(keptDays().map((day) => this.#read(ofMember(day, memberId))));
    const read = days.filter((counts) => counts !== undefined);
    if (read.length < days.length) return undefined;
    const sums = read.filter((counts) => counts.size > 0).map((counts) => sumOf(counts));
    return { days: sums.length, ...totalOf(sums) };
  }

  /** Deletes what is kept about a member of that UTC day and before. @returns whether it could be */
  async deleteDays(memberId: string, throughDay: string): Promise<boolean> {
    const days = keptDays().filter((day) => day <= throughDay);
    return (await Promise.all(days.map((day) => this.#deleteDay(memberId, day)))).every(Boolean);
  }

  /** Writes what is not written yet, and waits for what is being written. Nothing may be booked afterwards. */
  async close(): Promise<void> {
    this.#write();
    await this.#written;
  }

  /** The name of the day, of this service. */
  get #today(): string {
    return this.#nameOf(utcDay(Date.now()));
  }

  #nameOf(day: string): string {
    return this.#service === undefined ? day : `${day}.${this.#service}`;
  }

  #add({ requester, atMs }: Booking, kind: keyof Bookings, by: number): void {
    const day = utcDay(atMs);
    const [name, guild, { memberId }] = [this.#nameOf(day), guildKey(requester), requester];
    const counted = [
      [ofDay(name), `${utcHour(atMs)} ${kind}`],
      [ofGuild(name, guild), kind],
      [ofMember(day, memberId), `${name} ${guild} ${kind}`],
      ...(kind === 'requests' ? [[ofGuild(name, guild), OF_MEMBER + memberId]] : []),
    ];
    for (const [part = '', key = ''] of counted) {
      const id = `${part} ${key}`;
      this.#unwritten.set(id, { part, key, add: (this.#unwritten.get(id)?.add ?? 0) + by });
    }
  }

  /** With all that was counted before. */
  #read(part: string, keys?: readonly string[]): Promise<Map<string, number> | undefined> {
    this.#write(); // before it, on the way to the same store
    return readJson(this.#rows, z.int(), part, keys);
  }

  #write(): void {
    clearTimeout(this.#nextWrite);
    this.#nextWrite = undefined;
    const changes = [...this.#unwritten.values()].filter(({ add }) => add !== 0);
    this.#unwritten.clear();
    if (changes.length === 0) return;
    const answer = this.#rows.write(changes, kept());
    this.#written = this.#written.then(() => answer);
  }

  /** Their direct messages are a server of their own, whose sums are theirs. */
  async #deleteDay(memberId: string, day: string): Promise<boolean> {
    const part = ofMember(day, memberId);
    const counts = await this.#read(part);
    if (!counts) return false;
    const own = guildKey({ memberId, guildId: undefined });
    const changes = [...counts.keys()].flatMap((key) => {
      const [name = '', guild = '', kind = ''] = key.split(' ');
      const inGuild = guild === own ? [OF_MEMBER + memberId, kind] : [OF_MEMBER + memberId];
      const others = inGuild.map((each) => ({ part: ofGuild(name, guild), key: each, value: undefined }));
      return [{ part, key, value: undefined }, ...others];
    });
    return changes.length === 0 || (await this.#rows.write(changes, kept())) === true;
  }
}

/**
 * What was counted in the present hour, and in the one before if that is of the same day.
 *
 * @param hours as the ledger has them
 */
export function requestsLately(hours: readonly HourCounts[], nowMs: number): { sinceMs: number; requests: number } {
  const recent = hours.slice(-2);
  const sinceMs = nowMs - (nowMs % HOUR_MS) - (recent.length - 1) * HOUR_MS;
  return { sinceMs, requests: recent.reduce((sum, { requests }) => sum + requests, 0) };
}

/** A burst is no rate, and a few requests after a start would make the day seem to run out. */
const LEAST_RATED_MS = 5 * 60_000;
const LEAST_RATED_SHARE = 0.05;
const LASTS_MS = { hour: HOUR_MS, day: DAY_MS, month: MONTH_MS };

/**
 * When nothing will remain of a window at its present rate.
 *
 * @param lately how many requests have left, and since when; absent, or too short: since the window began
 * @returns `undefined` when enough remains until the reset, too little is known, or our count may lack its beginning
 */
export function runsOutAtMs(
  { per = 'day', limit = 0, remaining = 0, resetsAtMs = 0, forWatches = 0, isOurCount }: WindowQuota,
  nowMs: number,
  lately?: { sinceMs: number; requests: number },
): number | undefined {
  const ofWindow = { sinceMs: resetsAtMs - LASTS_MS[per], requests: limit - remaining };
  const { sinceMs, requests } = lately && nowMs - lately.sinceMs >= LEAST_RATED_MS ? lately : ofWindow;
  const ratedMs = nowMs - sinceMs;
  const rated = requests - forWatches;
  const isRate = ratedMs >= LEAST_RATED_MS && rated > 0 && rated >= LEAST_RATED_SHARE * (remaining + requests);
  if (isOurCount || remaining <= 0 || !isRate) return undefined;
  const atMs = nowMs + (remaining * ratedMs) / rated;
  return atMs < resetsAtMs ? atMs : undefined;
}

/** Before a member, in the part of a server. */
const OF_MEMBER = 'of ';
const ofDay = (name: string) => `ledger:${name}`;
const ofGuild = (name: string, guild: string) => `ledger:${name}:${guild}`;
const ofMember = (day: string, memberId: string) => `ledger:${day}:of:${memberId}`;

/**
 * The sums, by the last word, of the keys with this beginning. A refusal can take back more than the store has kept: no
 * count is below zero.
 */
function sumOf(counts: ReadonlyMap<string, number> | undefined, beginning = ''): Bookings {
  const sums: Bookings = { requests: 0, refused: 0, saved: 0 };
  for (const [key, count] of counts ?? []) {
    const kind = KINDS.find((each) => key.endsWith(each));
    if (kind && key.startsWith(beginning)) sums[kind] += Math.max(0, count);
  }
  return sums;
}

/** The counts of several hours, or days, together. */
export function totalOf(counts: readonly HourCounts[]): HourCounts {
  const total = (kind: keyof HourCounts) => counts.reduce((sum, each) => sum + each[kind], 0);
  return { requests: total('requests'), saved: total('saved') };
}

/** From tomorrow on, by which a clock may have been ahead. */
function keptDays(): string[] {
  const tomorrowMs = Date.now() + DAY_MS;
  return Array.from({ length: KEPT_DAYS + 2 }, (_, ago) => utcDay(tomorrowMs - ago * DAY_MS));
}

/** To the end of the last day. */
function kept(): { keepMs: number } {
  const nowMs = Date.now();
  return { keepMs: nextUtcMidnightMs(nowMs) - nowMs + KEPT_DAYS * DAY_MS };
}
