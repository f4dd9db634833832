import { DatabaseSync } from 'node:sqlite';
import { onTestFinished, vi } from 'vitest';
import type { CardStore } from '../../src/cache/card-store.ts';
import type { Answer } from '../../src/card.ts';
import { NO_LEASE } from '../../src/lookup/card-lease.ts';
import { CardLookup } from '../../src/lookup/card-lookup.ts';
import type { Question } from '../../src/lookup/flight.ts';
import { NO_PEERS, type Peers } from '../../src/lookup/peers.ts';
import { WaitingLine } from '../../src/lookup/waiting-line.ts';
import { Budget } from '../../src/quota/budget.ts';
import { LEDGER_SCHEMA, LocalLedger } from '../../src/quota/local-ledger.ts';
import { LocalPacer } from '../../src/quota/local-pacer.ts';
import type { PlanSetting } from '../../src/quota/pace.ts';
import type { PacingState } from '../../src/quota/pacing.ts';
import type { ShareSetting } from '../../src/quota/shares.ts';
import type { EmbeddedCardService } from '../../src/sandbox/card-service.ts';
import { CardService } from '../../src/service/card-service.ts';
import { logLines } from './log-lines.ts';

/** Midday, so that a test's hours are within one UTC day. */
export const NOON_MS = Date.UTC(2026, 10, 21, 12);

/** As LONGEST_WAIT_SECONDS is unless it is set. */
export const LONGEST_WAIT_MS = 300_000;

/** From here on time stands still until the test moves it. */
export function fakeTime(): void {
  vi.useFakeTimers({ now: NOON_MS });
  onTestFinished(() => void vi.useRealTimers());
}

export interface LineSetting {
  shares?: ShareSetting;
  apiKey?: string;
  longestWaitMs?: number;
  peers?: Peers;
}

/** The waiting line with everything below it, over a card service without sockets; a map for a cache. */
export function lineOver(
  cardService: Pick<EmbeddedCardService, 'fetch'>,
  setting: PlanSetting = { plan: 'free' },
  {
    shares = { guildDaily: undefined, memberDaily: 0 },
    apiKey,
    longestWaitMs = LONGEST_WAIT_MS,
    peers = NO_PEERS,
  }: LineSetting = {},
) {
  const { log, lines } = logLines();
  const database = new DatabaseSync(':memory:');
  database.exec(LEDGER_SCHEMA);
  const ledger = new LocalLedger(database);
  const warnings: number[] = [];
  let saved: PacingState | undefined;
  const pacer = new LocalPacer({
    setting,
    longestWaitMs,
    save: (state) => {
      saved = state;
    },
    warn: (share) => void warnings.push(share),
    warnOfLimit: () => {},
    random: () => 0,
  });
  const service = new CardService({
    baseUrl: 'http://cards.test',
    cardPath: '/cards/{id}',
    apiKey,
    timeoutMs: 10_000,
    fetch: cardService.fetch,
    onQuota: (reading) => pacer.hear(reading),
    onNoSuchCard: () => {},
  });
  const cards = new Map<string, Answer>();
  const store: CardStore = {
    get: async (id) => cards.get(id),
    set: async (id, answer) => void cards.set(id, answer),
    holdsCards: async () => [...cards.values()].some(({ card }) => card !== undefined),
    close: async () => {},
  };
  const hourMs = 3_600_000;
  const lifetimes = { factsFreshMs: 168 * hourMs, pricesFreshMs: 6 * hourMs, notFoundFreshMs: hourMs };
  const lookup = new CardLookup({ store, service, pacer, lifetimes });
  const budget = new Budget({ ledger, pacer, setting: shares, plannedDay: undefined });
  const line = new WaitingLine({
    lookup,
    pacer,
    ledger,
    budget,
    peers,
    lease: NO_LEASE,
    log,
    longestWaitMs,
  });
  return { line, pacer, ledger, lookup, warnings, lines, cards, pacing: () => saved };
}

export function question(cardId: string, more: Partial<Question> = {}): Question {
  return {
    cardId,
    showPrices: true,
    lane: 'members',
    asker: { memberId: 'alice', guildId: 'guild' },
    deadlineMs: Date.now() + 14.5 * 60_000,
    ...more,
  };
}

export function by(memberId: string, guildId = 'guild'): Pick<Question, 'asker'> {
  return { asker: { memberId, guildId } };
}

/** A place for each that is admitted, of those who ask in the same moment; why not, for each other. */
export async function admitAll(line: WaitingLine, questions: readonly Question[]) {
  const admissions = await Promise.all(questions.map((asked) => line.admit(asked)));
  return {
    places: admissions.flatMap((admission) => ('place' in admission ? [admission.place] : [])),
    refusals: admissions.flatMap((admission) => ('refusal' in admission ? [admission.refusal] : [])),
    wereAdmitted: admissions.map((admission) => 'place' in admission),
  };
}
