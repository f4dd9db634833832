import { z } from 'zod';
import type { SharedReport, UsageReport } from '../../lookup/usage-reports.ts';
import { Usage } from '../../model/plan.ts';
import { DAY_MS } from '../../time/utc-day.ts';
import type { RedisLink } from './link.ts';

const KEPT_MS = 35 * DAY_MS;

const StoredReport = z.object({ usage: Usage, atMs: z.number() });

/** The last usage report of all processes that share an account. */
export function redisUsageReport(link: RedisLink, account: string): SharedReport {
  const key = `${link.prefix}:report:${account}`;
  return {
    async read(): Promise<UsageReport | undefined> {
      try {
        const text = await link.read((client) => client.get(key));
        return text === null ? undefined : StoredReport.parse(JSON.parse(text));
      } catch {
        return undefined; // Redis is unavailable, or its report is of another version
      }
    },
    async write(report) {
      const expiration = { type: 'PX', value: KEPT_MS } as const;
      await link.run((client) => client.set(key, JSON.stringify(report), { expiration })).catch(() => {}); // other processes then request their own
    },
  };
}
