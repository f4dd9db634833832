import { onTestFinished, vi } from 'vitest';
import type { EmbeddedCardService } from '../../sandbox/service/service.ts';
import { Cards, type CardsOptions } from '../../src/known/cards.ts';
import { type DocumentOptions, LimiterDocument } from '../../src/limiter/document.ts';
import { Limiter } from '../../src/limiter/limiter.ts';
import type { Lookup, OtherQueues } from '../../src/lookup/fair-queue.ts';
import { LookupQueue } from '../../src/lookup/lookup-queue.ts';
import type { CardRecord } from '../../src/model/card.ts';
import { type Claims, LocalClaims } from '../../src/model/claims.ts';
import { Events } from '../../src/model/events.ts';
import { Path } from '../../src/model/field-source.ts';
import type { BudgetSetting } from '../../src/model/plan.ts';
import type { Rows } from '../../src/model/rows.ts';
import { Budget } from '../../src/quota/budget.ts';
import { Ledger } from '../../src/quota/ledger.ts';
import { CardService } from '../../src/service/card-service.ts';
import { described, type Planned, settingOf } from './described.ts';
import { logLines } from './log-lines.ts';
import { rowsInFile } from './stores.ts';

/** Midday, so that a test's hours are within one UTC day. */
export const NOON_MS = Date.UTC(2026, 10, 21, 12);

/** As LONGEST_WAIT_SECONDS is unless it is set. */
export const LONGEST_WAIT_MS = 300_000;

/** From here on time stands still until the test moves it. */
export function fakeTime(): void {
  vi.useFakeTimers({ now: NOON_MS });
  onTestFinished(() => void vi.useRealTimers());
}

/** For a process that shares its quota with no other. */
const NO_OTHER_QUEUES: OtherQueues = { tell: () => {}, lengths: () => [] };

interface LookupQueueSetting {
  budgets?: BudgetSetting;
  apiKey?: string;
  longestWaitMs?: number;
  otherQueues?: OtherQueues;
  claims?: Claims;
  /** `CARD_SERVICE_BULK_PATH`, and how many ids at most. */
  bulk?: { bulkPath: string; most: number; perSecond?: number };
  /** Where the limiter's state is; of its own unless given. */
  document?: LimiterDocument;
}

/** The lookup queue with everything below it, over a card service without sockets; the cache is a map. */
export function lookupQueueOver(
  cardService: Pick<EmbeddedCardService, 'fetch'>,
  planned?: Planned,
  {
    budgets = { guildDaily: undefined, memberDaily: 0, foreignDaily: undefined },
    apiKey,
    longestWaitMs = LONGEST_WAIT_MS,
    otherQueues = NO_OTHER_QUEUES,
    claims = new LocalClaims(),
    bulk,
    document,
  }: LookupQueueSetting = {},
) {
  const { log, lines } = logLines();
  const events = new Events();
  const ledger = new Ledger(rowsInFile().rows);
  const terms = { setting: settingOf(planned), longestWaitMs };
  const limiter = new Limiter(document ?? limiterInMemory({ terms, log }), { terms, random: () => 0 });
  const description = described({ bulkPath: bulk?.bulkPath, bulkMax: bulk?.most, perSecond: bulk?.perSecond });
  const spent = (['hour', 'month'] as const).map((per) => ({ per, has: [new Path('_tag')], like: `=${per}` }));
  const service = new CardService({
    baseUrl: 'http://cards.test',
    description: { ...description, spent, refused: [...description.refused, { status: 402, means: 'plan' }] },
    apiKey,
    timeoutMs: 10_000,
    fetch: cardService.fetch,
    limiter,
    log,
  });
  const storedCards = new Map<string, CardRecord>();
  const cardStore: CardsOptions['store'] = {
    remembered: () => undefined,
    newest: async (id) => storedCards.get(id),
    set: async (id, answer) => void storedCards.set(id, answer),
  };
  const hourMs = 3_600_000;
  const lifetimes = { factsFreshMs: 168 * hourMs, pricesFreshMs: 6 * hourMs };
  const cards = new Cards({ store: cardStore, lifetimes, log });
  const budget = new Budget({ ledger, limiter, setting: budgets, plannedDay: undefined });
  const queue = new LookupQueue({
    cards,
    limiter,
    ledger,
    budget,
    otherQueues,
    claims,
    requestTimeoutMs: 10_000,
    events,
    log,
    longestWaitMs,
    service,
  });
  /** Without what admission costs in rounds. */
  const enqueue = async (wish: Lookup) => {
    const admission = queue.admitAgain(wish);
    if ('refusal' in admission) throw admission.refusal;
    return admission.reservation.start(() => {});
  };
  const below = { limiter, ledger, events, client: service, cards, storedCards };
  return { queue: Object.assign(queue, { enqueue }), lines, ...below };
}

export function lookup(cardId: string, more: Partial<Lookup> = {}): Lookup {
  return {
    cardId,
    showPrices: true,
    lane: 'members',
    requester: { memberId: 'alice', guildId: 'guild' },
    deadlineMs: Date.now() + 14.5 * 60_000,
    ...more,
  };
}

export function by(memberId: string, guildId = 'guild'): Pick<Lookup, 'requester'> {
  return { requester: { memberId, guildId } };
}

/** The rows of one process, as they are kept over its restarts. */
export function rowsInMemory(isShared = false): Rows {
  const stored = new Map<string, string>();
  return {
    ...{ isShared, isReachable: true, aheadMs: 0 },
    read: async () => stored,
    write: async (changes) => {
      for (const change of changes) if ('value' in change && change.value) stored.set(change.key, change.value);
      return true;
    },
    drop() {},
  };
}

let started = 0;

/** The limiter's document of a process that shares it with no other. */
export function limiterInMemory(
  options: Pick<DocumentOptions, 'terms' | 'log'>,
  rows = rowsInMemory(),
): LimiterDocument {
  const id = `run ${++started}`;
  return new LimiterDocument({
    ...options,
    rows,
    account: 'account',
    processes: { id, isDead: () => true, onLook() {} },
  });
}
