import { paceVariables, startService } from '../../support/backends.ts';
import { scoped } from '../../support/on-finished.ts';
import { DAY_CARDS, dayOfLookups } from '../quota/day-of-lookups.ts';
import { count } from '../quota/format.ts';
import { wanted } from '../table.ts';
import type { BenchRedis } from './bench-redis.ts';
import { type FigurePart, lookUpAll, PROCESSES, startGroup } from './group.ts';

const LOOKUPS = 5_000;
/** So high that it does not limit. */
const PACE = { requestsPerMinute: 600_000, burst: 10_000 };
const ENV = { ...paceVariables(PACE), CARD_SERVICE_PLAN: 'enterprise', MEMBER_DAILY_REQUESTS: '0' };
const AT_ONCE = 32;

/** Lookups by Zipf's law, as fast as possible. */
export async function popularCards(redis: BenchRedis): Promise<FigurePart> {
  const ids = dayOfLookups(1 / 24)
    .slice(0, LOOKUPS)
    .map(({ cardId }) => cardId);
  const distinct = new Set(ids).size;
  const [requests, shown]: [number[], number[]] = [[], []];
  for (const size of PROCESSES) {
    await scoped(async () => {
      const service = await startService({ plan: 'enterprise', ...PACE, cards: DAY_CARDS });
      const bots = await startGroup(size, { redis, serviceUrl: service.url, env: ENV });
      shown.push(await lookUpAll(bots, ids, AT_ONCE));
      requests.push(service.counts.total);
    });
  }
  const many = `${count(LOOKUPS)} lookups by Zipf`;
  return {
    rows: [[`${many}: requests / cards`, ...requests.map((sent) => (sent / distinct).toFixed(2))]],
    verdicts: [
      wanted(
        `${many} cost ${distinct} requests (${requests.join(', ')})`,
        requests.every((sent) => sent === distinct),
      ),
      wanted(`every one of them shows its card (${shown.join(', ')})`, Math.min(...shown) === LOOKUPS),
    ],
    notes: [
      `By Zipf: ${distinct} different cards, dealt out to the processes in turn; ${AT_ONCE} concurrent commands in each, without a limit on the pace.`,
    ],
  };
}
