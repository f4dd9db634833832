import type { APIEmbed } from 'discord-api-types/v10';
import { FRESH_COLOUR } from './card-embed.ts';
import { type ButtonRow, buttons, MAX_LENGTH, type MenuRow, menu } from './components.ts';
import { age, clip, formatPercent, formatPrice, plainMarkdown, plainText } from './formats.ts';
import { formatMessage } from './messages.ts';

/** A watch, and what its card cost last. */
export interface WatchView {
  id: string;
  cardName: string;
  above?: number | undefined;
  below?: number | undefined;
  /** Of the first price that comes. */
  percent?: number | undefined;
  side: 'above' | 'below' | 'between';
  price?: { market: number; atMs: number } | undefined;
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
  { locale, currency }: To,
  { isReplaced, stopId }: { isReplaced: boolean; stopId: string },
): { content: string; components: ButtonRow[] } {
  const { price, side } = view;
  const market = price && formatPrice(locale, price.market, currency);
  const card = plainMarkdown(view.cardName, NAME_LENGTH) || formatMessage(locale, 'noName');
  const lines = [
    formatMessage(locale, 'watchSet', { card, ...linesOf(view, { locale, currency }) }),
    market && side !== 'between' && formatMessage(locale, 'watchBeyond', { price: market }),
    isReplaced && formatMessage(locale, 'watchReplaced'),
    `-# ${price && market ? formatMessage(locale, 'watchPrice', { price: market, since: age(price.atMs) }) : formatMessage(locale, 'watchUnpriced')}`,
  ];
  return { content: lines.filter(Boolean).join('\n'), components: buttons(locale, { stopWatch: stopId }) };
}

/** All of a member's watches, and a menu to end one. */
export function watchList(
  views: readonly WatchView[],
  to: To,
  menuId: string,
): { embeds: APIEmbed[]; components: MenuRow[] } {
  const { locale, currency } = to;
  const shown = views.map((view) => {
    const { price, cardName } = view;
    const lines = formatMessage(locale, 'watchLines', linesOf(view, to));
    const last = price && {
      price: formatPrice(locale, price.market, currency),
      since: age(price.atMs),
    };
    const name = plainText(cardName, NAME_LENGTH) || formatMessage(locale, 'noName');
    const priced = last ? ` · ${formatMessage(locale, 'watchPrice', last)}` : '';
    return {
      text: `**${plainMarkdown(name, NAME_LENGTH)}**\n-# ${lines}${priced}`,
      option: { label: name, value: view.id, description: clip(lines, MAX_LENGTH) },
    };
  });
  const description = [...shown.map(({ text }) => text), formatMessage(locale, 'watchesTold')].join('\n');
  return {
    embeds: [
      {
        title: formatMessage(locale, 'watches'),
        description: clip(description, MOST_TEXT),
        color: FRESH_COLOUR,
      },
    ],
    components: menu(
      formatMessage(locale, 'chooseWatch'),
      menuId,
      shown.map(({ option }) => option),
    ),
  };
}

/** The arguments of a sentence about a watch's lines. */
function linesOf({ above, below, percent }: WatchView, { locale, currency }: To) {
  const shown = (price: number | undefined) => (price === undefined ? '' : formatPrice(locale, price, currency));
  const named = [above !== undefined && 'Above', below !== undefined && 'Below'].filter(Boolean).join('');
  const lines = named + (percent !== undefined && named !== 'AboveBelow' ? 'Percent' : '');
  return {
    lines: lines.charAt(0).toLowerCase() + lines.slice(1),
    above: shown(above),
    below: shown(below),
    percent: formatPercent(locale, (percent ?? 0) / 100),
  };
}
