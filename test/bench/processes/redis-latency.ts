import { startService } from '../../support/backends.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { HOW, type Ids, interleavedRuns, KNOWN, knownIds, MEASURED, unreadIds } from '../interleaved-runs.ts';
import { MeasuredBot } from '../measured-bot.ts';
import { median } from '../quantile.ts';
import { StoredCards } from '../stored-cards.ts';
import { timed, wanted } from '../table.ts';
import { type BenchRedis, putCards } from './bench-redis.ts';
import type { FigurePart } from './group.ts';

const WARM_UP = 2_000;
/** The largest ratio that counts as equal. */
const SAME = 1.1;
const ABOVE_MS = 2;

/** `again` is a second embedded bot: it shows how much two measurements of the same thing differ. */
type Name = 'embedded' | 'memory' | 'redis' | 'again';

/** The latency that Redis adds to an answer from the cache. */
export async function redisLatency(redis: BenchRedis): Promise<FigurePart> {
  const service = await startService();
  const shared = redis.newVariables();
  await putCards({ ...shared, CARD_SERVICE_URL: service.url }, KNOWN + WARM_UP + MEASURED);
  const start = async (ids: Ids, env: Record<string, string> = {}) => {
    const dataDir = temporaryFolder('bench');
    (await StoredCards.open(dataDir, service.url)).put(0, KNOWN);
    return { bot: await MeasuredBot.start({ serviceUrl: service.url, dataDir, env }), ids };
  };
  const runs = await interleavedRuns<Name>(
    {
      embedded: await start(knownIds()),
      memory: await start(knownIds(), shared),
      redis: await start(unreadIds(KNOWN), shared), // each is read from Redis
      again: await start(knownIds()),
    },
    WARM_UP,
  );
  const p50 = (name: Name) => ms(median(runs.map((run) => median(run[name]))));
  const ratio = (name: Name) => median(runs.map((run) => median(run[name]) / median(run.embedded)));
  const aboveMs = median(runs.map((run) => median(run.redis) - median(run.embedded)));
  const { total } = service.counts;
  return {
    rows: [
      ['p50 from the cache, embedded', p50('embedded')],
      ['p50 from the cache, card in memory', `${p50('memory')} (${times(ratio('memory'))})`],
      ['p50 from the cache, card in Redis alone', `${p50('redis')} (+ ${ms(aboveMs)})`],
    ],
    verdicts: [
      timed(
        `p50 with the card in memory as embedded, at most ${SAME} × (${times(ratio('memory'))})`,
        ratio('memory') <= SAME,
      ),
      timed(
        `p50 with the card in Redis alone at most ${ABOVE_MS} ms above embedded (${ms(aboveMs)})`,
        aboveMs <= ABOVE_MS,
      ),
      wanted(`no request for a stored card (${total})`, total === 0),
    ],
    notes: [
      `p50: ${HOW} Each bot has answered ${WARM_UP.toLocaleString('en')} before. A second embedded bot measured ${times(ratio('again'))} the first: two measurements of the same thing differ by that much.`,
    ],
  };
}

function times(value: number): string {
  return `${value.toFixed(2)} ×`;
}

function ms(value: number): string {
  return `${value.toFixed(2)} ms`;
}
