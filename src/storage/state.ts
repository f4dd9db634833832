import type { CardStore } from '../cache/card-store.ts';
import type { IdentifySlots } from '../discord/gateway/identify.ts';
import type { Logger } from '../log.ts';
import type { QueueExchange } from '../lookup/fair-order.ts';
import type { CardLock } from '../lookup/lookup-requests.ts';
import type { ReportBoard } from '../lookup/usage-reports.ts';
import type { PlanSetting } from '../model/plan.ts';
import type { QuotaState } from '../model/quota.ts';
import type { Ledger } from '../quota/ledger.ts';
import type { Limiter } from '../quota/limiter.ts';
import type { ReplyJournal } from '../replies/reply-journal.ts';

/** Everything that is stored: in files that one process owns, or in a Redis that several processes share. */
export interface State {
  cardStore: CardStore;
  limiter: Limiter;
  ledger: Ledger;
  journal: ReplyJournal;
  queueExchange: QueueExchange;
  cardLock: CardLock;
  board: ReportBoard;
  identifySlots: IdentifySlots;
  /** Writes what is not written yet, and leaves deferred replies to other processes or the next start. */
  close(): Promise<void>;
}

/** What both kinds of state are opened with. */
export interface StateOptions {
  /** Cards are kept per URL and path, quota per URL and key. */
  cardService: { baseUrl: string; cardPath: string; apiKey: string | undefined };
  plan: PlanSetting;
  longestWaitMs: number;
  freshness: { keepMs: number };
  log: Logger;
}

const MEMORY_BYTES = 32 * 1024 * 1024;

/** The options of a card store that do not depend on where it keeps cards. */
export function cardStoreOptions({ cardService, freshness, log }: StateOptions) {
  return {
    memoryBytes: MEMORY_BYTES,
    keepMs: freshness.keepMs,
    origin: `${cardService.baseUrl} ${cardService.cardPath}`,
    log,
  };
}

/** The options of a limiter that do not depend on where it keeps its state. */
export function limiterOptions({ plan, longestWaitMs, log }: StateOptions) {
  return { setting: plan, longestWaitMs, warn: warnOfSpentDay(log), warnOfLimit: warnOfUnknownLimit(log) };
}

/** Warns once how to configure a daily limit from which `CARD_SERVICE_PLAN=auto` cannot tell the plan. */
export function warnOfUnknownLimit(log: Logger): (limit: number) => void {
  let isWarned = false;
  return (limit) => {
    if (isWarned) return;
    isWarned = true;
    log.warn(
      { limit },
      'the daily limit matches no known plan, so requests are sent at the rate of the Free plan: set CARD_SERVICE_PLAN, or CARD_SERVICE_REQUESTS_PER_MINUTE and CARD_SERVICE_BURST',
    );
  };
}

function warnOfSpentDay(log: Logger): (share: number, quota: QuotaState) => void {
  return (share, { limit, remaining }) => log.warn({ share, limit, remaining }, "the day's requests run low");
}
