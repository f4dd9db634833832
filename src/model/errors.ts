import type { WindowName } from './quota.ts';

/**
 * Everything that can keep the service from answering a lookup. An error carries facts: its `name`, which is its kind
 * and the outcome in the log, its fields, and an English `message` for operators. What members read is in `render/`.
 */
export abstract class CardServiceError extends Error {
  abstract override readonly name: string;
}

/** The base class of one kind, whose fields are its facts. */
function kind<const Name extends string, Facts extends object = object>(name: Name, message: (facts: Facts) => string) {
  type Arguments = object extends Facts ? [] : [facts: Facts, options?: ErrorOptions];
  class Base extends CardServiceError {
    override readonly name = name;

    constructor(facts: Facts, options?: ErrorOptions) {
      super(message(facts), options);
      Object.assign(this, facts);
    }
  }
  return Base as unknown as new (
    ...args: Arguments
  ) => Base & Readonly<Facts>;
}

/** The text is not a card id; nothing was sent. */
export class InvalidCardId extends kind(
  'InvalidCardId',
  ({ reason }: { reason: 'empty' | 'halfCharacter' | 'tooLong' | 'controlCharacter' | 'dotsOnly' }) =>
    `not a card id: ${reason}`,
) {}

/** A window's requests are spent, of `per`; a request before `untilMs` would only be refused. */
export class QuotaSpent extends kind(
  'QuotaSpent',
  ({ untilMs }: { untilMs: number; per: WindowName }) => `requests spent until ${instant(untilMs)}`,
) {}

/**
 * The permit would come later than `LONGEST_WAIT_SECONDS` allows, or than the reply lives. `paused`: the service asked
 * for a pause; otherwise the queue is long.
 */
export class Busy extends kind(
  'Busy',
  ({ untilMs }: { untilMs: number; paused: boolean }) => `no permit before ${instant(untilMs)}`,
) {}

/** Enough remains for lookups, but not for renewing known cards. */
export class KeptInReserve extends kind(
  'KeptInReserve',
  ({ untilMs }: { untilMs: number }) => `reserve until ${instant(untilMs)}`,
) {}

/**
 * The member or their Discord server has caused as many requests as one may in a day. Known cards stay free. `cap`:
 * requests a day; of 0, which no day changes, there is no `untilMs`. `foreign`: of all places together whose server has
 * not installed the bot.
 */
export class BudgetSpent extends kind(
  'BudgetSpent',
  ({ whose, cap }: { whose: 'member' | 'server' | 'foreign'; cap: number; untilMs?: number }) =>
    `budget of ${cap} requests spent (${whose})`,
) {}

/** One member sends more commands than anyone can type. */
export class TooManyCommands extends kind(
  'TooManyCommands',
  ({ untilMs }: { untilMs: number }) => `too many commands until ${instant(untilMs)}`,
) {}

/** A further request would exceed what the member has agreed to. */
export class CeilingReached extends kind('CeilingReached', () => 'as many requests as were agreed to') {}

/**
 * One answer 429. The lookup takes another permit; members see it only as a wait. `seconds`: the stated one;
 * `undefined` when there is none, or none that is understood. `per`: the window that it says is spent; absent when it
 * names none.
 */
export class RateLimited extends kind(
  'RateLimited',
  ({ seconds }: { seconds: number | undefined; per?: WindowName | undefined }) =>
    `429, retry after ${seconds ?? 'an unstated number of'} seconds`,
) {}

/** 401 or 403: the service does not accept our API key, or wants one. */
export class KeyRefused extends kind(
  'KeyRefused',
  ({ status }: { status: number }) => `the card service refused the API key with ${status}`,
) {}

/** The service says that the plan does not allow what was asked. */
export class PlanRefused extends kind('PlanRefused', () => 'the plan does not allow it, says the card service') {}

/** Whoever asks for another card with the same key is likely refused, too. */
export function isRefusal(error: unknown): error is KeyRefused | PlanRefused {
  return error instanceof KeyRefused || error instanceof PlanRefused;
}

/**
 * 408, 5xx, silence, or a broken connection. `untilMs`: when the next request may be sent; absent when that is not
 * known. `neverLeft`: the connection was never made, so the service has counted nothing. `retryAfterMs`: the wait that
 * the service stated; absent when it did not.
 */
export class ServiceDown extends kind(
  'ServiceDown',
  ({ reason }: { reason: string; untilMs?: number; neverLeft?: boolean; retryAfterMs?: number | undefined }) =>
    `card service down: ${reason}`,
) {}

