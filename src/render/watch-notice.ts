import { type ButtonRow, buttons } from './components.ts';
import { age, formatPrice, plainMarkdown, plainText, rowLabel } from './formats.ts';
import { formatMessage } from './messages.ts';

/** A price that a member wanted to be told of. */
export interface WatchNotice {
  cardName: string;
  /** The member's language. */
  locale: string;
  line: 'above' | 'below';
  price: number;
  /** Which of several prices of the card it is. */
  label?: string | undefined;
  currency?: string | undefined;
  /** The price that the member named. */
  target: number;
  atMs: number;
  /** When it was first sent, if it was: the member may know it. */
  triedAtMs?: number | undefined;
  /** The custom ids of its buttons. */
  showId: string;
  stopId: string;
}

/** One message holds no more: each has a row of buttons. */
export const MOST_NOTICES = 5;

const NAME_LENGTH = 100;

/** For so long a message says that a price is there; after that, since when it was. */
const STILL_THERE_MS = 600_000;

/** @param isLate no message could be sent, and the member is told with their next command. At most 2,000 characters */
export function watchNotices(
  notices: readonly WatchNotice[],
  { currency, isLate }: { currency: string | undefined; isLate: boolean },
): { content: string; components: ButtonRow[] } {
  const isNew = ({ triedAtMs }: WatchNotice) => triedAtMs === undefined;
  const sorted = notices.toSorted((a, b) => Number(isNew(b)) - Number(isNew(a)));
  const shown = sorted.map((notice, at) => {
    const { locale, atMs, showId, stopId } = notice;
    const head = isNew(notice) ? 'watchesLate' : 'watchesLateAgain';
    const isFirst = at === sorted.findIndex((each) => isNew(each) === isNew(notice));
    const figures = figuresOf(notice, currency);
    const isPast = isLate || Date.now() - atMs > STILL_THERE_MS;
    const text = isPast
      ? formatMessage(locale, 'priceReachedBefore', { ...figures, since: age(atMs) })
      : formatMessage(locale, 'priceReached', figures);
    const name = plainText(notice.cardName, NAME_LENGTH) || formatMessage(locale, 'noName');
    return {
      text: isLate && isFirst ? `${formatMessage(locale, head)}\n${text}` : text,
      row: buttons(locale, { showCard: showId, stopWatch: stopId }, { name }),
    };
  });
  return { content: shown.map(({ text }) => text).join('\n'), components: shown.flatMap(({ row }) => row) };
}

/** The arguments of a sentence about a price. */
function figuresOf({ cardName, locale, line, price, target, label, ...notice }: WatchNotice, named?: string) {
  const currency = notice.currency ?? named;
  const [shown, wanted] = [formatPrice(locale, price, currency), formatPrice(locale, target, currency)];
  const card = plainMarkdown(cardName, NAME_LENGTH) || formatMessage(locale, 'noName');
  return { card, line: shown === wanted ? 'at' : line, price: shown + rowLabel(label), target: wanted };
}
