import { z } from 'zod';
import * as reports from '../../lookup/usage-reports.ts';
import { Usage } from '../../model/plan.ts';
import { DAY_MS } from '../../time/utc-day.ts';
import type { RedisLink } from './redis-link.ts';
import type { RedisLocks } from './redis-locks.ts';

const KEPT_MS = 35 * DAY_MS;

const StoredReport = z.object({ usage: Usage, atMs: z.number() });

/** One board for all processes that share a quota. While Redis is unavailable each process uses its own. */
export function redisReportBoard(link: RedisLink, locks: RedisLocks, prefix: string, account: string) {
  const [key, lock] = [`${prefix}:report:${account}`, `report:${account}`];
  const local = new reports.LocalReportBoard();

  async function last(): Promise<reports.UsageReport | undefined> {
    const known = await local.last();
    try {
      const text = await link.read((client) => client.get(key));
      return text === null ? known : reports.latest(StoredReport.parse(JSON.parse(text)), known);
    } catch {
      return known; // Redis is unavailable, or its report is of another version
    }
  }

  return {
    last,
    async claim() {
      // The local board first: Redis does not know what was claimed while it was unavailable.
      if (!(await local.claim())) return false;
      const isClaimed = !(await locks.acquire(lock, reports.REPORT_EVERY_MS));
      if (!isClaimed) await local.release();
      return isClaimed;
    },
    async release() {
      await Promise.all([local.release(), locks.release(lock)]);
    },
    async post(report: reports.UsageReport) {
      await local.post(report);
      if ((await last()) !== report) return; // another process has a later one
      const expiration = { type: 'PX', value: KEPT_MS } as const;
      await link.run((client) => client.set(key, JSON.stringify(report), { expiration })).catch(() => {}); // other processes then request their own
    },
  };
}
