import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { Config } from '../config/config.ts';
import type { CardStoreOptions } from '../known/card-store.ts';
import type { Logger } from '../log.ts';
import type { Events } from '../model/events.ts';
import { OperatorError } from '../model/operator-error.ts';
import type { Rows } from '../model/rows.ts';
import type { ServiceDescription } from '../model/service-description.ts';

export interface StateOptions extends Config {
  log: Logger;
  /** Told of stores that fail, and of what the limiter knows. */
  events: Events;
  /** Ends the wait for the previous owner of `dataDir`. */
  signal?: AbortSignal | undefined;
}

/** Where everything but names is: in files that this process owns, or in a Redis that several processes share. */
export interface Place {
  rows: Rows;
  cards: Pick<CardStoreOptions, 'store' | 'keyPrefix'>;
  /** Resolves when it turns out that it can never be used, or no longer, with the reason. */
  refused: Promise<StateUnusable>;
  close(): void;
}

/** What the operator has named cannot be used. The message says what to do. */
export class StateUnusable extends OperatorError {
  override name = 'StateUnusable';
}

/** What a quota belongs to: a hash of the address and the key, which does not reveal the key. */
export function accountOf(baseUrl: string, apiKey = ''): string {
  return createHash('sha256').update(`${baseUrl} ${apiKey}`).digest('hex');
}

/** Raised by each change of the form of a card that is kept. */
export const CARDS_VERSION = 'v1';

/** How the keys of a service's cards begin, after any prefix. @param origin its address and its path template */
export function keysOf(origin: string): string {
  return `${CARDS_VERSION}:${createHash('sha256').update(origin).digest('hex').slice(0, 12)}:`;
}

/** Where the names of a card service are, in a `DATA_DIR`: another's ids are not its own. */
export function catalogFolder(dataDir: string, scope: string | undefined): string {
  return scope === undefined ? dataDir : join(dataDir, `names-${scope}`);
}

/** Said by the doctor. @param names where the service's description says there are some */
export function withoutNames(names: ServiceDescription['names']): string {
  return `The bot knows no card by name yet, so members can only type ids. ${names ? 'Run: npm run catalog -- fetch' : 'Give it a list: docs/catalogues.md'}`;
}
