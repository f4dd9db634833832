import { MAX_CARD_ID_LENGTH } from '../model/card.ts';
import type { CardServiceError, KnownError } from '../model/errors.ts';
import { formatMessage, fromTime } from './messages.ts';

/** Why there is no card, or no newer one, as a member reads it: whole sentences, in Markdown. */
export function errorMessage(locale: string, error: CardServiceError): string {
  const known = error as KnownError; // as its name ensures
  const untilMs = 'untilMs' in known ? known.untilMs : undefined;
  const from = untilMs === undefined ? formatMessage(locale, 'inAMinute') : fromTime(locale, untilMs);
  switch (known.name) {
    case 'InvalidCardId':
      return formatMessage(locale, known.name, { reason: known.reason, maxLength: MAX_CARD_ID_LENGTH });
    case 'Busy':
      return formatMessage(locale, known.name, { reason: known.paused ? 'pause' : 'queue', from });
    case 'BudgetSpent':
      return formatMessage(locale, known.name, { whose: known.whose, cap: known.cap, from });
    case 'QuotaSpent':
    case 'KeptInReserve':
    case 'ServiceDown':
      return formatMessage(locale, known.name, { from });
    default:
      return formatMessage(locale, known.name);
  }
}
