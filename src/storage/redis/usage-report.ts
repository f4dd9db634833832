import { z } from 'zod';
import type { SharedReport, UsageReport } from '../../lookup/usage-reports.ts';
import { Usage } from '../../model/plan.ts';
import { DAY_MS } from '../../time/utc-day.ts';
import type { RedisLink } from './link.ts';
import { unlessUnavailable } from './unavailable.ts';

const KEPT_MS = 35 * DAY_MS;

const StoredReport = z.object({ usage: Usage, atMs: z.number() });

/** The last usage report of all processes that share an account. */
export function redisUsageReport(link: RedisLink, account: string): SharedReport {
  const key = `${link.prefix}:report:${account}`;
  return {
    async read(): Promise<UsageReport | undefined> {
      const text = await unlessUnavailable(link.read((client) => client.get(key)));
      return StoredReport.safeParse(JSON.parse(text ?? 'null')).data; // none if it is of another version
    },
    async write(report) {
      const expiration = { type: 'PX', value: KEPT_MS } as const;
      await unlessUnavailable(link.run((client) => client.set(key, JSON.stringify(report), { expiration })));
    },
  };
}
