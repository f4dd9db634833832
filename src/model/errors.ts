/**
 * Everything that can keep the service from answering a lookup. An error carries facts: its `name`, which is its kind and
 * the outcome in the log, its fields, and an English `message` for operators. What members read is in `render/`.
 */
export abstract class CardServiceError extends Error {
  abstract override readonly name: KnownError['name'];
}

/** Every kind of `CardServiceError`, to switch over its `name`. */
export type KnownError =
  | InvalidCardId
  | QuotaSpent
  | Busy
  | KeptInReserve
  | BudgetSpent
  | TooManyCommands
  | RateLimited
  | KeyRefused
  | ServiceDown
  | UnexpectedAnswer
  | Stopping;

export type InvalidCardIdReason = 'empty' | 'halfCharacter' | 'tooLong' | 'controlCharacter' | 'dotsOnly';

/** The text is not a card id; nothing was sent. */
export class InvalidCardId extends CardServiceError {
  override readonly name = 'InvalidCardId';
  readonly reason: InvalidCardIdReason;

  constructor(reason: InvalidCardIdReason) {
    super(`not a card id: ${reason}`);
    this.reason = reason;
  }
}

/** The day's requests are spent; a request before `untilMs` would only be refused. */
export class QuotaSpent extends CardServiceError {
  override readonly name = 'QuotaSpent';
  readonly untilMs: number;

  constructor(untilMs: number) {
    super(`requests spent until ${new Date(untilMs).toISOString()}`);
    this.untilMs = untilMs;
  }
}

/** The permit would come later than `LONGEST_WAIT_SECONDS` allows, or than the reply lives. */
export class Busy extends CardServiceError {
  override readonly name = 'Busy';
  readonly untilMs: number;
  /** The service asked for a pause; otherwise the queue is long. */
  readonly paused: boolean;

  constructor(untilMs: number, paused: boolean) {
    super(`no permit before ${new Date(untilMs).toISOString()}`);
    this.untilMs = untilMs;
    this.paused = paused;
  }
}

/** Enough remains for lookups, but not for renewing known cards. */
export class KeptInReserve extends CardServiceError {
  override readonly name = 'KeptInReserve';
  readonly untilMs: number;

  constructor(untilMs: number) {
    super(`reserve until ${new Date(untilMs).toISOString()}`);
    this.untilMs = untilMs;
  }
}

/** The member or their Discord server has caused as many requests as one may in a day. Known cards stay free. */
export class BudgetSpent extends CardServiceError {
  override readonly name = 'BudgetSpent';
  readonly whose: 'member' | 'server';
  /** Requests a day. */
  readonly cap: number;
  readonly untilMs: number;

  constructor(whose: BudgetSpent['whose'], cap: number, untilMs: number) {
    super(`budget of ${cap} requests spent (${whose})`);
    this.whose = whose;
    this.cap = cap;
    this.untilMs = untilMs;
  }
}

/** One member sends more commands than anyone can type. */
export class TooManyCommands extends CardServiceError {
  override readonly name = 'TooManyCommands';

  constructor(untilMs: number) {
    super(`too many commands until ${new Date(untilMs).toISOString()}`);
  }
}

/** One answer 429. The lookup takes another permit; members see it only as a wait. */
export class RateLimited extends CardServiceError {
  override readonly name = 'RateLimited';
  /** As the service stated it; `undefined` when it did not, or not in a form that is understood. */
  readonly seconds: number | undefined;
  /** Where `seconds` was read. */
  readonly source: 'body' | 'header' | 'none';

  constructor({ seconds, source }: Pick<RateLimited, 'seconds' | 'source'>) {
    super(`429, retry after ${seconds ?? 'an unstated number of'} seconds`);
    this.seconds = seconds;
    this.source = source;
  }
}

/** 401 or 403: the service does not accept our API key, or wants one. */
export class KeyRefused extends CardServiceError {
  override readonly name = 'KeyRefused';
  readonly status: number;

  constructor(status: number) {
    super(`the card service refused the API key with ${status}`);
    this.status = status;
  }
}

/** 408, 5xx, silence, or a broken connection. */
export class ServiceDown extends CardServiceError {
  override readonly name = 'ServiceDown';
  /** When the next request may be sent; `undefined` when that is not known. */
  readonly untilMs: number | undefined;
  /** The connection was never made: the service has counted nothing. */
  readonly neverLeft: boolean;
  /** The wait that the service stated; `undefined` when it did not. */
  readonly retryAfterMs: number | undefined;

  constructor(reason: string, options: ErrorOptions & Partial<Omit<ServiceDown, keyof CardServiceError>> = {}) {
    super(`card service down: ${reason}`, options);
    this.untilMs = options.untilMs;
    this.neverLeft = options.neverLeft ?? false;
    this.retryAfterMs = options.retryAfterMs;
  }
}

/** An answer that does not fit the interface. */
export class UnexpectedAnswer extends CardServiceError {
  override readonly name = 'UnexpectedAnswer';
  /** The field, or what came instead. */
  readonly detail: string;

  constructor(detail: string, options?: ErrorOptions) {
    super(`unexpected answer: ${detail}`, options);
    this.detail = detail;
  }
}

/** The bot stops before the request was sent or answered. */
export class Stopping extends CardServiceError {
  override readonly name = 'Stopping';

  constructor() {
    super('the bot is stopping');
  }
}
