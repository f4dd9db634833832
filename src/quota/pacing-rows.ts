import { createHash } from 'node:crypto';
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { z } from 'zod';
import type { Logger } from '../log.ts';
import { PLANS } from '../plans.ts';
import type { PacingState } from './pacing.ts';

export const PACING_SCHEMA = `
  CREATE TABLE IF NOT EXISTS pacing (account TEXT PRIMARY KEY, state TEXT NOT NULL) WITHOUT ROWID;
`;

const number = z.number();

// What is missing is filled in as for a first start, so that a row of an older version keeps its pace.
const Stored = z
  .object({
    fullAtMs: number,
    gate: z.object({
      why: z.enum(['open', 'minute', 'day', 'down', 'key']),
      sinceMs: number.default(0),
      untilMs: number,
      probing: z.boolean(),
      failures: z.int(),
    }),
    quota: z
      .object({
        limit: number.optional(),
        remaining: number.optional(),
        resetsAtMs: number.optional(),
        receivedAtMs: number,
      })
      .transform(({ limit, remaining, resetsAtMs, receivedAtMs }) => ({ limit, remaining, resetsAtMs, receivedAtMs }))
      .optional(),
    plan: z.enum(PLANS).optional(),
    learnedBurst: z.object({ capacity: number, untilMs: number }).optional(),
    warned: z.object({ share: number, windowEndsMs: number }).optional(),
    samples: z.array(z.object({ atMs: number, remaining: number })).optional(),
  })
  .transform(({ quota, plan, learnedBurst, warned, samples = [], ...state }): PacingState => {
    return { ...state, quota, plan, learnedBurst, warned, samples };
  });

/** Where the pacer's state outlives the process: one row per account, an account being an address with a key. */
export class PacingRows {
  readonly #account: string;
  readonly #read: StatementSync;
  readonly #write: StatementSync;
  readonly #log: Logger;

  constructor(database: DatabaseSync, baseUrl: string, apiKey: string | undefined, log: Logger) {
    this.#account = createHash('sha256')
      .update(`${baseUrl} ${apiKey ?? ''}`)
      .digest('hex');
    this.#read = database.prepare('SELECT state FROM pacing WHERE account = ?');
    this.#write = database.prepare(
      'INSERT INTO pacing VALUES (?, ?) ON CONFLICT (account) DO UPDATE SET state = excluded.state',
    );
    this.#log = log;
  }

  /** `undefined` on the first start with this account. */
  load(): PacingState | undefined {
    try {
      const row = this.#read.get(this.#account);
      if (row === undefined) return undefined;
      return Stored.parse(JSON.parse(String(row.state)));
    } catch (err) {
      this.#log.warn({ err }, 'kept pacing state does not fit: starting without');
      return undefined;
    }
  }

  /** Never fails a request: what cannot be written is only unknown after a restart. */
  save(state: PacingState): void {
    try {
      this.#write.run(this.#account, JSON.stringify(state));
    } catch (err) {
      this.#log.warn({ err }, 'pacing state cannot be written');
    }
  }
}
