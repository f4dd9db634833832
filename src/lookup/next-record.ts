import type { CardRecord, PriceRow, Prices } from '../model/card.ts';
import type { EventsByName } from '../model/events.ts';
import { type PricePoint, withPoint } from '../model/price-history.ts';
import type { AnsweredCard } from '../service/described-card.ts';
import { DAY_MS } from '../time/utc-day.ts';
import type { Lifetimes } from './freshness.ts';

/** A row may lack a price for a day or two; for so long none of another row is compared with those it had. */
const ROW_KEPT_MS = 3 * DAY_MS;

/** The row that history is of, and since when it lacks a price. */
export type KeptRow = PriceRow & { sinceMs?: number | undefined };

/** Which of a card's rows is shown, and whether history goes on with it, begins anew with it, or leaves it out. */
export function chosenRow(
  kept: KeptRow | undefined,
  rows: readonly Prices[],
  nowMs: number,
): { shown: Prices | undefined; history: 'goesOn' | 'begins' | 'rests' } {
  const same = kept && rows.find(({ label, currency }) => label === kept.label && currency === kept.currency);
  if (same) return { shown: same, history: 'goesOn' };
  const [first] = rows;
  const isKept = kept !== undefined && nowMs - (kept.sinceMs ?? nowMs) < ROW_KEPT_MS;
  return { shown: first, history: first && !isKept ? 'begins' : 'rests' };
}

/** What is kept of a card after an answer, and its price if watches may be told of it. */
export interface NextRecord {
  record: CardRecord;
  priced?: Omit<EventsByName['priced'], 'cardId' | 'atMs'>;
}

/**
 * A card that is kept and that the service denies is not forgotten: it is no longer listed. Its former prices stay with
 * it, unless they came by another description.
 *
 * @param answered `undefined`: there is no such card
 */
export function nextRecord(
  kept: CardRecord | undefined,
  answered: AnsweredCard | undefined,
  nowMs: number,
  terms: Pick<Lifetimes, 'pricesBy' | 'historyMs'>,
): NextRecord {
  if (answered) return pricedRecord(kept, answered, nowMs, terms);
  return { record: kept?.card ? { ...kept, delistedAtMs: nowMs } : { card: undefined, fetchedAtMs: nowMs } };
}

function pricedRecord(
  kept: CardRecord | undefined,
  { rows, ...card }: AnsweredCard,
  nowMs: number,
  terms: Pick<Lifetimes, 'pricesBy' | 'historyMs'>,
): NextRecord {
  const { past, row, isOther } = comparable(kept, nowMs, terms);
  const priced = rows ?? [card.prices ?? {}].filter(({ market }) => market !== undefined);
  const { shown = card.prices, history } = chosenRow(row, priced, nowMs);
  const record = { card: { ...card, prices: shown }, fetchedAtMs: nowMs, pricesBy: terms.pricesBy };
  const { market, label, currency } = shown ?? {};
  if (history === 'rests' || market === undefined) {
    const missingRow = row && { label: row.label, currency: row.currency, sinceMs: row.sinceMs ?? nowMs };
    return { record: { ...record, history: past, missingRow } };
  }
  const goesOn = history === 'goesOn';
  return {
    record: { ...record, history: withPoint((goesOn && past) || [], [nowMs, market]) },
    priced: { market, label, currency, isAnew: !goesOn && (isOther || row !== undefined) },
  };
}

/** What a new price may be compared with. */
function comparable(
  kept: CardRecord | undefined,
  nowMs: number,
  { pricesBy, historyMs = Number.POSITIVE_INFINITY }: Pick<Lifetimes, 'pricesBy' | 'historyMs'>,
): { past?: PricePoint[]; row?: KeptRow; isOther: boolean } {
  const isOther = kept?.card !== undefined && kept.pricesBy !== pricesBy;
  if (isOther || !kept?.history) return { isOther };
  const past = kept.history.filter(([atMs]) => nowMs - atMs < historyMs);
  return { past, row: kept.missingRow ?? kept.card?.prices ?? {}, isOther };
}
