import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { type CardStore, keysOf } from '../cache/card-store.ts';
import type { Catalog } from '../catalog/catalog.ts';
import type { ListStore } from '../lists/kept-lists.ts';
import type { Logger } from '../log.ts';
import type { OtherQueues } from '../lookup/fair-order.ts';
import type { SharedReport } from '../lookup/usage-reports.ts';
import type { Claims } from '../model/claims.ts';
import type { Events } from '../model/events.ts';
import { OperatorError } from '../model/operator-error.ts';
import type { PlanSetting } from '../model/plan.ts';
import type { ServiceDescription } from '../model/service-description.ts';
import type { DeletionRequests } from '../privacy/member-data.ts';
import type { Ledger } from '../quota/ledger.ts';
import type { Limiter } from '../quota/limiter-port.ts';
import { QuotaWarnings } from '../quota/quota-warnings.ts';
import type { ReplyJournal } from '../replies/reply-ports.ts';
import type { SettingsStore } from '../settings/server-settings.ts';
import type { WatchStore } from '../watches/watches.ts';

/** Everything that is stored: in files that one process owns, or in a Redis that several processes share. */
export interface State {
  cardStore: CardStore;
  catalog: Catalog;
  limiter: Limiter;
  ledger: Ledger;
  journal: ReplyJournal;
  deletionRequests: DeletionRequests;
  settingsStore: SettingsStore;
  watchStore: WatchStore;
  listStore: ListStore;
  otherQueues: OtherQueues;
  claims: Claims;
  /** Absent: there is no other process. */
  sharedReport?: SharedReport;
  /** Resolves when it turns out that this state can never be used, with the reason. */
  refused: Promise<StateUnusable>;
  /** Writes what is not written yet, and leaves deferred replies to other processes or the next start. */
  close(): Promise<void>;
}

/** What the operator has named can never be used. The message says what to do. */
export class StateUnusable extends OperatorError {
  override name = 'StateUnusable';
}

/** What both kinds of state are opened with. */
export interface StateOptions {
  /** Cards are kept per URL and path, quota per URL and key. */
  cardService: {
    baseUrl: string;
    scope?: string | undefined;
    apiKey?: string | undefined;
    description: Pick<ServiceDescription, 'card' | 'names'>;
  };
  plan: PlanSetting;
  longestWaitMs: number;
  freshness: { keepMs: number };
  /** Where the files are; with Redis, the catalog alone. */
  dataDir: string;
  /** Whether the catalog keeps what a member asked for last; absent: it does. */
  memberHistory?: boolean;
  log: Logger;
  /** Told of stores that fail, and of what the limiter knows. */
  events?: Events;
}

/** What a quota belongs to: a hash of the address and the key, which does not reveal the key. */
export function accountOf(baseUrl: string, apiKey: string | undefined): string {
  return createHash('sha256')
    .update(`${baseUrl} ${apiKey ?? ''}`)
    .digest('hex');
}

const MEMORY_BYTES = 32 * 1024 * 1024;

/** The options of a card store that do not depend on where it keeps cards. */
export function cardStoreOptions({ cardService, freshness, log, events }: StateOptions) {
  return {
    memoryBytes: MEMORY_BYTES,
    keepMs: freshness.keepMs,
    origin: originOf(cardService),
    log,
    ...(events && { events }),
  };
}

/** Said by the doctor. @param names where the service's description says there are some */
export function withoutNames(names: ServiceDescription['names']): string {
  return `The bot knows no card by name yet, so members can only type ids. ${names ? 'Run: npm run catalog -- fetch' : 'Give it a list: docs/catalogues.md'}`;
}

/** Where the names of a card service are, in a `DATA_DIR`: another's ids are not its own. */
export function catalogFolder(dataDir: string, scope: string | undefined): string {
  return scope === undefined ? dataDir : join(dataDir, `names-${scope}`);
}

/** The options of a catalog, which each process has in a file of its own. */
export function catalogOptions({ cardService, dataDir: cardsDir, memberHistory = true, log }: StateOptions) {
  const dataDir = catalogFolder(cardsDir, cardService.scope);
  return { dataDir, cardsDir, keepsMembers: memberHistory, cardKeys: keysOf(originOf(cardService)), log };
}

function originOf({ baseUrl, description }: StateOptions['cardService']): string {
  return `${baseUrl} ${description.card.path}`;
}

/** The options of a limiter that do not depend on where it keeps its state. */
export function limiterOptions({ plan, longestWaitMs, log, events }: StateOptions) {
  return { setting: plan, longestWaitMs, warnings: new QuotaWarnings(log), ...(events && { events }) };
}
