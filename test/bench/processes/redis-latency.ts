import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startCardService } from '../../../src/sandbox/card-service.ts';
import { ourBot } from '../bots.ts';
import { AT_ONCE } from '../contender.ts';
import { BLOCK, BLOCKS, type Bots, interleavedRuns, RUNS, type Run, warmUp } from '../interleaved-runs.ts';
import { knownIds } from '../latency-runs.ts';
import { median } from '../quantile.ts';
import { StoredCards, storedCardId } from '../stored-cards.ts';
import type { BenchRedis } from './bench-redis.ts';
import { putCards } from './cards-in-redis.ts';
import type { FigurePart } from './figure-part.ts';

/** `again` is a second embedded bot: it shows how much two measurements of the same thing differ. */
const NAMES = ['embedded', 'memory', 'redis', 'again'] as const;
const WARM_UP = 2_000;
const STORED = 10 + WARM_UP + RUNS * BLOCKS * BLOCK;
/** The largest ratio that counts as equal. */
const SAME = 1.1;
const ABOVE_MS = 2;

type Name = (typeof NAMES)[number];

/** The latency that Redis adds to an answer from the cache. */
export async function redisLatency(redis: BenchRedis): Promise<FigurePart> {
  const folder = mkdtempSync(join(tmpdir(), 'cardbot-bench-'));
  const service = await startCardService();
  const variables = { REDIS_URL: redis.url, REDIS_KEY_PREFIX: redis.newPrefix() };
  const bots: Partial<Bots<Name>> = {};
  try {
    await putCards({ ...variables, CARD_SERVICE_URL: service.url }, STORED);
    for (const name of NAMES) {
      const dataDir = mkdtempSync(join(folder, `${name}-`));
      const stored = await StoredCards.open(dataDir, service.url);
      stored.put(0, 10);
      stored.close();
      const isShared = name === 'memory' || name === 'redis';
      bots[name] = await ourBot(dataDir, service.url, isShared ? variables : {});
    }
    return part(await measure(bots as Bots<Name>), service.counts.total);
  } finally {
    await Promise.all(Object.values(bots).map((bot) => bot.stop()));
    await service.close();
    rmSync(folder, { recursive: true });
  }
}

async function measure(bots: Bots<Name>): Promise<Run<Name>[]> {
  const ids = { embedded: knownIds(), memory: knownIds(), redis: unreadIds(), again: knownIds() };
  await warmUp(NAMES, bots, ids, AT_ONCE, WARM_UP);
  return interleavedRuns(NAMES, bots, ids);
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

/** Stored cards that were never looked up, so that each is read from Redis. */
function* unreadIds(): Generator<string, never> {
  for (let index = 10; ; index++) yield storedCardId(index);
}
