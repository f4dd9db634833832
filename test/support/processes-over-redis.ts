import { setImmediate as ioPhase } from 'node:timers/promises';
import { vi } from 'vitest';
import type { Logger } from '../../src/log.ts';
import { Claims } from '../../src/model/store/claims.ts';
import { Processes } from '../../src/model/store/processes.ts';
import { Ledger } from '../../src/quota/ledger.ts';
import { type DocumentOptions, LimiterDocument } from '../../src/quota/limiter-document.ts';
import { INITIAL_STATE } from '../../src/quota/limiter-state.ts';
import { Journal } from '../../src/replies/journal.ts';
import type { CardsReply } from '../../src/replies/ports.ts';
import type { RedisClient } from '../../src/storage/redis/connection.ts';
import { type RedisHealth, RedisLink, RedisUnavailable } from '../../src/storage/redis/connection.ts';
import { RedisRows } from '../../src/storage/redis/rows.ts';
import { logLines } from './log-lines.ts';
import { onFinished } from './on-finished.ts';
import { clientOf, type RedisAddress, type TestRedis } from './redis.ts';

/** For three times as long the others count a process as alive; no test takes as long. */
const LOOK_EVERY_MS = 600_000;
const NEVER_MS = 1_000_000_000;
/** Where the limiter is below the prefix, in which field: the same for all processes of a test. */
export const LIMITER_ROW = ['limiter', 'account'] as const;

/** One of several processes over Redis. It looks at the others when a test asks it to, and is dead when it never does. */
export async function processOver(redis: RedisAddress) {
  const { log, lines } = logLines();
  const { link, rows, processes } = linked(redis, log, LOOK_EVERY_MS);
  const journal = new Journal(rows, processes, log);
  await link.opened;
  const taken: CardsReply[] = [];
  return {
    ...{ link, lines, rows, processes, journal, taken },
    claims: new Claims({ rows, processes }),
    ledger: new Ledger(rows),
    /** What it takes over is in `taken`. */
    takesOver: () => journal.takeOver((reply) => void taken.push(reply)),
    async looks(times = 1) {
      for (let look = 0; look < times; look++) {
        await processes.look();
        await settled(new Set([link]));
      }
    },
    /** Whether Redis is out of its reach. */
    part: (isParted: boolean) => link.part(isParted),
  };
}

function linked(redis: RedisAddress, log: Logger, lookEveryMs: number) {
  const link = new ScriptedLink({ ...redis, log, botId: '1', answerTimeoutMs: 10_000 });
  onFinished(() => link.close());
  const rows = new RedisRows(link);
  return { link, rows, processes: new Processes(rows, lookEveryMs) };
}

export type SharedQuota = ReturnType<typeof sharedQuota>;
export type SharingProcess = ReturnType<SharedQuota['join']>;

/** The quota that processes share over one Redis, whose clock is that of the test. */
export function sharedQuota(redis: TestRedis) {
  const [part, account] = LIMITER_ROW;
  const row = [`${redis.prefix}:${part}`, account] as const;
  const client = clientOf(redis);
  const links = new Set<ScriptedLink>();
  let aheadMs = 0;
  /** A Redis that the quota has been shared over for long, with a full bucket. */
  let kept = JSON.stringify({ state: INITIAL_STATE, by: {}, version: 0 });
  /** Seconds and microseconds, in Lua. */
  const time = () => {
    const nowMs = Number(vi.getMockedSystemTime()) + aheadMs; // unlike Date.now(), of no process
    return `{'${Math.floor(nowMs / 1_000)}', '${(nowMs % 1_000) * 1_000}'}`;
  };
  return {
    /** One more process. It shows that it is alive, and looks at the others, when `processes.look` is called. */
    join(options: Pick<DocumentOptions, 'terms' | 'log'>) {
      const { link, rows, processes } = linked(redis, options.log, NEVER_MS); // timers know no clocks that differ
      link.time = time;
      link.onHealth((health) => health === 'usable' && void processes.look());
      links.add(link);
      const document = new LimiterDocument({ ...options, rows, account, link, processes });
      return { document, link, processes };
    },
    settled: () => settled(links),
    async forget() {
      await (await client).unlink(await (await client).keys(`${redis.prefix}:*`));
    },
    /** A replica that what comes now does not reach. */
    async keep() {
      kept = (await (await client).hGet(...row)) ?? '';
    },
    /** To what was kept, or to the beginning. */
    async goBack() {
      await (await client).hSet(...row, kept);
    },
    moveClock(byMs: number) {
      aheadMs += byMs;
    },
  };
}

/** Resolves when Redis has answered everything, and what follows from the answers as well. */
async function settled(links: ReadonlySet<ScriptedLink>) {
  for (let quiet = 0; quiet < 3; quiet++) {
    await ioPhase();
    if ([...links].some(({ underWay }) => underWay > 0)) quiet = -1;
  }
}

/** A link that may be cut at once, and knows whether it is waited for. */
class ScriptedLink extends RedisLink {
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

  loseAnswer() {
    this.#losesAnswer = true;
  }

  part(isParted: boolean) {
    this.#isParted = isParted;
    for (const listener of this.#listeners) listener(this.health);
  }
}
