import { fromTime } from '../render/times.ts';

/** Everything that can keep the service from answering a question. `userMessage` is what a member is told. */
export abstract class CardServiceError extends Error {
  abstract readonly userMessage: string;
}

/** The text is not a card id; nothing was sent. */
export class InvalidCardId extends CardServiceError {
  override name = 'InvalidCardId';
  readonly userMessage: string;

  constructor(reason: string) {
    super(`not a card id: ${reason}`);
    this.userMessage = `That is not a card id: ${reason}. An id looks like \`base1-4\`.`;
  }
}

/** The day's requests are gone; asking before `untilMs` would only be refused. */
export class QuotaSpent extends CardServiceError {
  override name = 'QuotaSpent';
  readonly userMessage: string;
  readonly untilMs: number;

  constructor(untilMs: number) {
    super(`requests spent until ${new Date(untilMs).toISOString()}`);
    this.untilMs = untilMs;
    this.userMessage = `Today's requests to the card service are used up. They come back ${fromTime(untilMs)}.`;
  }
}

/** The turn would come later than anyone should wait, or than the reply lives. */
export class Busy extends CardServiceError {
  override name = 'Busy';
  readonly userMessage: string;
  readonly untilMs: number;

  /** @param paused the service asked us to wait; else it is the line that is long */
  constructor(untilMs: number, paused: boolean) {
    super(`no turn before ${new Date(untilMs).toISOString()}`);
    this.untilMs = untilMs;
    const why = paused ? 'The card service asked us to wait.' : 'Too many questions are waiting for the card service.';
    this.userMessage = `${why} Ask again ${fromTime(untilMs)}.`;
  }
}

/** Enough remains for questions, but not for renewing what is known. */
export class KeptInReserve extends CardServiceError {
  override name = 'KeptInReserve';
  readonly userMessage: string;

  constructor(untilMs: number) {
    super(`reserve until ${new Date(untilMs).toISOString()}`);
    this.userMessage = `The day's last requests are kept for cards that are not known yet; more come ${fromTime(untilMs)}.`;
  }
}

/** The member or their Discord server has caused as many requests as one may in a day. Known cards stay free. */
export class BudgetSpent extends CardServiceError {
  override name = 'ShareSpent';
  readonly userMessage: string;

  constructor(whose: 'member' | 'server', cap: number, untilMs: number) {
    super(`share of ${cap} requests spent (${whose})`);
    const who = whose === 'member' ? 'You have' : 'This server has';
    this.userMessage =
      `${who} used the share of ${cap} requests a day. It comes back ${fromTime(untilMs)}. ` +
      'Cards that are known are still shown.';
  }
}

/** One member sends commands faster than anybody can type. */
export class TooManyCommands extends CardServiceError {
  override name = 'TooManyCommands';
  readonly userMessage = 'Slow down: that is more commands than anybody can type. Go on in a moment.';

  constructor(untilMs: number) {
    super(`too many commands until ${new Date(untilMs).toISOString()}`);
  }
}

/** One answer 429. The waiting line takes another turn; members see it only as a wait. */
export class RateLimited extends CardServiceError {
  override name = 'RateLimited';
  readonly userMessage = 'The card service asked us to wait.';
  /** As the service stated it; `undefined` when it did not, or not in a form that is understood. */
  readonly seconds: number | undefined;
  /** Where `seconds` was read. */
  readonly source: 'body' | 'header' | 'none';

  constructor(details: Pick<RateLimited, 'seconds' | 'source'>) {
    super(`429, retry after ${details.seconds ?? 'an unstated number of'} seconds`);
    this.seconds = details.seconds;
    this.source = details.source;
  }
}

/** 401 or 403: the service does not accept our API key, or wants one. */
export class KeyRefused extends CardServiceError {
  override name = 'KeyRefused';
  readonly userMessage =
    "The card service does not accept this bot's API key. Whoever runs the bot has to check CARD_SERVICE_API_KEY.";
  readonly status: number;

  constructor(status: number) {
    super(`the card service refused the API key with ${status}`);
    this.status = status;
  }
}

/** 408, 5xx, silence, or a broken connection. */
export class ServiceDown extends CardServiceError {
  override name = 'ServiceDown';
  readonly userMessage: string;

  /** The connection was never made: the service has counted nothing. */
  readonly neverLeft: boolean;
  /** For how long the service wants to be left alone; `undefined` when it did not say. */
  readonly retryAfterMs: number | undefined;

  /** @param untilMs when asking is worth while again, if that is known */
  constructor(
    reason: string,
    options: ErrorOptions & { untilMs?: number; neverLeft?: boolean; retryAfterMs?: number | undefined } = {},
  ) {
    super(`card service down: ${reason}`, options);
    this.neverLeft = options.neverLeft ?? false;
    this.retryAfterMs = options.retryAfterMs;
    const when = options.untilMs === undefined ? 'in a minute' : fromTime(options.untilMs);
    this.userMessage = `The card service does not answer at the moment. Try again ${when}.`;
  }
}

/** An answer that does not fit the interface: `detail` names the field, or what came instead. */
export class UnexpectedAnswer extends CardServiceError {
  override name = 'UnexpectedAnswer';
  readonly userMessage =
    'The card service answered with something this bot does not understand. Whoever runs the bot finds more in the log.';
  readonly detail: string;

  constructor(detail: string, options?: ErrorOptions) {
    super(`unexpected answer: ${detail}`, options);
    this.detail = detail;
  }
}

/** The bot stops before the turn came. */
export class Stopping extends CardServiceError {
  override name = 'Stopping';
  readonly userMessage = 'The bot is restarting. Ask again in a minute.';

  constructor() {
    super('stopped before the turn came');
  }
}
