import { setImmediate as ioPhase } from 'node:timers/promises';
import { onTestFinished, vi } from 'vitest';
import { type DocumentOptions, LimiterDocument } from '../../src/limiter/document.ts';
import { INITIAL_STATE } from '../../src/limiter/state.ts';
import type { Logger } from '../../src/log.ts';
import { Processes } from '../../src/model/processes.ts';
import type { RedisClient } from '../../src/storage/redis/client.ts';
import { type RedisHealth, RedisLink, RedisUnavailable } from '../../src/storage/redis/link.ts';
import { RedisRows } from '../../src/storage/redis/rows.ts';
import { clientOf, type TestRedis } from './redis.ts';

/** The same for all processes of a test. */
const ACCOUNT = 'account';
/** Where the limiter is below the prefix, in which field. */
export const LIMITER_ROW = ['limiter', ACCOUNT] as const;
/** Simulated, as all times of the test are. */
export const BEAT_MS = 1_000;
const NEVER_MS = 1_000_000_000;

/** One process over Redis. */
export interface SharingProcess {
  document: LimiterDocument;
  joined(): Promise<void>;
  /** Whether Redis is out of its reach. */
  part(isParted: boolean): Promise<void>;
  /** The next write is stored, but its answer is lost, and Redis is out of reach since. */
  loseAnswer(): void;
  /** Shows that it is alive, and looks at the others. */
  beat(): Promise<void>;
  /** As after `kill -9`: without leaving. */
  die(): void;
  end(): Promise<void>;
}

/** The quota that processes share over one Redis, whose clock is that of the test. */
export class SharedQuota {
  readonly #redis: TestRedis;
  readonly #links = new Set<ScriptedLink>();
  #aheadMs = 0;
  #kept = '';

  constructor(redis: TestRedis) {
    this.#redis = redis;
  }

  join(options: Pick<DocumentOptions, 'terms' | 'log'>, log: Logger): SharingProcess {
    const link = new ScriptedLink({ ...this.#redis, log, botId: '1', answerTimeoutMs: 10_000 });
    link.time = () => this.#time();
    const rows = new RedisRows(link);
    const processes = new Processes(rows, NEVER_MS); // timers know no clocks that differ
    link.onHealth((health) => health === 'usable' && void processes.look());
    this.#links.add(link);
    onTestFinished(() => link.close());
    const document = new LimiterDocument({ ...options, rows, account: ACCOUNT, link, processes });
    return {
      document,
      joined: async () => {
        await link.opened;
        await this.settled();
      },
      part: async (isParted) => {
        link.part(isParted);
        await this.settled();
      },
      loseAnswer: () => link.loseAnswer(),
      beat: () => processes.look(),
      die: () => link.close(),
      end: async () => {
        await processes.leave();
        link.close();
      },
    };
  }

  settled(): Promise<void> {
    return settled(this.#links);
  }

  /** A Redis that the quota has been shared over for long, with a full bucket. */
  async begin(): Promise<void> {
    const client = await clientOf(this.#redis);
    const [part, key] = LIMITER_ROW;
    const shared = JSON.stringify({ state: INITIAL_STATE, by: {}, version: 0 });
    await client.hSet(`${this.#redis.prefix}:${part}`, key, shared);
  }

  async forget(): Promise<void> {
    const client = await clientOf(this.#redis);
    await client.unlink(await client.keys(`${this.#redis.prefix}:*`));
  }

  /** A replica that what comes now does not reach. */
  async keep(): Promise<void> {
    const client = await clientOf(this.#redis);
    const [part, key] = LIMITER_ROW;
    this.#kept = (await client.hGet(`${this.#redis.prefix}:${part}`, key)) ?? '';
  }

  async goBack(): Promise<void> {
    const client = await clientOf(this.#redis);
    const [part, key] = LIMITER_ROW;
    await client.hSet(`${this.#redis.prefix}:${part}`, key, this.#kept);
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

/** Resolves when Redis has answered everything, and what follows from the answers as well. */
export async function settled(links: ReadonlySet<ScriptedLink>): Promise<void> {
  for (let quiet = 0; quiet < 3; quiet++) {
    await ioPhase();
    if ([...links].some(({ underWay }) => underWay > 0)) quiet = -1;
  }
}

/** A link that may be cut at once, and knows whether it is waited for. */
export class ScriptedLink extends RedisLink {
  underWay = 0;
  time = () => "redis.call('TIME')";
  readonly #listeners: ((health: RedisHealth) => void)[] = [];
  #isParted = false;
  #losesAnswer = false;

  override get health(): RedisHealth {
    return this.#isParted ? 'unavailable' : super.health;
  }

  override onHealth(listener: (health: RedisHealth) => void): void {
    this.#listeners.push(listener);
    super.onHealth(listener);
  }

  override run<T>(work: Parameters<typeof RedisLink.prototype.run<T>>[0]): Promise<T> {
    return this.#counted(async () => {
      const answer = await super.run((client) => work(this.#timed(client)));
      if (!this.#losesAnswer) return answer;
      this.#losesAnswer = false;
      this.part(true);
      throw new RedisUnavailable('no answer');
    });
  }

  override read<T>(work: Parameters<typeof RedisLink.prototype.read<T>>[0]): Promise<T> {
    return this.#counted(() => super.read(work));
  }

  /** Redis has no clock that a test could move, so each script is told the time. */
  #timed(client: RedisClient): RedisClient {
    const run = client.eval.bind(client);
    const told = (script: string, options: object) => run(script.replace("redis.call('TIME')", this.time()), options);
    return Object.assign(Object.create(client), { eval: told });
  }

  async #counted<T>(send: () => Promise<T>): Promise<T> {
    if (this.#isParted) throw new RedisUnavailable('parted');
    this.underWay++;
    try {
      return await send();
    } finally {
      this.underWay--;
    }
  }

  loseAnswer(): void {
    this.#losesAnswer = true;
  }

  part(isParted: boolean): void {
    this.#isParted = isParted;
    for (const listener of this.#listeners) listener(this.health);
  }
}