/** The Redis that the quota is shared over cannot be reached, and lookups have waited for it long enough. */
export class StoreAway extends kind('StoreAway', () => 'redis cannot be reached') {}

/** An answer that does not fit the interface. `detail`: the field, or what came instead. */
export class UnexpectedAnswer extends kind(
  'UnexpectedAnswer',
  ({ detail }: { detail: string }) => `unexpected answer: ${detail}`,
) {}

/** The bot stops before the request was sent or answered. */
export class Stopping extends kind('Stopping', () => 'the bot is stopping') {}

/** Every kind of `CardServiceError`, to switch over its `name`. */
export type KnownError =
  | InvalidCardId
  | QuotaSpent
  | Busy
  | KeptInReserve
  | BudgetSpent
  | TooManyCommands
  | CeilingReached
  | RateLimited
  | KeyRefused
  | PlanRefused
  | ServiceDown
  | StoreAway
  | UnexpectedAnswer
  | Stopping;

/** How one request ended, as far as the limiter is concerned. */
export interface RequestOutcome {
  /** An answer that does not fit is an answer, too. `abandoned` says nothing about the service. */
  kind: 'answered' | 'rateLimited' | 'serviceDown' | 'keyRefused' | 'planRefused' | 'abandoned';
  /** The wait that the service stated; absent when it did not. */
  statedMs?: number | undefined;
  /** The window that a 429 says is spent; absent when it names none. */
  spentWindow?: WindowName | undefined;
  /** Whether the service has counted it; absent: when it was answered. */
  isCounted?: boolean;
  /** The card that it was booked for had failed before and was not answered since: that may be due to the card. */
  isSuspect?: boolean;
}

/** What an error means for the request that ended with it. */
interface ErrorMeaning extends RequestOutcome {
  /** Whether the service has counted the request. */
  isCounted: boolean;
  /** The level in the log: a refused key or plan and a bug need an operator; 429s and outages pass. */
  level: 'info' | 'warn' | 'error';
  /** Whether a lookup is tried again: with the next permit however often, a few times with a back-off, or never. */
  retry: 'nextPermit' | 'backOff' | 'never';
}

/**
 * A bug, as any error that is not named below: the request may have left, and what it says of the service is not known.
 */
const BUG: ErrorMeaning = { kind: 'abandoned', isCounted: true, level: 'error', retry: 'never' };

/** How the errors with which requests end differ from that. */
const MEANINGS: { readonly [name: string]: Partial<ErrorMeaning> | undefined } = {
  RateLimited: { kind: 'rateLimited', isCounted: false, level: 'info', retry: 'nextPermit' },
  ServiceDown: { kind: 'serviceDown', level: 'warn', retry: 'backOff' },
  KeyRefused: { kind: 'keyRefused' },
  PlanRefused: { kind: 'planRefused' },
  UnexpectedAnswer: { kind: 'answered', level: 'warn' },
  Stopping: { level: 'warn' },
};

export function meaningOf(error: unknown): ErrorMeaning {
  const meaning = { ...BUG, ...(error instanceof CardServiceError && MEANINGS[error.name]) };
  if (error instanceof RateLimited)
    return { ...meaning, statedMs: error.seconds && error.seconds * 1_000, spentWindow: error.per };
  if (!(error instanceof ServiceDown)) return meaning;
  return { ...meaning, isCounted: !error.neverLeft, statedMs: error.retryAfterMs };
}

function instant(atMs: number): string {
  return new Date(atMs).toISOString();
}

/** What the operator has to mend. The message is a sentence that says how, and is printed as it is, without a stack. */
export abstract class OperatorError extends Error {
  override name = this.constructor.name;
}

/** The operator has named something for state that cannot be used. The message says what to do. */
export class StateUnusable extends OperatorError {}

/** Codes of the system, of undici and its parser, and of OpenSSL; Node's own `ERR_…` are bugs, not connection errors. */
const NETWORK_CODE = /^(E(?!RR_)[A-Z]|UND_ERR_|HPE_|CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|ERR_(TLS|SSL)_)/;

/** The code of a connection error, anywhere in the chain of causes. */
export function networkCode(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  if (error.name === 'TimeoutError') return 'no answer in time';
  if ('code' in error && typeof error.code === 'string' && NETWORK_CODE.test(error.code)) return error.code;
  return networkCode(error.cause);
}
