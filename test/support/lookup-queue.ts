import { type EmbeddedCardService, SANDBOX_API_KEY } from '../../sandbox/service/service.ts';
import { Cards, type CardsOptions } from '../../src/known/cards.ts';
import type { Lookup, OtherQueues } from '../../src/lookup/fair-queue.ts';
import { LookupQueue } from '../../src/lookup/lookup-queue.ts';
import type { CardRecord } from '../../src/model/card.ts';
import { Events } from '../../src/model/events.ts';
import { type BudgetSetting, type Requester, WATCHES, WATCHES_REQUESTER } from '../../src/model/quota.ts';
import { Claims } from '../../src/model/store/claims.ts';
import type { Rows } from '../../src/model/store/rows.ts';
import { Budget } from '../../src/quota/budget.ts';
import { Ledger } from '../../src/quota/ledger.ts';
import { Limiter } from '../../src/quota/limiter.ts';
import { type DocumentOptions, LimiterDocument } from '../../src/quota/limiter-document.ts';
import { INITIAL_STATE } from '../../src/quota/limiter-state.ts';
import { CardService } from '../../src/service/card-service.ts';
import { Path } from '../../src/service/field-source.ts';
import { described, type Planned, settingOf } from './described.ts';
import { logLines } from './log-lines.ts';
import { rowsInFile } from './stores.ts';

/** Midday, so that a test's hours are within one UTC day. */
export const NOON_MS = Date.UTC(2026, 10, 21, 12);

/** As LONGEST_WAIT_SECONDS is unless it is set. */
export const LONGEST_WAIT_MS = 300_000;

/** For a process that shares its quota with no other. */
const NO_OTHER_QUEUES: OtherQueues = { tell() {}, lengths: () => [] };

export interface LookupQueueSetting {
  budgets?: BudgetSetting;
  longestWaitMs?: number;
  otherQueues?: OtherQueues;
  claims?: Claims;
  /** `CARD_SERVICE_BULK_PATH`, and how many ids at most. */
  bulk?: { bulkPath: string; most: number; perSecond?: number };
  /** Where the limiter's state is; in its own memory unless given. */
  shared?: Pick<DocumentOptions, 'rows' | 'link'>;
}

/** The lookup queue with everything below it, over a card service without sockets; the cache is a map. */
export function lookupQueueOver(
  cardService: Pick<EmbeddedCardService, 'fetch'>,
  planned?: Planned,
  {
    budgets = { guildDaily: undefined, memberDaily: 0, foreignDaily: undefined },
    longestWaitMs = LONGEST_WAIT_MS,
    otherQueues = NO_OTHER_QUEUES,
    claims = new Claims(),
    bulk,
    shared,
  }: LookupQueueSetting = {},
) {
  const { log, lines } = logLines();
  const events = new Events();
  const ledger = new Ledger(rowsInFile().rows);
  const terms = { setting: settingOf(planned), longestWaitMs };
  const limiter = new Limiter(limiterInMemory({ terms, log, ...shared }), { terms, random: () => 0 });
  const description = described({ bulkPath: bulk?.bulkPath, bulkMax: bulk?.most, perSecond: bulk?.perSecond });
  const spent = (['hour', 'month'] as const).map((per) => ({ per, has: [new Path('_tag')], like: `=${per}` }));
  const service = new CardService({
    baseUrl: 'http://cards.test',
    description: { ...description, spent, refused: [...description.refused, { status: 402, means: 'plan' }] },
    apiKey: SANDBOX_API_KEY,
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
  return { queue, lines, limiter, ledger, events, client: service, cards, storedCards };
}

export function lookup(cardId: string, more: Partial<Lookup> = {}): Lookup {
  return {
    cardId,
    showPrices: true,
    lane: 'members',
    requester: requesterOf('alice'),
    deadlineMs: Date.now() + 14.5 * 60_000,
    ...more,
  };
}

/** `alice` in the server `guild`, `alice@far` in another, `alice@` in direct messages, `alice@far!` without the bot's install. */
export function requesterOf(who: string): Requester {
  const [memberId = '', server = 'guild'] = who.split('@');
  if (who === WATCHES) return WATCHES_REQUESTER;
  return {
    memberId,
    guildId: server.replace('!', '') || undefined,
    ...(server.endsWith('!') && { isInstalled: false }),
  };
}

/** The rows of one process, as they are kept over its restarts; or those of several, which know a limiter with a full bucket. */
export function rowsInMemory(isShared = false): Rows {
  const full = JSON.stringify({ state: INITIAL_STATE, by: {}, version: 0 });
  const stored = new Map(isShared ? [['account', full]] : []);
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

/** The limiter's document of a process; unless its rows are given, it shares it with no other. */
export function limiterInMemory(
  options: Pick<DocumentOptions, 'terms' | 'log'> & Partial<DocumentOptions>,
): LimiterDocument {
  const processes = { id: `run ${++started}`, isDead: () => true, onLook() {} };
  return new LimiterDocument({ rows: rowsInMemory(), account: 'account', processes, ...options });
}
