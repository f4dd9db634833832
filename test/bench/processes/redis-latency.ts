import { startService } from '../../support/backends.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import {
  BLOCK,
  BLOCKS,
  type Ids,
  interleavedRuns,
  KNOWN,
  knownIds,
  RUNS,
  type Run,
  unreadIds,
} from '../interleaved-runs.ts';
import { MeasuredBot } from '../measured-bot.ts';
import { median } from '../quantile.ts';
import { StoredCards } from '../stored-cards.ts';
import { type BenchRedis, putCards } from './bench-redis.ts';
import type { FigurePart } from './figure-part.ts';

const WARM_UP = 2_000;
const STORED = KNOWN + WARM_UP + RUNS * BLOCKS * BLOCK;
/** The largest ratio that counts as equal. */
const SAME = 1.1;
const ABOVE_MS = 2;

/** `again` is a second embedded bot: it shows how much two measurements of the same thing differ. */
type Name = 'embedded' | 'memory' | 'redis' | 'again';

/** The latency that Redis adds to an answer from the cache. */
export async function redisLatency(redis: BenchRedis): Promise<FigurePart> {
  const service = await startService();
  const shared = redis.newVariables();
  await putCards({ ...shared, CARD_SERVICE_URL: service.url }, STORED);
  const start = async (ids: Ids, env: Record<string, string> = {}) => {
    const dataDir = temporaryFolder('bench');
    (await StoredCards.open(dataDir, service.url)).put(0, KNOWN);
    return { bot: await MeasuredBot.start({ serviceUrl: service.url, dataDir, env }), ids };
  };
  const bots = {
    embedded: await start(knownIds()),
    memory: await start(knownIds(), shared),
    redis: await start(unreadIds(KNOWN), shared), // each is read from Redis
    again: await start(knownIds()),
  };
  return part(await interleavedRuns<Name>(bots, WARM_UP), service.counts.total);
}

function part(runs: Run<Name>[], requests: number): FigurePart {
  const p50 = (name: Name) => median(runs.map((run) => median(run[name])));
  const ratio = (name: Name) => median(runs.map((run) => median(run[name]) / median(run.embedded)));
  const aboveMs = median(runs.map((run) => median(run.redis) - median(run.embedded)));
  const times = (value: number) => `${value.toFixed(2)} ×`;
  const ms = (value: number) => `${value.toFixed(2)} ms`;
  return {
    rows: [
      ['p50 from the cache, embedded', ms(p50('embedded'))],
      ['p50 from the cache, card in memory', `${ms(p50('memory'))} (${times(ratio('memory'))})`],
      ['p50 from the cache, card in Redis alone', `${ms(p50('redis'))} (+ ${ms(aboveMs)})`],
    ],
    verdicts: [
      {
        claim: `p50 with the card in memory as embedded, at most ${SAME} × (${times(ratio('memory'))})`,
        reached: ratio('memory') <= SAME,
        timing: true,
      },
      {
        claim: `p50 with the card in Redis alone at most ${ABOVE_MS} ms above embedded (${ms(aboveMs)})`,
        reached: aboveMs <= ABOVE_MS,
        timing: true,
      },
      { claim: `no request for a stored card (${requests})`, reached: requests === 0 },
    ],
    notes: [
      `p50: from INTERACTION_CREATE written to the gateway until the head of the callback arrives, one command at a time; medians of ${RUNS} runs, in each ${BLOCKS} × ${BLOCK} commands to each bot in turn after ${WARM_UP.toLocaleString('en')} to warm up. A second embedded bot measured ${times(ratio('again'))} the first: two measurements of the same thing differ by that much.`,
    ],
  };
}
