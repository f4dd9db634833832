import { LRUCache } from 'lru-cache';
import { type Bookings, guildKey, type Requester, utcDay } from '../../model/quota.ts';
import { type Booking, bookingOf, type Ledger, type MemberRequests, WRITE_SAVED_EVERY_MS } from '../../quota/ledger.ts';
import { type Read, RedisBookings } from './redis-bookings.ts';
import type { RedisLink } from './redis-link.ts';
import { guildScope, memberScope, NOTHING, plus, type Scope, UnwrittenBookings } from './unwritten-bookings.ts';

/** The number of totals to remember for the time while Redis is unavailable. */
const MAX_REMEMBERED = 2_000;

/**
 * The ledger of processes that share a quota. A read costs one round trip; while Redis is unavailable it returns what was
 * last read plus what this process has not written yet. That is written when Redis is back, and counted once.
 */
export class RedisLedger implements Ledger {
  readonly #written: RedisBookings;
  readonly #unwritten = new UnwrittenBookings();
  readonly #lastSums = new LRUCache<string, Bookings>({ max: MAX_REMEMBERED });
  readonly #lastTops = new LRUCache<string, readonly MemberRequests[]>({ max: MAX_REMEMBERED });
  #writing: Promise<void> | undefined;
  #writeSoon: NodeJS.Timeout | undefined;

  constructor(link: RedisLink, prefix: string) {
    this.#written = new RedisBookings(link, prefix);
    link.onHealth((health) => health === 'usable' && this.#write());
  }

  spent(requester: Requester): Booking {
    const booking = bookingOf(requester);
    this.#unwritten.add(booking, { requests: 1 });
    this.#write();
    return booking;
  }

  refused(booking: Booking): void {
    this.#unwritten.add(booking, { requests: -1, refused: 1 });
    this.#write();
  }

  saved(requester: Requester): void {
    this.#unwritten.add(bookingOf(requester), { saved: 1 });
    this.#writeLater();
  }

  today(): Promise<Bookings> {
    return this.#sum('all');
  }

  guildToday(requester: Requester): Promise<Bookings> {
    return this.#sum(guildScope(requester));
  }

  memberToday(memberId: string): Promise<Bookings> {
    return this.#sum(memberScope(memberId));
  }

  async topMembers(requester: Requester, count: number): Promise<MemberRequests[]> {
    const { day } = bookingOf(requester);
    const guild = guildKey(requester);
    const read = await unlessFailed(this.#written.top(day, guild, count));
    const top = remembered(this.#lastTops, `${day} ${guild}`, read) ?? [];
    return mostFirst(top, this.#unwritten.members(day, guild, read?.batchNumber)).slice(0, count);
  }

  async close(): Promise<void> {
    this.#write();
    await this.#writing;
    clearTimeout(this.#writeSoon);
  }

  async #sum(scope: Scope): Promise<Bookings> {
    const day = utcDay(Date.now());
    const read = await unlessFailed(this.#written.sum(day, scope));
    const last = remembered(this.#lastSums, `${day} ${scope}`, read) ?? NOTHING;
    const { requests, refused, saved } = plus(last, this.#unwritten.sum(day, scope, read?.batchNumber));
    return { requests: Math.max(0, requests), refused, saved };
  }

  #write(): void {
    if (!this.#unwritten.isEmpty) this.#writing ??= this.#writeAll();
  }

  #writeLater(): void {
    this.#writeSoon ??= setTimeout(() => {
      this.#writeSoon = undefined;
      this.#write();
    }, WRITE_SAVED_EVERY_MS).unref();
  }

  async #writeAll(): Promise<void> {
    try {
      for (let batch = this.#unwritten.next(); batch; batch = this.#unwritten.next()) {
        await this.#written.add(batch);
        this.#unwritten.written(batch);
      }
    } catch {
      this.#writeLater(); // retries the same batch
    }
    this.#writing = undefined;
  }
}

/** The link logs why Redis is unavailable. */
function unlessFailed<T>(reading: Promise<T>): Promise<T | undefined> {
  return reading.catch(() => undefined);
}

function remembered<T extends object>(memory: LRUCache<string, T>, key: string, read: Read<T> | undefined) {
  if (read) memory.set(key, read.value);
  return memory.get(key);
}

/** Equal ones by member id, as Redis ranks them. */
function mostFirst(top: readonly MemberRequests[], more: readonly MemberRequests[]): MemberRequests[] {
  const requestsBy = new Map<string, number>();
  for (const { memberId, requests } of [...top, ...more]) {
    requestsBy.set(memberId, (requestsBy.get(memberId) ?? 0) + requests);
  }
  return [...requestsBy]
    .flatMap(([memberId, requests]) => (requests > 0 ? [{ memberId, requests }] : []))
    .sort((a, b) => b.requests - a.requests || (a.memberId < b.memberId ? -1 : 1));
}
