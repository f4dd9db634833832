import { setTimeout as sleep } from 'node:timers/promises';
import { startCardService } from '../../../src/sandbox/card-service.ts';
import { type BenchTable, timed, wanted } from '../table.ts';
import { CONTESTANTS, type Contestant } from './contestants.ts';
import { DAY_CARDS } from './day-of-lookups.ts';
import { count, seconds } from './format.ts';
import { type RecordedRequest, recordFetch } from './recorded-fetch.ts';
import type { Strategy } from './strategy.ts';

/** One request in 3 s, so that the service states a wait of 3 s. */
const PACE = { requestsPerMinute: 20, burst: 20 };
const LOOKUPS = 16;
const LOOKUP_EVERY_MS = 250;
const WATCHED_MS = 8_000;
const PUNCTUAL_MS = 250;
/** The bot adds a random jitter of at most a fifth of the stated wait, so that several bots do not resume together. */
const JITTER_SHARE = 0.2;

/** What followed the first 429. */
interface Aftermath {
  /** Sent between its arrival and the time that it stated. */
  tooSoon: number;
  refused: number;
  statedMs: number;
  /** From the stated time until the first answer; `undefined` when there was none within `WATCHED_MS`. */
  firstSuccessMs: number | undefined;
}

/** Figure 3: another client has emptied the bucket of the same key, which no strategy can foresee. */
export async function run(): Promise<BenchTable> {
  const found = await Promise.all(
    CONTESTANTS.map(async (contestant) => ({ name: contestant.name, ...(await afterFirstRefusal(contestant)) })),
  );
  const [ours] = found;
  if (ours === undefined) throw new Error('no contestant');
  const allowedMs = PUNCTUAL_MS + ours.statedMs * JITTER_SHARE;
  const { tooSoon, firstSuccessMs = Number.POSITIVE_INFINITY } = ours;
  return {
    title: 'Another client spends the same key: after the first 429',
    columns: ['way', 'requests before the stated time', 'refused (429) in all', 'first answer, from the stated time'],
    rows: found.map((aftermath) => [
      aftermath.name,
      count(aftermath.tooSoon),
      count(aftermath.refused),
      aftermath.firstSuccessMs === undefined ? `none in ${seconds(WATCHED_MS)}` : seconds(aftermath.firstSuccessMs),
    ]),
    notes: [
      `Another client empties the bucket; then a new lookup comes every ${LOOKUP_EVERY_MS} ms. The service states ${ours.statedMs / 1000} s.`,
    ],
    verdicts: [
      wanted(`${tooSoon} requests before the stated time`, tooSoon === 0),
      timed(
        `the first answer ${seconds(firstSuccessMs)} after it (${seconds(allowedMs)} allowed, jitter included)`,
        firstSuccessMs <= allowedMs,
      ),
    ],
  };
}

async function afterFirstRefusal({ start }: Contestant): Promise<Aftermath> {
  const service = await startCardService({ ...PACE, cards: DAY_CARDS });
  const { fetch, requests } = recordFetch();
  const strategy = await start({ url: service.url, fetch, ...PACE });
  for (let request = 0; request < PACE.burst; request++)
    await (await globalThis.fetch(`${service.url}/cards/any`)).text();

  const watchedUntilMs = Date.now() + WATCHED_MS;
  await lookUpInSequence(strategy);
  while (Date.now() < watchedUntilMs && !requests.some(isAnswer)) await sleep(20);
  const aftermath = aftermathOf(requests);
  await strategy.close();
  await service.close();
  return aftermath;
}

/** Does not wait for the answers: only the requests are measured. */
async function lookUpInSequence(strategy: Strategy): Promise<void> {
  for (const [index, { id }] of DAY_CARDS.slice(0, LOOKUPS).entries()) {
    void strategy.lookUp(id, { memberId: `member ${index}`, guildId: 'server' });
    await sleep(LOOKUP_EVERY_MS);
  }
}

function aftermathOf(requests: readonly RecordedRequest[]): Aftermath {
  const first = requests.find(({ status }) => status === 429);
  if (first?.retryAfterMs === undefined) throw new Error('there was no 429, or it stated no time');
  const untilMs = first.answeredAtMs + first.retryAfterMs;
  const success = requests.find(isAnswer);
  return {
    tooSoon: requests.filter(({ sentAtMs }) => sentAtMs > first.answeredAtMs && sentAtMs < untilMs).length,
    refused: requests.filter(({ status }) => status === 429).length,
    statedMs: first.retryAfterMs,
    firstSuccessMs: success && success.answeredAtMs - untilMs,
  };
}

function isAnswer({ status }: RecordedRequest): boolean {
  return status === 200;
}
