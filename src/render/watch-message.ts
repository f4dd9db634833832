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
