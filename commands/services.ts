import type { Catalog } from '../src/catalog/catalog.ts';
import type { Cards } from '../src/lookup/cards.ts';
import type { LookupQueue } from '../src/lookup/lookup-queue.ts';
import type { UsageReports } from '../src/lookup/usage-reports.ts';
import type { MemberData } from '../src/privacy/member-data.ts';
import type { Budget } from '../src/quota/budget.ts';
import type { Ledger } from '../src/quota/ledger.ts';
import type { Limiter } from '../src/quota/limiter.ts';

/** What the composition root hands to every command. */
export interface Services {
  cards: Cards;
  catalog: Catalog;
  lookupQueue: LookupQueue;
  usage: UsageReports;
  budget: Budget;
  limiter: Limiter;
  ledger: Ledger;
  memberData: MemberData;
  /** ISO 4217, shown with prices when the operator named one. */
  currency: string | undefined;
}
