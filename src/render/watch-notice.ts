import { type ButtonRow, buttons } from './components.ts';
import { age, formatPrice, plainMarkdown, plainText } from './formats.ts';
import { formatMessage } from './messages.ts';

/** A price that a member wanted to be told of. */
export interface WatchNotice {
  cardName: string;
  /** The member's language. */
  locale: string;
  line: 'above' | 'below';
  price: number;
  /** The price that the member named; absent when they have named another since. */
  target?: number | undefined;
  atMs: number;
  /** The custom ids of its buttons. */
  showId: string;
  stopId: string;
}

/** One message holds no more: each has a row of buttons. */
export const MOST_NOTICES = 5;

const NAME_LENGTH = 100;

/** @param isLate no message could be sent, and the member is told with their next command. At most 2,000 characters */
export function watchNotices(
  notices: readonly WatchNotice[],
  { currency, isLate }: { currency: string | undefined; isLate: boolean },
): { content: string; components: ButtonRow[] } {
  const { locale = 'en-US' } = notices[0] ?? {};
  const lines = notices.map((notice) =>
    isLate
      ? formatMessage(notice.locale, 'priceReachedBefore', { ...figures(notice, currency), since: age(notice.atMs) })
      : formatMessage(notice.locale, 'priceReached', figures(notice, currency)),
  );
  const rows = notices.map(({ cardName, showId, stopId, ...to }) => {
    const name = plainText(cardName, NAME_LENGTH) || formatMessage(to.locale, 'noName');
    return buttons(to.locale, { showCard: showId, stopWatch: stopId }, { name });
  });
  return {
    content: [...(isLate ? [formatMessage(locale, 'watchesLate')] : []), ...lines].join('\n'),
    components: rows.flat(),
  };
}

function figures({ cardName, locale, line, price, target }: WatchNotice, currency: string | undefined) {
  const written = (amount: number | undefined) => (amount === undefined ? '' : formatPrice(locale, amount, currency));
  return {
    card: plainMarkdown(cardName, NAME_LENGTH) || formatMessage(locale, 'noName'),
    line: target === undefined ? 'none' : target === price ? 'at' : line,
    price: written(price),
    target: written(target),
  };
}
