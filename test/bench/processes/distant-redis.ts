import { setTimeout as sleep } from 'node:timers/promises';
import { createClient } from '@redis/client';
import { startService } from '../../support/backends.ts';
import { startSlowRelay } from '../../support/slow-relay.ts';
import { DAY_CARDS } from '../quota/day-of-lookups.ts';
import { seconds } from '../quota/format.ts';
import type { BenchRedis } from './bench-redis.ts';
import { type FigurePart, rowFor } from './figure-part.ts';
import { LookupProcesses } from './lookup-processes.ts';
import { ALLOWED, DIFFERENT } from './simultaneous-lookups.ts';

const TRIP_MS = 200;
/** That of the Business plan. */
const PER_SECOND = 8;
/** A small part of the plan's, so that most lookups wait for the pace. */
const BURST = 40;
const PACE = { requestsPerMinute: PER_SECOND * 60, burst: BURST };
const LOOKUPS = 120;
const OPTIMUM_MS = ((LOOKUPS - BURST) / PER_SECOND) * 1_000;
const SIMULTANEOUS = DIFFERENT.slice(0, LOOKUPS);
/** So that the code is partly compiled. */
const WARM_UP = DIFFERENT.slice(LOOKUPS, LOOKUPS + 8);
const REFILL_MS = (WARM_UP.length / PER_SECOND) * 1_000 + 500;

/** Whether a Redis far away slows the requests down. */
export async function distantRedis(redis: BenchRedis): Promise<FigurePart> {
  const service = await startService({ ...PACE, cards: DAY_CARDS });
  const relay = await startSlowRelay(redis.url, { delayMs: TRIP_MS });
  const variables = { ...redis.newVariables(), REDIS_URL: relay.url };
  const processes = await LookupProcesses.start(1, { url: service.url, ...PACE, variables });
  await processes.lookUp(WARM_UP, 1);
  await sleep(REFILL_MS);
  const { makespanMs } = await processes.lookUp(SIMULTANEOUS, LOOKUPS);
  await sleep(2 * TRIP_MS);
  const stored = await keysBelow(redis.url, `${variables.REDIS_KEY_PREFIX}:cards:`);
  return part(makespanMs / OPTIMUM_MS, service.counts.byStatus[429] ?? 0, stored);
}

function part(ratio: number, refused: number, stored: number): FigurePart {
  const what = `${LOOKUPS} cards at once, Redis ${TRIP_MS} ms away`;
  const all = LOOKUPS + WARM_UP.length;
  return {
    rows: [
      rowFor(1, `${what}: last answer, of ${seconds(OPTIMUM_MS)}`, `${ratio.toFixed(3)} ×`),
      rowFor(1, `${what}: refused (429)`, String(refused)),
    ],
    verdicts: [
      {
        claim: `${what}, in at most ${ALLOWED} × the optimum (${ratio.toFixed(3)})`,
        reached: ratio <= ALLOWED,
        timing: true,
      },
      { claim: `0 answers 429 with Redis ${TRIP_MS} ms away (${refused})`, reached: refused === 0 },
      // A process that gave Redis up and went on alone would be as fast.
      { claim: `Redis ${TRIP_MS} ms away has all ${all} cards (${stored})`, reached: stored === all, timing: true },
    ],
    notes: [
      `Redis ${TRIP_MS} ms away: every answer of Redis takes that much longer, by a relay between; ${PER_SECOND} requests a second as in the Business plan, burst ${BURST}; the optimum is (${LOOKUPS} − ${BURST}) / ${PER_SECOND} = ${seconds(OPTIMUM_MS)}; one run.`,
    ],
  };
}

async function keysBelow(url: string, prefix: string): Promise<number> {
  const client = await createClient({ url }).connect();
  let found = 0;
  for await (const keys of client.scanIterator({ MATCH: `${prefix}*`, COUNT: 1_000 })) found += keys.length;
  client.destroy();
  return found;
}
