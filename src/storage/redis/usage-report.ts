import { z } from 'zod';
import type { SharedReport, UsageReport } from '../../lookup/usage-reports.ts';
import { Usage } from '../../model/plan.ts';
import { storedJson } from '../../model/stored-json.ts';
import { DAY_MS } from '../../time/utc-day.ts';
import type { RedisLink } from './link.ts';
import { unlessUnavailable } from './unavailable.ts';

const KEPT_MS = 35 * DAY_MS;

const StoredReport = storedJson(z.object({ usage: Usage, atMs: z.number() }));

/** The last usage report of all processes that share an account. */
export function redisUsageReport(link: RedisLink, account: string): SharedReport {
  const key = `${link.prefix}:report:${account}`;
  return {
    async read(): Promise<UsageReport | undefined> {
      const text = await unlessUnavailable(link.read((client) => client.get(key)));
      const { data } = StoredReport.safeParse(text);
      if (text != null && !data) link.unreadable(key);
      return data;
    },
    async write(report) {
      const expiration = { type: 'PX', value: KEPT_MS } as const;
      await unlessUnavailable(link.run((client) => client.set(key, JSON.stringify(report), { expiration })));
    },
  };
}
