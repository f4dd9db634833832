import { RateLimiterRedis } from 'rate-limiter-flexible';
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
import { RedisUnavailable } from './redis-unavailable.ts';

const KEPT_MS = 35 * DAY_MS;

const StoredReport: z.ZodType<UsageReport> = z.object({ usage: Usage, atMs: z.number() });

/** One board for all processes that share a quota. While Redis is unavailable each process uses its own. */
export class RedisReportBoard implements ReportBoard {
  readonly #link: RedisLink;
  readonly #key: string;
  readonly #claims: RateLimiterRedis;
  readonly #local = new LocalReportBoard();

  /** @param prefix of this account: each key has its own report */
  constructor(link: RedisLink, prefix: string) {
    this.#link = link;
    this.#key = `${prefix}:report`;
    this.#claims = new RateLimiterRedis({
      storeClient: link.client,
      useRedisPackage: true,
      keyPrefix: this.#key,
      points: 1,
      duration: REPORT_EVERY_MS / 1000,
    });
  }

  async claim(): Promise<boolean> {
    // The local board first: Redis does not know what was claimed while it was unavailable.
    if (!(await this.#local.claim())) return false;
    try {
      await this.#link.run(() => this.#claims.consume('claim'));
      return true;
    } catch (refused) {
      if (refused instanceof RedisUnavailable) return true;
      await this.#local.release();
      return false;
    }
  }

  async release(): Promise<void> {
    await this.#local.release();
    await this.#link.run(() => this.#claims.delete('claim')).catch(() => {}); // it expires
  }

  async post(report: UsageReport): Promise<void> {
    await this.#local.post(report);
    if ((await this.last()) !== report) return; // another process has a later one
    const expiration = { type: 'PX', value: KEPT_MS } as const;
    await this.#link.run((client) => client.set(this.#key, JSON.stringify(report), { expiration })).catch(() => {}); // other processes then request their own
  }

  async last(): Promise<UsageReport | undefined> {
    const local = await this.#local.last();
    const text = await this.#link.read((client) => client.get(this.#key)).catch(() => null);
    return latest(text === null ? undefined : parsed(text), local);
  }
}

/** @returns `undefined` for a report of another version */
function parsed(text: string): UsageReport | undefined {
  try {
    return StoredReport.parse(JSON.parse(text));
  } catch {
    return undefined;
  }
}
