import type { Card } from '../model/card.ts';
import { extremes, lastDays, type PriceHistory } from '../model/price-history.ts';
import { isDrawable } from './canvas.ts';
import { buttons, menu } from './components.ts';
import { formatPrice, plainMarkdown, rowLabel } from './formats.ts';
import { historyPicture } from './history-picture.ts';
import { formatMessage } from './messages.ts';
import { encodePng } from './png.ts';

export interface HistoryView {
  card: Pick<Card, 'name'>;
  /** Which of several prices of the card it is. */
  label?: string | undefined;
  history: PriceHistory;
  /** How far back it goes: one of `choices`. */
  days: number;
  choices: readonly number[];
  nowMs: number;
  /** The language that the reply speaks. */
  locale: string;
  /** ISO 4217, when the operator named one. */
  currency: string | undefined;
}

/** A currency whose sign cannot be drawn as a whole is not drawn at all: C$ is not $. The E of 3E12 is no sign. */
const CURRENCY = /(?<!\d)[\p{L}\p{Sc}]+/gu;

/**
 * A card's price as a picture, with its figures in the alt text, and a menu of how far back it goes.
 *
 * @param menuId without it there is no menu
 * @param buttonIds by the message that is the label
 */
export async function historyMessage(
  { card, label, days, choices, nowMs, locale, currency, ...view }: HistoryView,
  { menuId, ...buttonIds }: { menuId?: string } & Parameters<typeof buttons>[1],
) {
  const history = lastDays(view.history, days, nowMs);
  const shown = (price: number) => formatPrice(locale, price, currency);
  const drawn = (price: number) =>
    isDrawable(shown(price)) ? shown(price) : shown(price).replace(CURRENCY, '').trim();
  const option = (each: number) => ({
    label: formatMessage(locale, 'historyDays', { days: each }),
    value: String(each),
    default: each === days,
  });
  const name = plainMarkdown(card.name, 256) || formatMessage(locale, 'noName');
  return {
    content: formatMessage(locale, 'history', { name }) + rowLabel(label),
    files: [
      {
        name: 'price-history.png',
        contentType: 'image/png',
        data: await encodePng(historyPicture(history, drawn)),
        description: historyAltText(history, shown, locale),
      },
    ],
    components: [
      ...(menuId !== undefined && choices.length > 1 ? menu(option(days).label, menuId, choices.map(option)) : []),
      ...buttons(locale, buttonIds),
    ],
  };
}

/** What the picture shows, in words, for those who cannot see it. */
function historyAltText(history: PriceHistory, shown: (price: number) => string, locale: string): string {
  const { first, last, lowest, highest } = extremes(history);
  return formatMessage(locale, 'historyPicture', {
    ...{ first: first[0], last: last[0], latest: shown(last[1]) },
    ...{ highest: shown(highest[1]), highestDate: highest[0] },
    ...{ lowest: shown(lowest[1]), lowestDate: lowest[0] },
  });
}
