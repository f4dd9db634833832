import { join } from 'node:path';
import type { Config } from '../src/config/config.ts';
import type { Logger } from '../src/log.ts';
import type { CardRecord } from '../src/model/card.ts';
import { Events } from '../src/model/events.ts';
import type { PricePoint } from '../src/model/price-history.ts';
import { openCardStore } from '../src/storage/open-state.ts';
import { CARDS_SCHEMA, SqliteStore } from '../src/storage/sqlite/cards.ts';
import { openFile } from '../src/storage/sqlite/file.ts';
import { DAY_MS } from '../src/time.ts';
import { SAMPLE_CARDS } from './sample-cards.ts';

/** A sample card as a bot remembers it. */
export interface KnownCard {
  id: string;
  ageMs: number;
  /** Whether it has its prices of the twelve days before. */
  hasHistory?: boolean;
}

/** Market prices of twelve days, as shares of the present one. */
const SHARES = [0.78, 0.81, 0.8, 0.86, 0.9, 0.88, 0.85, 0.87, 0.93, 0.96, 0.94, 1];

const LOOKED_UP = ['base1-4', 'dusk2-44', 'base1-1', 'tide-7', 'clock-16', 'deep-72'];
/** Cards that were looked up yesterday: they appear at once, and are renewed. */
export const KNOWN_CARDS: readonly KnownCard[] = LOOKED_UP.map((id) => ({ id, ageMs: DAY_MS, hasHistory: true }));

/** Stores cards for a bot that is not running. */
export async function remember(config: Config, known: readonly KnownCard[], log: Logger): Promise<void> {
  const { database } = openFile(join(config.dataDir, 'cards.sqlite'), { log, schema: CARDS_SCHEMA, lossMeans: '' });
  const place = { store: new SqliteStore(database), keyPrefix: '' };
  const store = openCardStore({ ...config, log, events: new Events() }, place);
  for (const card of known) await store.set(card.id, recordOf(card));
  database.close();
}

function recordOf({ id, ageMs, hasHistory = false }: KnownCard): CardRecord {
  const sample = SAMPLE_CARDS.find((card) => card.id === id);
  if (!sample) throw new Error(`There is no sample card ${id}.`);
  const { tcg: game, ...facts } = sample;
  const fetchedAtMs = Date.now() - ageMs;
  const market = facts.prices?.market ?? 0;
  const history = SHARES.map((share, index): PricePoint => {
    return [fetchedAtMs - (SHARES.length - 1 - index) * DAY_MS, Math.round(market * share * 100) / 100];
  });
  return { card: { ...facts, game }, fetchedAtMs, ...(hasHistory && { history }) };
}
