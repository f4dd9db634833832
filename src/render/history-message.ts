import type { Card } from '../model/card.ts';
import { lastDays, type PriceHistory, type PricePoint } from '../model/price-history.ts';
import { isDrawable } from './canvas.ts';
import { buttons, menu } from './components.ts';
import { formatPrice, plainMarkdown } from './formats.ts';
import { day, extremes, historyPicture } from './history-picture.ts';
import { formatMessage } from './messages.ts';
import { encodePng } from './png.ts';

export interface HistoryView {
  card: Pick<Card, 'name'>;
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

/** The custom ids of what is below the picture; what is absent is not there. */
export interface HistoryIds {
  menu?: string;
  showToEveryone?: string | false;
  deleteReply?: string;
}

/** A card's price as a picture, with its figures in the alt text, and a menu of how far back it goes. */
export async function historyMessage(view: HistoryView, ids: HistoryIds) {
  const { card, days, choices, nowMs, locale, currency } = view;
  const history = lastDays(view.history, days, nowMs);
  const shown = (price: number) => formatPrice(locale, price, currency);
  /** A currency whose sign cannot be drawn as a whole is not drawn at all: C$ is not $. */
  const drawn = (price: number) => [shown(price), formatPrice(locale, price, undefined)].find(isDrawable) ?? '';
  const option = (each: number) => ({
    label: formatMessage(locale, 'historyDays', { days: each }),
    value: String(each),
    default: each === days,
  });
  const { menu: menuId, ...buttonIds } = ids;
  return {
    content: formatMessage(locale, 'history', {
      name: plainMarkdown(card.name, 256) || formatMessage(locale, 'noName'),
    }),
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
  const [first = [0, 0], last = first] = [history[0], history.at(-1)];
  const { lowest, highest } = extremes(history);
  const price = ([, market]: PricePoint) => shown(market);
  return formatMessage(locale, 'historyPicture', {
    ...{ first: day(first), last: day(last), latest: price(last) },
    ...{ highest: price(highest), highestDate: day(highest), lowest: price(lowest), lowestDate: day(lowest) },
  });
}
