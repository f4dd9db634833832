import type { PriceRow } from '../src/model/card.ts';
import type { Form } from '../src/model/message.ts';
import { FRESH_COLOUR } from '../src/render/card-embed.ts';
import { buttons, MAX_DESCRIPTION, MAX_LENGTH, menu } from '../src/render/components.ts';
import { age, clip, formatPercent, formatPrice, joined, plainText, rowLabel } from '../src/render/formats.ts';
import { formatMessage, nameText } from '../src/render/messages.ts';
import type { Lines, Watch, WatchCrossing } from '../src/watches/watch.ts';
import type { View } from './command.ts';
import { customId, EMPTY_FORM, type FormOfCard } from './custom-ids.ts';

/** What a card cost when somebody last asked for it. */
export type LastPrice = { market: number; atMs: number } & PriceRow;

type To = Pick<View, 'locale' | 'currency'>;

const NAME_LENGTH = 60;

/** What the member will be told of, with a button that ends it. */
export function watchSet(watch: Watch, isReplaced: boolean, last: LastPrice | undefined, to: To) {
  const { locale } = to;
  const { lines, price } = argumentsOf(watch, last, to);
  const content = joined([
    formatMessage(locale, 'watchSet', { card: nameText(locale, watch.cardName, NAME_LENGTH), ...lines }),
    price && watch.crossed.length > 0 && formatMessage(locale, 'watchBeyond', price),
    isReplaced && formatMessage(locale, 'watchReplaced'),
    `-# ${price ? formatMessage(locale, 'watchPrice', price) : formatMessage(locale, 'watchUnpriced')}`,
  ]);
  return { content, components: buttons(locale, { stopWatch: stopId(watch.id) }) };
}

function stopId(id?: string): string {
  return customId('watches', { kind: 'stop', id });
}

const FORM_NAME_LENGTH = 30;
const MOST_TYPED = 20;

/** The form that a watch of a card is set with, and what stands in it. */
export function watchForm(
  cardName: string,
  { cardId, ...typed }: FormOfCard,
  last: LastPrice | undefined,
  { locale, ...to }: To,
): Form {
  const price = last && formatPrice(locale, last.market, last.currency ?? to.currency);
  const placeholder = price && formatMessage(locale, 'watchHint', { price });
  const field = (id: 'above' | 'below', label: string) => {
    const value = typed[id] || undefined;
    return { id, label, placeholder, value, maxLength: MOST_TYPED, lines: 'one', isOptional: true } as const;
  };
  const title = formatMessage(locale, 'watchForm', { name: nameText(locale, cardName, FORM_NAME_LENGTH, plainText) });
  return {
    kind: 'form',
    customId: EMPTY_FORM + cardId,
    title,
    fields: [field('above', formatMessage(locale, 'watchAbove')), field('below', formatMessage(locale, 'watchBelow'))],
  };
}

/** All of a member's watches, of which a menu holds as many, to end one. */
export function watchList(watches: readonly { watch: Watch; last: LastPrice | undefined }[], to: To) {
  const { locale } = to;
  const rows = watches.map(({ watch, last }) => {
    const { lines, price } = argumentsOf(watch, last, to);
    const when = formatMessage(locale, 'watchLines', lines);
    const small = joined([when, price && formatMessage(locale, 'watchPrice', price)], ' · ');
    const label = nameText(locale, watch.cardName, NAME_LENGTH, plainText);
    const option = { label, value: watch.id, description: clip(when, MAX_LENGTH) };
    return { text: `**${nameText(locale, watch.cardName, NAME_LENGTH)}**\n-# ${small}`, option };
  });
  const text = [...rows.map(({ text }) => text), formatMessage(locale, 'watchesTold')].join('\n');
  return {
    embeds: [
      { title: formatMessage(locale, 'watches'), description: clip(text, MAX_DESCRIPTION), color: FRESH_COLOUR },
    ],
    components: menu(
      formatMessage(locale, 'chooseWatch'),
      stopId(),
      rows.map(({ option }) => option),
    ),
  };
}

/** Those of sentences about a watch, and about the last price of its card. */
function argumentsOf({ above, below, percent }: Lines, last: LastPrice | undefined, { locale, ...to }: To) {
  const { currency = to.currency } = last ?? {};
  const shown = (value: number | undefined) => (value === undefined ? '' : formatPrice(locale, value, currency));
  const named = joined([above !== undefined && 'Above', below !== undefined && 'Below'], '');
  const lines = named + (percent !== undefined && named !== 'AboveBelow' ? 'Percent' : '');
  return {
    lines: {
      lines: lines.replace(/^./, (first) => first.toLowerCase()),
      above: shown(above),
      below: shown(below),
      percent: formatPercent(locale, (percent ?? 0) / 100),
    },
    price: last && { price: shown(last.market) + rowLabel(last.label), since: age(last.atMs) },
  };
}

/** One message holds no more: each has a row of buttons. */
export const MOST_NOTICES = 5;

const NOTICE_NAME_LENGTH = 100;

/** For so long a message says that a price is there; after that, since when it was. */
const STILL_THERE_MS = 600_000;

/**
 * Prices that a member wanted to be told of, in their language. At most 2,000 characters.
 *
 * @param isLate no message could be sent, and the member is told with their next command
 */
export function watchNotices(
  crossings: readonly WatchCrossing[],
  { currency, isLate }: Pick<To, 'currency'> & { isLate: boolean },
) {
  const shown = (['watchesLate', 'watchesLateAgain'] as const).flatMap((head) => {
    const isFirst = head === 'watchesLate';
    const told = crossings.filter(({ crossing }) => isFirst === (crossing.triedAtMs === undefined));
    return told.map((each, at) => {
      const { id, locale, cardId, cardName } = each.watch;
      const text = noticeText(each, currency, isLate);
      const name = nameText(locale, cardName, NOTICE_NAME_LENGTH, plainText);
      const showCard = customId('card', { kind: 'show', isPrivate: true, id: cardId });
      return {
        text: isLate && at === 0 ? `${formatMessage(locale, head)}\n${text}` : text,
        row: buttons(locale, { showCard, stopWatch: stopId(id) }, { name }),
      };
    });
  });
  return { content: shown.map(({ text }) => text).join('\n'), components: shown.flatMap(({ row }) => row) };
}

function noticeText({ watch, crossing }: WatchCrossing, named: string | undefined, isLate: boolean): string {
  const { locale } = watch;
  const { line, atMs, label, currency = named } = crossing;
  const [price, target] = [
    formatPrice(locale, crossing.price, currency),
    formatPrice(locale, crossing.target, currency),
  ];
  const card = nameText(locale, watch.cardName, NOTICE_NAME_LENGTH);
  const figures = { card, line: price === target ? 'at' : line, price: price + rowLabel(label), target };
  return isLate || Date.now() - atMs > STILL_THERE_MS
    ? formatMessage(locale, 'priceReachedBefore', { ...figures, since: age(atMs) })
    : formatMessage(locale, 'priceReached', figures);
}
