import { SharedClaims } from '../../src/model/claims.ts';
import { Processes } from '../../src/model/processes.ts';
import { Ledger } from '../../src/quota/ledger.ts';
import { Journal } from '../../src/replies/journal.ts';
import type { CardsReply } from '../../src/replies/ports.ts';
import { RedisRows } from '../../src/storage/redis/rows.ts';
import { ScriptedLink, settled } from './limiter-over-redis.ts';
import { logLines } from './log-lines.ts';
import { onFinished } from './on-finished.ts';
import type { RedisAddress } from './redis-link.ts';

/** In so many looks a process that does not look is found to be dead. */
export const UNTIL_DEAD = 5;
/** For three times as long the others count a process as alive; no test takes as long. */
export const LOOK_EVERY_MS = 600_000;

/** One of several processes over Redis. It looks at the others when a test asks it to, and is dead when it never does. */
export async function processOver(redis: RedisAddress) {
  const { log, lines } = logLines();
  const link = new ScriptedLink({ ...redis, log, botId: '1', answerTimeoutMs: 10_000 });
  onFinished(() => link.close());
  const rows = new RedisRows(link);
  const processes = new Processes(rows, LOOK_EVERY_MS);
  const journal = new Journal(rows, processes, log);
  await link.opened;
  const taken: CardsReply[] = [];
  return {
    ...{ link, lines, rows, processes, journal, taken },
    claims: new SharedClaims(rows, processes),
    ledger: new Ledger(rows),
    /** What it takes over is in `taken`. */
    takesOver: () => journal.takeOver((reply) => void taken.push(reply)),
    async looks(times = 1): Promise<void> {
      for (let look = 0; look < times; look++) {
        await processes.look();
        await settled(new Set([link]));
      }
    },
    /** Whether Redis is out of its reach. */
    part: (isParted: boolean) => link.part(isParted),
  };
}
