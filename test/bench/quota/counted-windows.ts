import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import form from '../../../src/service/descriptions/default.json' with { type: 'json' };
import { nextMonthMs, nextUtcMidnightMs } from '../../../src/time/utc-day.ts';
import { DAY_MS } from './day-of-lookups.ts';
import { ourBot } from './our-bot.ts';
import type { StartStrategy } from './strategy.ts';

const HOUR_MS = 3_600_000;
/** Days are simulated from the fifth on. */
const MONTH_BEGINS = 5;

interface CountedWindow {
  limit: number;
  endsAtMs: (nowMs: number) => number;
  /** Headers that say what remains begin so; absent: no answer tells of it. */
  statedAs?: string;
}

/** What is in front of the service counts, not itself. */
export const UNCOUNTED = { requestsPerMinute: 1e6, burst: 1e6, requestsPerDay: 1e6 };

/** A service that counts otherwise than by a day that it states. */
interface CountedService {
  name: string;
  windows: readonly CountedWindow[];
  /** Of its description. */
  plan: Readonly<Record<string, number>>;
  quota: readonly object[];
}

const month = (limit: number): CountedWindow => ({ limit, endsAtMs: (nowMs) => nextMonthMs(nowMs, MONTH_BEGINS) });
const day = (limit: number): CountedWindow => ({ limit, endsAtMs: nextUtcMidnightMs });
const hour = (limit: number): CountedWindow => ({ limit, endsAtMs: (nowMs) => nowMs + HOUR_MS });
const stated = (window: CountedWindow, statedAs: string) => ({ ...window, statedAs });
const sources = (per: string, name: string) => ({
  per,
  limit: `header:${name}-Limit`,
  remaining: `header:${name}-Left`,
});

export const COUNTED_SERVICES: readonly CountedService[] = [
  {
    name: '1,000 a month, stated',
    windows: [stated(month(1_000), 'X-Month')],
    plan: { perMonth: 1_000, perMinute: 60 },
    quota: [sources('month', 'X-Month')],
  },
  {
    name: '100 an hour and 1,000 a day, stated',
    windows: [stated(hour(100), 'X-Hour'), stated(day(1_000), 'X-Day')],
    plan: { perHour: 100, perDay: 1_000, perMinute: 60 },
    quota: [sources('hour', 'X-Hour'), sources('day', 'X-Day')],
  },
  {
    name: '100 a day, of which no answer tells',
    windows: [day(100)],
    plan: { perDay: 100, perMinute: 60 },
    quota: [],
  },
];

/** What a service has counted, by the days since it began. */
export interface Counted {
  answered: number[];
  refused: number[];
}

/** The bot by a description of the service, which refuses whatever is beyond a window. */
export function startCounted(service: CountedService): { start: StartStrategy; counted: Counted } {
  const counted: Counted = { answered: [], refused: [] };
  const start: StartStrategy = async (address) => {
    const dir = mkdtempSync(join(tmpdir(), 'cardbot-description-'));
    const path = join(dir, 'service.json');
    const { usage: _, ...facts } = form;
    writeFileSync(path, JSON.stringify({ ...facts, plans: { free: service.plan }, quota: service.quota }));
    const bot = await ourBot(
      { ...address, fetch: counting(service, address.fetch, counted) },
      {
        ...{ CARD_SERVICE: path, CARD_SERVICE_MONTH_BEGINS: String(MONTH_BEGINS) },
        ...{ CARD_SERVICE_REQUESTS_PER_MINUTE: '', CARD_SERVICE_BURST: '' }, // those of the description
      },
    );
    rmSync(dir, { recursive: true });
    return bot;
  };
  return { start, counted };
}

function counting({ windows }: CountedService, inner: typeof fetch, counted: Counted): typeof fetch {
  const beganMs = Date.now();
  const counts = windows.map((window) => new WindowCount(window));
  return async (input, init) => {
    const nowMs = Date.now();
    const isSpent = counts.map((count) => count.isSpent(nowMs)).includes(true);
    const kind = isSpent ? counted.refused : counted.answered;
    const day = Math.floor((nowMs - beganMs) / DAY_MS);
    kind[day] = (kind[day] ?? 0) + 1;
    if (isSpent) return Response.json({ message: 'Too many requests' }, { status: 429 });
    const response = await inner(input, init);
    for (const count of counts) count.add(response.headers);
    return response;
  };
}

class WindowCount {
  readonly #window: CountedWindow;
  #requests = 0;
  #endsAtMs = 0;

  constructor(window: CountedWindow) {
    this.#window = window;
  }

  isSpent(nowMs: number): boolean {
    const { limit, endsAtMs } = this.#window;
    if (nowMs >= this.#endsAtMs) [this.#requests, this.#endsAtMs] = [0, endsAtMs(nowMs)];
    return this.#requests >= limit;
  }

  /** Counts a request and says in its answer what remains. */
  add(headers: Headers): void {
    const { limit, statedAs } = this.#window;
    this.#requests++;
    if (!statedAs) return;
    headers.set(`${statedAs}-Limit`, String(limit));
    headers.set(`${statedAs}-Left`, String(limit - this.#requests));
  }
}
