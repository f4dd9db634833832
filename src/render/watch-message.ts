import type { PriceRow } from '../model/card.ts';
import type { Form, Message } from '../model/message.ts';
import { FRESH_COLOUR } from './card-embed.ts';
import { buttons, MAX_LENGTH, menu } from './components.ts';
import { age, clip, formatPercent, formatPrice, plainText, rowLabel } from './formats.ts';
import { formatMessage, nameText } from './messages.ts';

/** A watch, and what its card cost last. */
export interface WatchView {
  id: string;
  cardName: string;
  above?: number | undefined;
  below?: number | undefined;
  /** A percentage of the first price that comes. */
  percent?: number | undefined;
  /** Lines that the price is beyond. */
  crossed: readonly ('above' | 'below')[];
  price?: ({ market: number; atMs: number } & PriceRow) | undefined;
}

interface To {
  locale: string;
  /** ISO 4217, when the operator named one. */
  currency: string | undefined;
}

const NAME_LENGTH = 60;
/** Discord's limit of an embed's description. */
const MOST_TEXT = 4_096;

/** What the member will be told of. @param stopId of the button that ends it */
export function watchSet(view: WatchView, to: To, { isReplaced, stopId }: { isReplaced: boolean; stopId: string }) {
  const { locale } = to;
  const { lines, price } = argumentsOf(view, to);
  const content = [
    formatMessage(locale, 'watchSet', { card: nameText(locale, view.cardName, NAME_LENGTH), ...lines }),
    price && view.crossed.length > 0 && formatMessage(locale, 'watchBeyond', price),
    isReplaced && formatMessage(locale, 'watchReplaced'),
    `-# ${price ? formatMessage(locale, 'watchPrice', price) : formatMessage(locale, 'watchUnpriced')}`,
  ];
  return { content: content.filter(Boolean).join('\n'), components: buttons(locale, { stopWatch: stopId }) };
}

const FORM_NAME_LENGTH = 30;
const MOST_TYPED = 20;

/** The form that a watch is set with. @param typed what stands in it */
export function watchForm(
  { cardName, price }: Pick<WatchView, 'cardName' | 'price'>,
  { locale, ...to }: To,
  customId: string,
  typed: { above: string; below: string },
): Form {
  const last = price && formatPrice(locale, price.market, price.currency ?? to.currency);
  const placeholder = last && formatMessage(locale, 'watchHint', { price: last });
  const field = (id: 'above' | 'below', label: string) => {
    const value = typed[id] || undefined;
    return { id, label, placeholder, value, maxLength: MOST_TYPED, lines: 'one', isOptional: true } as const;
  };
  const title = formatMessage(locale, 'watchForm', { name: nameText(locale, cardName, FORM_NAME_LENGTH, plainText) });
  return {
    ...{ kind: 'form', customId, title },
    fields: [field('above', formatMessage(locale, 'watchAbove')), field('below', formatMessage(locale, 'watchBelow'))],
  };
}

/** All of a member's watches, of which a menu holds as many, to end one. */
export function watchList(views: readonly WatchView[], to: To, menuId: string) {
  const { locale } = to;
  const rows = views.map((view) => {
    const { lines, price } = argumentsOf(view, to);
    const when = formatMessage(locale, 'watchLines', lines);
    const small = [when, price && formatMessage(locale, 'watchPrice', price)].filter(Boolean).join(' · ');
    const label = nameText(locale, view.cardName, NAME_LENGTH, plainText);
    const option = { label, value: view.id, description: clip(when, MAX_LENGTH) };
    return { text: `**${nameText(locale, view.cardName, NAME_LENGTH)}**\n-# ${small}`, option };
  });
  const text = [...rows.map(({ text }) => text), formatMessage(locale, 'watchesTold')].join('\n');
  return {
    embeds: [{ title: formatMessage(locale, 'watches'), description: clip(text, MOST_TEXT), color: FRESH_COLOUR }],
    components: menu(
      formatMessage(locale, 'chooseWatch'),
      menuId,
      rows.map(({ option }) => option),
    ),
  };
}

/** Those of sentences about a watch, and about its price. */
function argumentsOf({ above, below, percent, price }: WatchView, { locale, ...to }: To) {
  const currency = price?.currency ?? to.currency;
  const shown = (value: number | undefined) => (value === undefined ? '' : formatPrice(locale, value, currency));
  const named = [above !== undefined && 'Above', below !== undefined && 'Below'].filter(Boolean).join('');
  const lines = named + (percent !== undefined && named !== 'AboveBelow' ? 'Percent' : '');
  return {
    lines: {
      ...{ lines: lines.charAt(0).toLowerCase() + lines.slice(1), above: shown(above), below: shown(below) },
      percent: formatPercent(locale, (percent ?? 0) / 100),
    },
    price: price && { price: shown(price.market) + rowLabel(price.label), since: age(price.atMs) },
  };
}

/** A price that a member wanted to be told of. */
export interface WatchNotice extends PriceRow {
  cardName: string;
  /** The member's language. */
  locale: string;
  line: 'above' | 'below';
  price: number;
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

const NOTICE_NAME_LENGTH = 100;

/** For so long a message says that a price is there; after that, since when it was. */
const STILL_THERE_MS = 600_000;

/** @param isLate no message could be sent, and the member is told with their next command. At most 2,000 characters */
export function watchNotices(
  notices: readonly WatchNotice[],
  { currency, isLate }: { currency: string | undefined; isLate: boolean },
): Pick<Required<Message>, 'content' | 'components'> {
  const told = Map.groupBy(notices, ({ triedAtMs }) => (triedAtMs === undefined ? 'watchesLate' : 'watchesLateAgain'));
  const shown = (['watchesLate', 'watchesLateAgain'] as const).flatMap((head) =>
    (told.get(head) ?? []).map((notice, at) => {
      const { locale, cardName, showId, stopId } = notice;
      const text = noticeText(notice, currency, isLate);
      const name = nameText(locale, cardName, NOTICE_NAME_LENGTH, plainText);
      return {
        text: isLate && at === 0 ? `${formatMessage(locale, head)}\n${text}` : text,
        row: buttons(locale, { showCard: showId, stopWatch: stopId }, { name }),
      };
    }),
  );
  return { content: shown.map(({ text }) => text).join('\n'), components: shown.flatMap(({ row }) => row) };
}

function noticeText(notice: WatchNotice, named: string | undefined, isLate: boolean): string {
  const { locale, cardName, line, atMs, label, currency = named } = notice;
  const [price, target] = [formatPrice(locale, notice.price, currency), formatPrice(locale, notice.target, currency)];
  const card = nameText(locale, cardName, NOTICE_NAME_LENGTH);
  const figures = { card, line: price === target ? 'at' : line, price: price + rowLabel(label), target };
  return isLate || Date.now() - atMs > STILL_THERE_MS
    ? formatMessage(locale, 'priceReachedBefore', { ...figures, since: age(atMs) })
    : formatMessage(locale, 'priceReached', figures);
}
