import type { CardRecord } from '../../src/model/card.ts';
import type { PricePoint } from '../../src/model/price-history.ts';
import type { Sandbox, SandboxOptions } from '../../src/sandbox/sandbox.ts';

/** A reply to be taken: what is typed, and a part of its text that shows that it is there. */
interface Shot {
  name: string;
  line: string;
  shows: string;
  /** What is switched before. */
  before?: (sandbox: Sandbox) => void;
}

/** Replies of one sandbox, in this order. */
export interface Scene {
  options?: Omit<SandboxOptions, 'log'>;
  /** Cards that the bot knows at its start. */
  known?: Record<string, (record: CardRecord) => CardRecord>;
  shots: readonly Shot[];
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** Market prices of the last days, as shares of the present one. */
const PRICES = [0.78, 0.81, 0.8, 0.86, 0.9, 0.88, 0.85, 0.87, 0.93, 0.96, 0.94, 1];

function withHistory(record: CardRecord): CardRecord {
  const market = record.card?.prices?.market ?? 0;
  const lastMs = record.fetchedAtMs;
  const history = PRICES.map(
    (share, index): PricePoint => [
      lastMs - (PRICES.length - 1 - index) * DAY_MS,
      Math.round(market * share * 100) / 100,
    ],
  );
  return { ...record, history };
}

function stale(record: CardRecord): CardRecord {
  return { ...record, fetchedAtMs: record.fetchedAtMs - 9 * HOUR_MS };
}

/** Every kind of reply. */
export const SCENES: readonly Scene[] = [
  {
    options: { env: { PRICE_CURRENCY: 'USD' } },
    known: { 'base1-4': withHistory, 'base1-2': stale, 'base1-9': stale },
    shots: [
      { name: 'card', line: '/card id:base1-4', shows: 'days' },
      { name: 'card-without-prices', line: '/card id:base1-17', shows: 'left today' },
      { name: 'no-such-card', line: '/card id:base1-999', shows: 'base1' },
      { name: 'not-an-id', line: '/card id:..', shows: 'card id' },
      { name: 'usage', line: '/usage', shows: 'Answered from memory' },
      {
        name: 'saved-copy',
        line: '/card id:base1-2',
        shows: 'while I fetch',
        before: ({ cardService }) => cardService.set({ latencyMs: 8_000 }),
      },
      {
        name: 'saved-copy-kept',
        line: '/card id:base1-9',
        shows: 'answering',
        before: ({ cardService }) => cardService.set({ latencyMs: 0, down: true }),
      },
      { name: 'down', line: '/card id:base1-15', shows: 'answering right now' },
      { name: 'usage-down', line: '/usage', shows: 'down since' },
    ],
  },
  {
    options: {
      service: { requestsPerMinute: 2, burst: 2, requestsPerDay: 1_000 },
      env: { CARD_SERVICE_REQUESTS_PER_MINUTE: '2', CARD_SERVICE_BURST: '2' },
    },
    shots: [
      { name: 'card-plain', line: '/card id:base1-23', shows: 'left today' },
      { name: 'in-line', line: '/card id:base1-58', shows: 'in line' },
    ],
  },
  {
    shots: [
      {
        name: 'day-used-up',
        line: '/card id:base1-44',
        shows: 'used up',
        before: ({ cardService }) => cardService.exhaustDay(),
      },
      { name: 'usage-day-used-up', line: '/usage', shows: 'used up until' },
    ],
  },
];
