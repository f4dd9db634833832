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
  /** The price that the member named. */
  target: number;
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
  const shown = notices.map(({ cardName, locale, line, price, target, atMs, ...ids }) => {
    const figures = {
      card: plainMarkdown(cardName, NAME_LENGTH) || formatMessage(locale, 'noName'),
      line: target === price ? 'at' : line,
      price: formatPrice(locale, price, currency),
      target: formatPrice(locale, target, currency),
    };
    const name = plainText(cardName, NAME_LENGTH) || formatMessage(locale, 'noName');
    return {
      text: isLate
        ? formatMessage(locale, 'priceReachedBefore', { ...figures, since: age(atMs) })
        : formatMessage(locale, 'priceReached', figures),
      row: buttons(locale, { showCard: ids.showId, stopWatch: ids.stopId }, { name }),
    };
  });
  const head = isLate ? [formatMessage(notices[0]?.locale ?? 'en-US', 'watchesLate')] : [];
  return {
    content: [...head, ...shown.map(({ text }) => text)].join('\n'),
    components: shown.flatMap(({ row }) => row),
  };
}
