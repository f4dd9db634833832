import type { APIEmbed } from 'discord-api-types/v10';
import type { PriceRow } from '../model/card.ts';
import type { Form } from '../model/message.ts';
import { FRESH_COLOUR } from './card-embed.ts';
import { MAX_ROWS } from './card-list.ts';
import { type ButtonRow, buttons, MAX_LENGTH, type MenuRow, menu } from './components.ts';
import { age, clip, formatPercent, formatPrice, plainMarkdown, plainText, rowLabel } from './formats.ts';
import { formatMessage } from './messages.ts';

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
export function watchSet(
  view: WatchView,
  to: To,
  { isReplaced, stopId }: { isReplaced: boolean; stopId: string },
): { content: string; components: ButtonRow[] } {
  const { locale } = to;
  const { name, lines, price } = textsOf(view, to);
  const content = [
    formatMessage(locale, 'watchSet', { card: plainMarkdown(name, NAME_LENGTH), ...lines }),
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
  const field = (id: 'above' | 'below', label: string) =>
    ({
      id,
      label,
      placeholder,
      value: typed[id] || undefined,
      maxLength: MOST_TYPED,
      lines: 'one',
      isOptional: true,
    }) as const;
  const name = plainText(cardName, FORM_NAME_LENGTH) || formatMessage(locale, 'noName');
  return {
    ...{ kind: 'form', customId, title: formatMessage(locale, 'watchForm', { name }) },
    fields: [field('above', formatMessage(locale, 'watchAbove')), field('below', formatMessage(locale, 'watchBelow'))],
  };
}

/** All of a member's watches, and a menu to end one of the first 25, since Discord takes no more. */
export function watchList(
  views: readonly WatchView[],
  to: To,
  menuId: string,
): { embeds: APIEmbed[]; components: MenuRow[] } {
  const { locale } = to;
  const rows = views.map((view) => {
    const { name, lines, price } = textsOf(view, to);
    const when = formatMessage(locale, 'watchLines', lines);
    const small = [when, price && formatMessage(locale, 'watchPrice', price)].filter(Boolean).join(' · ');
    const option = { label: name, value: view.id, description: clip(when, MAX_LENGTH) };
    return { text: `**${plainMarkdown(name, NAME_LENGTH)}**\n-# ${small}`, option };
  });
  const description = [...rows.map(({ text }) => text), formatMessage(locale, 'watchesTold')].join('\n');
  const options = rows.slice(0, MAX_ROWS).map(({ option }) => option);
  return {
    embeds: [
      { title: formatMessage(locale, 'watches'), description: clip(description, MOST_TEXT), color: FRESH_COLOUR },
    ],
    components: menu(formatMessage(locale, 'chooseWatch'), menuId, options),
  };
}

/** The arguments of sentences about a watch. */
function textsOf({ cardName, above, below, percent, price }: WatchView, { locale, ...to }: To) {
  const currency = price?.currency ?? to.currency;
  const shown = (value: number | undefined) => (value === undefined ? '' : formatPrice(locale, value, currency));
  const named = [above !== undefined && 'Above', below !== undefined && 'Below'].filter(Boolean).join('');
  const lines = named + (percent !== undefined && named !== 'AboveBelow' ? 'Percent' : '');
  return {
    name: plainText(cardName, NAME_LENGTH) || formatMessage(locale, 'noName'),
    lines: {
      ...{ lines: lines.charAt(0).toLowerCase() + lines.slice(1), above: shown(above), below: shown(below) },
      percent: formatPercent(locale, (percent ?? 0) / 100),
    },
    price: price && { price: shown(price.market) + rowLabel(price.label), since: age(price.atMs) },
  };
}

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

const NOTICE_NAME_LENGTH = 100;

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
    const name = plainText(notice.cardName, NOTICE_NAME_LENGTH) || formatMessage(locale, 'noName');
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
  const card = plainMarkdown(cardName, NOTICE_NAME_LENGTH) || formatMessage(locale, 'noName');
  return { card, line: shown === wanted ? 'at' : line, price: shown + rowLabel(label), target: wanted };
}
