import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setImmediate as nextLoopIteration, setTimeout as sleep } from 'node:timers/promises';
import { EmbeddedCardService } from '../../sandbox/card-service.ts';
import { lookup, lookupQueueOver } from '../support/lookup-queue.ts';
import { ledgerCosts } from './ledger.ts';
import { type BenchTable, timed } from './table.ts';

const WAITING = [1_000, 10_000] as const;
/** Come in one iteration of the loop: what Discord sends in one packet. */
const AT_ONCE = 20;
const MEASURED_ADMISSIONS = 500;
const MEASURED_MS = 2_000;
const PER_MINUTE = 30_000;
const SETTING = { plan: 'business', requestsPerMinute: PER_MINUTE, burst: 50 } as const;
const MOST = { cpuMs: 0.1, delayMs: 50 };

/** What one lookup costs by how many others there are: that wait with it, and that were counted on the same day. */
export async function run(): Promise<BenchTable[]> {
  return [await queueCosts(), await ledgerCosts()];
}

/** Each is another member's for another card, in ten servers. */
async function queueCosts(): Promise<BenchTable> {
  await measured(WAITING[0]); // until the code is compiled
  const figures = [];
  for (const waiting of WAITING) figures.push({ waiting, ...(await measured(waiting)) });
  const worst = figures.at(-1);
  const ms = (value = 0) => value.toFixed(3);
  return {
    title: 'What one more lookup costs while others wait',
    columns: ['waiting', 'CPU per admission', 'CPU per request', 'longest delay of the loop while they arrive'],
    rows: figures.map(({ waiting, admissionMs, requestMs, delayMs }) => [
      waiting.toLocaleString('en'),
      `${ms(admissionMs)} ms`,
      `${ms(requestMs)} ms`,
      `${Math.round(delayMs)} ms`,
    ]),
    verdicts: [
      timed(
        `an admission at 10,000 waiting within ${MOST.cpuMs} ms (${ms(worst?.admissionMs)} ms)`,
        (worst?.admissionMs ?? 0) <= MOST.cpuMs,
      ),
      timed(
        `a request at 10,000 waiting costs at most ${MOST.cpuMs} ms more than at 1,000 (${ms(worst?.requestMs)} ms)`,
        (worst?.requestMs ?? 0) - (figures[0]?.requestMs ?? 0) <= MOST.cpuMs,
      ),
      timed(
        `10,000 that arrive hold the loop up for ${MOST.delayMs} ms at most (${Math.round(worst?.delayMs ?? 0)} ms)`,
        (worst?.delayMs ?? 0) <= MOST.delayMs,
      ),
    ],
    notes: [
      `CPU of the process, with ${PER_MINUTE.toLocaleString('en')} requests a minute to the embedded card service, which answers in the same process: the difference between the rows is the queue's. An admission is with its start, and the last ${MEASURED_ADMISSIONS} of those that wait are measured.`,
    ],
  };
}

async function measured(waiting: number) {
  const { queue } = lookupQueueOver(
    new EmbeddedCardService({ requestsPerMinute: 1e9, burst: 1e9, requestsPerDay: 1e9 }),
    SETTING,
    {
      longestWaitMs: 1e9,
    },
  );
  let answered = 0;
  let arrived = 0;
  const arrive = async (count: number) => {
    for (const until = arrived + count; arrived < until; await nextLoopIteration()) {
      const wishes = Array.from({ length: Math.min(AT_ONCE, until - arrived) }, () => {
        arrived += 1;
        const requester = { memberId: `member ${arrived}`, guildId: `server ${arrived % 10}` };
        return lookup(`base1-${arrived}`, { requester, deadlineMs: Number.POSITIVE_INFINITY });
      });
      for (const admission of await Promise.all(wishes.map((wish) => queue.admit(wish)))) {
        if ('refusal' in admission) throw admission.refusal;
        admission.reservation.start().then(
          () => void answered++,
          () => {},
        );
      }
    }
  };
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  await arrive(waiting - Math.min(waiting, MEASURED_ADMISSIONS));
  const beforeMs = cpuMs();
  const fresh = Math.min(waiting, MEASURED_ADMISSIONS);
  await arrive(fresh);
  const admissionMs = (cpuMs() - beforeMs) / fresh;
  delay.disable();

  const [startMs, before] = [cpuMs(), answered];
  await sleep(MEASURED_MS);
  const requestMs = (cpuMs() - startMs) / Math.max(1, answered - before);
  const delayMs = delay.max / 1e6;
  await queue.close(0);
  return { admissionMs, requestMs, delayMs };
}

function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}
