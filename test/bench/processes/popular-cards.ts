import { startService } from '../../support/backends.ts';
import { scoped } from '../../support/on-finished.ts';
import { DAY_CARDS, dayOfLookups } from '../quota/day-of-lookups.ts';
import { count } from '../quota/format.ts';
import type { BenchRedis } from './bench-redis.ts';
import { type FigurePart, PROCESSES } from './figure-part.ts';
import { LookupProcesses } from './lookup-processes.ts';

/** So high that it does not limit. */
const PACE = { requestsPerMinute: 600_000, burst: 10_000 };
const AT_ONCE = 32;

/** The lookups of a day by Zipf's law, as fast as possible. */
export async function popularCards(redis: BenchRedis): Promise<FigurePart> {
  const lookups = dayOfLookups(1 / 24);
  const distinct = new Set(lookups.map(({ cardId }) => cardId)).size;
  const runs: { requests: number; withCard: number }[] = [];
  for (const size of PROCESSES) runs.push(await scoped(() => lookUpAll(redis, size, lookups)));
  const shown = Math.min(...runs.map(({ withCard }) => withCard));
  const many = count(lookups.length);
  return {
    rows: [
      [`${many} lookups by Zipf: requests / cards`, ...runs.map(({ requests }) => (requests / distinct).toFixed(2))],
    ],
    verdicts: [
      {
        claim: `${many} lookups by Zipf cost ${distinct} requests (${runs.map(({ requests }) => requests).join(', ')})`,
        reached: runs.every(({ requests }) => requests === distinct),
      },
      { claim: `every one of them shows its card (${count(shown)})`, reached: shown === lookups.length },
    ],
    notes: [
      `By Zipf: ${distinct} different cards, distributed evenly over the processes; ${AT_ONCE} concurrent lookups in each, without a limit on the pace.`,
    ],
  };
}

async function lookUpAll(
  redis: BenchRedis,
  size: number,
  lookups: ReturnType<typeof dayOfLookups>,
): Promise<{ requests: number; withCard: number }> {
  const service = await startService({ plan: 'enterprise', ...PACE, cards: DAY_CARDS });
  const variables = { ...redis.newVariables(), CARD_SERVICE_PLAN: 'enterprise', MEMBER_DAILY_REQUESTS: '0' };
  const processes = await LookupProcesses.start(size, { url: service.url, ...PACE, variables });
  const { withCard } = await processes.lookUp(lookups, AT_ONCE);
  return { requests: service.counts.total, withCard };
}
