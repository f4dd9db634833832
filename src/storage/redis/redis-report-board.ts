import { z } from 'zod';
import {
  LocalReportBoard,
  latest,
  REPORT_EVERY_MS,
  type ReportBoard,
  type UsageReport,
} from '../../lookup/usage-reports.ts';
import { Usage } from '../../model/plan.ts';
import { DAY_MS } from '../../model/quota.ts';
import type { RedisLink } from './redis-link.ts';
import type { RedisLocks } from './redis-locks.ts';

const KEPT_MS = 35 * DAY_MS;

const StoredReport = z.object({ usage: Usage, atMs: z.number() });

/** One board for all processes that share a quota. While Redis is unavailable each process uses its own. */
export class RedisReportBoard implements ReportBoard {
  readonly #link: RedisLink;
  readonly #locks: RedisLocks;
  readonly #key: string;
  readonly #lock: string;
  readonly #local = new LocalReportBoard();

  constructor(link: RedisLink, locks: RedisLocks, prefix: string, account: string) {
    this.#link = link;
    this.#locks = locks;
    this.#key = `${prefix}:report:${account}`;
    this.#lock = `report:${account}`;
  }

  async claim(): Promise<boolean> {
    // The local board first: Redis does not know what was claimed while it was unavailable.
    if (!(await this.#local.claim())) return false;
    const isClaimed = !(await this.#locks.acquire(this.#lock, REPORT_EVERY_MS));
    if (!isClaimed) await this.#local.release();
    return isClaimed;
  }

  async release(): Promise<void> {
    await Promise.all([this.#local.release(), this.#locks.release(this.#lock)]);
  }

  async post(report: UsageReport): Promise<void> {
    await this.#local.post(report);
    if ((await this.last()) !== report) return; // another process has a later one
    const expiration = { type: 'PX', value: KEPT_MS } as const;
    await this.#link.run((client) => client.set(this.#key, JSON.stringify(report), { expiration })).catch(() => {}); // other processes then request their own
  }

  async last(): Promise<UsageReport | undefined> {
    const local = await this.#local.last();
    try {
      const text = await this.#link.read((client) => client.get(this.#key));
      return text === null ? local : latest(StoredReport.parse(JSON.parse(text)), local);
    } catch {
      return local; // Redis is unavailable, or its report is of another version
    }
  }
}
