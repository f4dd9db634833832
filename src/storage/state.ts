import type { CardStore } from '../cache/card-store.ts';
import type { Config } from '../config/config.ts';
import type { IdentifyTurns } from '../discord/gateway/identify-turns.ts';
import type { Logger } from '../log.ts';
import type { QueueExchange } from '../lookup/fair-order.ts';
import type { CardLock } from '../lookup/lookup-queue.ts';
import type { ReportBoard } from '../lookup/usage-reports.ts';
import type { QuotaState } from '../model/quota.ts';
import type { Ledger } from '../quota/ledger.ts';
import type { Limiter } from '../quota/limiter.ts';
import type { ReplyJournal } from '../replies/reply-journal.ts';

/** What the bot knows, spent and owes: in files that one process owns, or in a Redis that several share. */
export interface State {
  cardStore: CardStore;
  limiter: Limiter;
  ledger: Ledger;
  journal: ReplyJournal;
  queueExchange: QueueExchange;
  cardLock: CardLock;
  board: ReportBoard;
  identifyTurns: IdentifyTurns;
  /** Writes what is not written yet, and leaves what is owed to others. */
  close(): Promise<void>;
}

const MEMORY_BYTES = 32 * 1024 * 1024;

/** What every card store of this bot has in common. */
export function cardStoreSetting({ cardService, freshness }: Config) {
  return {
    memoryBytes: MEMORY_BYTES,
    keepMs: freshness.keepMs,
    origin: `${cardService.baseUrl} ${cardService.cardPath}`,
  };
}

/** Says once how to set what `CARD_SERVICE_PLAN=auto` cannot tell. */
export function warnOfUnknownLimit(log: Logger): (limit: number) => void {
  let isWarned = false;
  return (limit) => {
    if (isWarned) return;
    isWarned = true;
    log.warn(
      { limit },
      'the daily limit is of no plan that is known, so that requests are paced as on the Free plan: set CARD_SERVICE_PLAN, or CARD_SERVICE_REQUESTS_PER_MINUTE and CARD_SERVICE_BURST',
    );
  };
}

export function warnOfSpentDay(log: Logger): (share: number, quota: QuotaState) => void {
  return (share, { limit, remaining }) => log.warn({ share, limit, remaining }, "the day's requests run low");
}
