import { MAX_CARD_ID_LENGTH } from '../model/card.ts';
import type { CardServiceError, KnownError } from '../model/errors.ts';
import { formatMessage, fromTime } from './messages.ts';

/** Why there is no card, or no newer one, as a member reads it: whole sentences, in Markdown. */
export function errorMessage(locale: string, error: CardServiceError): string {
  const known = error as KnownError; // as its name ensures
  switch (known.name) {
    case 'InvalidCardId':
      return formatMessage(locale, 'invalidCardId', { reason: known.reason, maxLength: MAX_CARD_ID_LENGTH });
    case 'QuotaSpent':
      return formatMessage(locale, 'quotaSpent', { from: fromTime(locale, known.untilMs) });
    case 'Busy':
      return formatMessage(locale, known.paused ? 'busyPaused' : 'busy', { from: fromTime(locale, known.untilMs) });
    case 'KeptInReserve':
      return formatMessage(locale, 'keptInReserve', { from: fromTime(locale, known.untilMs) });
    case 'BudgetSpent': {
      const key = known.whose === 'member' ? 'memberBudgetSpent' : 'serverBudgetSpent';
      return formatMessage(locale, key, { cap: known.cap, from: fromTime(locale, known.untilMs) });
    }
    case 'TooManyCommands':
      return formatMessage(locale, 'tooManyCommands');
    case 'RateLimited':
      return formatMessage(locale, 'rateLimited');
    case 'KeyRefused':
      return formatMessage(locale, 'keyRefused');
    case 'ServiceDown': {
      const { untilMs } = known;
      const from = untilMs === undefined ? formatMessage(locale, 'inAMinute') : fromTime(locale, untilMs);
      return formatMessage(locale, 'serviceDown', { from });
    }
    case 'UnexpectedAnswer':
      return formatMessage(locale, 'unexpectedAnswer');
    case 'Stopping':
      return formatMessage(locale, 'stopping');
  }
}
