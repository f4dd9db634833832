import { setImmediate as ioPhase } from 'node:timers/promises';
import { onTestFinished, vi } from 'vitest';
import type { Logger } from '../../src/log.ts';
import type { CellOptions } from '../../src/quota/limiter-cell.ts';
import { SharedCell } from '../../src/quota/shared-cell.ts';
import { RedisLimiterStore } from '../../src/storage/redis/limiter-store.ts';
import { type RedisHealth, RedisLink } from '../../src/storage/redis/link.ts';
import { ProcessesAlive } from '../../src/storage/redis/processes-alive.ts';
import { RedisUnavailable } from '../../src/storage/redis/unavailable.ts';
import { clientOf, type TestRedis } from './redis.ts';

/** The same for all processes of a test. */
const ACCOUNT = 'account';
/** Below the prefix. */
export const LIMITER_KEY = `limiter:${ACCOUNT}`;
/** Simulated, as all times of the test are. */
export const BEAT_MS = 2_000;

/** One process over Redis. */
export interface SharingProcess {
  cell: SharedCell;
  joined(): Promise<void>;
  /** Whether Redis is out of its reach. */
  part(isParted: boolean): Promise<void>;
  /** As after `kill -9`: without leaving. */
  die(): void;
  end(): Promise<void>;
}

/** The quota that processes share over one Redis, whose clock is that of the test. */
export class SharedQuota {
  readonly #redis: TestRedis;
  readonly #links = new Set<ScriptedLink>();
  #aheadMs = 0;

  constructor(redis: TestRedis) {
    this.#redis = redis;
  }

  join(options: CellOptions, log: Logger): SharingProcess {
    const link = new ScriptedLink({ ...this.#redis, log, answerTimeoutMs: 10_000 });
    // Redis has no clock that a test could move, so each script is told the time.
    const run = link.client.eval.bind(link.client);
    Object.assign(link.client, {
      eval: (script: string, options: object) => run(script.replace("redis.call('TIME')", this.#time()), options),
    });
    const processesAlive = new ProcessesAlive(link, { everyMs: BEAT_MS, deadAfterMs: 2 * BEAT_MS });
    const store = new RedisLimiterStore(processesAlive, ACCOUNT, log);
    this.#links.add(link);
    onTestFinished(() => link.close());
    return {
      cell: new SharedCell({ ...options, store, link, processesAlive }),
      joined: async () => {
        await link.opened(10_000);
        await this.settled();
      },
      part: async (isParted) => {
        link.part(isParted);
        await this.settled();
      },
      die: () => link.close(),
      end: async () => {
        await processesAlive.leave();
        link.close();
      },
    };
  }

  /** Resolves when Redis has answered everything, and what follows from the answers as well. */
  async settled(): Promise<void> {
    for (let quiet = 0; quiet < 3; quiet++) {
      await ioPhase();
      if ([...this.#links].some(({ underWay }) => underWay > 0)) quiet = -1;
    }
  }

  async forget(): Promise<void> {
    const client = await clientOf(this.#redis);
    await client.unlink(await client.keys(`${this.#redis.prefix}:*`));
  }

  moveClock(byMs: number): void {
    this.#aheadMs += byMs;
  }

  /** Seconds and microseconds, in Lua. */
  #time(): string {
    const nowMs = Number(vi.getMockedSystemTime()) + this.#aheadMs; // unlike Date.now(), of no process
    return `{'${Math.floor(nowMs / 1_000)}', '${(nowMs % 1_000) * 1_000}'}`;
  }
}

/** A link that may be cut at once, and knows whether it is waited for. */
class ScriptedLink extends RedisLink {
  underWay = 0;
  readonly #listeners: ((health: RedisHealth) => void)[] = [];
  #isParted = false;

  override get health(): RedisHealth {
    return this.#isParted ? 'unavailable' : super.health;
  }

  override onHealth(listener: (health: RedisHealth) => void): void {
    this.#listeners.push(listener);
    super.onHealth(listener);
  }

  override async run<T>(work: Parameters<typeof RedisLink.prototype.run<T>>[0]): Promise<T> {
    if (this.#isParted) throw new RedisUnavailable('parted');
    this.underWay++;
    try {
      return await super.run(work);
    } finally {
      this.underWay--;
    }
  }

  part(isParted: boolean): void {
    this.#isParted = isParted;
    for (const listener of this.#listeners) listener(this.health);
  }
}
