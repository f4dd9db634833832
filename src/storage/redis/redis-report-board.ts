import { RateLimiterRedis } from 'rate-limiter-flexible';
import { z } from 'zod';
import {
  LocalReportBoard,
  latest,
  REPORT_EVERY_MS,
  type ReportBoard,
  type UsageReport,
} from '../../lookup/usage-reports.ts';
import { DAY_MS } from '../../time/utc-day.ts';
import type { RedisLink } from './redis-link.ts';
import { RedisUnavailable } from './redis-unavailable.ts';

const KEPT_MS = 35 * DAY_MS;

const StoredReport: z.ZodType<UsageReport> = z.object({
  usage: z.object({
    plan: z.string().optional(),
    period: z.object({ startMs: z.number().optional(), endMs: z.number().optional() }).optional(),
    requests: z
      .object({ used: z.number().optional(), limit: z.number().optional(), remaining: z.number().optional() })
      .optional(),
  }),
  atMs: z.number(),
});

/** One board for all processes that share a quota. While Redis is away each has its own. */
export class RedisReportBoard implements ReportBoard {
  readonly #link: RedisLink;
  readonly #key: string;
  readonly #claims: RateLimiterRedis;
  readonly #own = new LocalReportBoard();

  /** @param prefix of this account: another key has another report */
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
    // First its own: Redis knows nothing of what was claimed while it was away.
    if (!(await this.#own.claim())) return false;
    try {
      await this.#link.run(() => this.#claims.consume('claim'));
      return true;
    } catch (refused) {
      if (refused instanceof RedisUnavailable) return true;
      await this.#own.giveBack();
      return false;
    }
  }

  async giveBack(): Promise<void> {
    await this.#own.giveBack();
    await this.#link.run(() => this.#claims.delete('claim')).catch(() => {}); // it ends by itself
  }

  async post(report: UsageReport): Promise<void> {
    await this.#own.post(report);
    if ((await this.last()) !== report) return; // another process has a later one
    const expiration = { type: 'PX', value: KEPT_MS } as const;
    await this.#link.run((client) => client.set(this.#key, JSON.stringify(report), { expiration })).catch(() => {}); // others ask for themselves
  }

  async last(): Promise<UsageReport | undefined> {
    const own = await this.#own.last();
    const text = await this.#link.read((client) => client.get(this.#key)).catch(() => null);
    return latest(text === null ? undefined : parsed(text), own);
  }
}

/** `undefined` for a report of another version. */
function parsed(text: string): UsageReport | undefined {
  try {
    return StoredReport.parse(JSON.parse(text));
  } catch {
    return undefined;
  }
}
