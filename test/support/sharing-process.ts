import { expect, onTestFinished } from 'vitest';
import type { PlanSetting } from '../../src/model/plan.ts';
import { NOTHING_LEARNED } from '../../src/quota/learned.ts';
import { INITIAL_LIMITER_STATE, type LimiterState } from '../../src/quota/limiter-state.ts';
import { plannedPace } from '../../src/quota/pace.ts';
import { QuotaWarnings } from '../../src/quota/quota-warnings.ts';
import { RateLimiter } from '../../src/quota/rate-limiter.ts';
import { SharedCell } from '../../src/quota/shared-cell.ts';
import { RedisLimiterStore } from '../../src/storage/redis/limiter-store.ts';
import { RedisLink } from '../../src/storage/redis/link.ts';
import { ProcessesAlive } from '../../src/storage/redis/processes-alive.ts';
import { logLines } from './log-lines.ts';
import { LONGEST_WAIT_MS } from './lookup-queue.ts';
import type { TestRedis } from './redis.ts';

/** The same for all processes of a test. */
const ACCOUNT = 'account';
/** Below the prefix. */
export const LIMITER_KEY = `limiter:${ACCOUNT}`;
/** Short, so that tests need not wait; a process counts as dead only after many heartbeats, because the machine may be busy. */
const HEARTBEAT_TIMES = { everyMs: 100, deadAfterMs: 1_500 };

export interface SharingProcessOptions {
  setting: PlanSetting;
  /** In a log of its own unless given. */
  warnings?: QuotaWarnings;
  /** What an embedded process has stored; unless given, that the service takes many requests at once. */
  initial?: LimiterState;
  /** The bot's own unless given: a busy machine looks like an outage. */
  answerTimeoutMs?: number;
}

/** Before the first start, but for requests under way: as many at once as the plan's burst. */
function manyAtOnce(setting: PlanSetting): LimiterState {
  const { intervalMs, capacity } = plannedPace(INITIAL_LIMITER_STATE, setting);
  const learned = { ...NOTHING_LEARNED, inFlight: capacity + 1, pace: `${intervalMs} ${capacity}` };
  return { ...INITIAL_LIMITER_STATE, learned };
}

/** That many processes over one Redis, patient with a busy machine. */
export async function processes<Count extends keyof Processes>(count: Count, redis: TestRedis, setting: PlanSetting) {
  const all = Array.from({ length: count }, () => SharingProcess.joined(redis, { setting, answerTimeoutMs: 10_000 }));
  return (await Promise.all(all)) as Processes[Count];
}

interface Processes {
  1: [SharingProcess];
  2: [SharingProcess, ...Processes[1]];
  3: [SharingProcess, ...Processes[2]];
  4: [SharingProcess, ...Processes[3]];
}

/** The limiter of one of several processes, with its own connection to Redis. Closed when the test ends. */
export class SharingProcess {
  readonly link: RedisLink;
  readonly processesAlive: ProcessesAlive;
  readonly limiter: RateLimiter;
  readonly log = logLines();

  constructor(
    { url, prefix }: TestRedis,
    { setting, warnings, initial = manyAtOnce(setting), ...patience }: SharingProcessOptions,
  ) {
    const { log } = this.log;
    this.link = new RedisLink({ url, prefix, log, ...patience });
    this.processesAlive = new ProcessesAlive(this.link, 1, HEARTBEAT_TIMES);
    const { link, processesAlive } = this;
    const options = { setting, longestWaitMs: LONGEST_WAIT_MS, warnings: warnings ?? new QuotaWarnings(log) };
    const store = new RedisLimiterStore(processesAlive, ACCOUNT, log);
    const cell = new SharedCell({ ...options, store, link, processesAlive, initial });
    this.limiter = new RateLimiter(cell, { ...options, random: () => 0 });
    onTestFinished(() => this.end());
  }

  /** Resolves when the process knows the others. */
  static async joined(redis: TestRedis, options: SharingProcessOptions): Promise<SharingProcess> {
    const process = new SharingProcess(redis, options);
    await process.link.opened(10_000);
    expect(process.link.health).toBe('usable');
    return process;
  }

  /** Ends as after `kill -9`: without leaving. */
  die(): void {
    this.link.close();
  }

  async end(): Promise<void> {
    await this.processesAlive.leave();
    this.link.close();
  }
}
