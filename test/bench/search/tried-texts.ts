import type { CatalogCard } from '../../../src/catalog/text.ts';
import { isHeldOut, isMeant, type TypedText } from '../../catalog/typed/texts.ts';
import { quantile } from '../quantile.ts';
import type { BenchTable, Verdict } from '../table.ts';

/** Best first. */
type Find = (typed: string) => readonly CatalogCard[];

/** What came of one text. */
export interface TriedText extends TypedText {
  found: readonly CatalogCard[];
  /** Of what is meant, from 0; `undefined`: it is not among the 25. */
  place: number | undefined;
}

/** Types every text. What a found card is called is read in `cards`, since a search may show it in another language. */
export function tryTexts(texts: readonly TypedText[], cards: readonly CatalogCard[], find: Find): TriedText[] {
  const byId = new Map(cards.map((card) => [card.id, card]));
  return texts.map((text) => {
    const found = find(text.typed).map((card) => byId.get(card.id) ?? card);
    const isWanted = isMeant(text.meant);
    if (!cards.some(isWanted))
      process.stderr.write(`${text.list} has no card that ${text.typed} means: ${text.meant}\n`);
    const place = found.findIndex(isWanted);
    return { ...text, found, place: place < 0 ? undefined : place };
  });
}

/** All that was tried, and how long it took. */
interface Trial {
  tried: readonly TriedText[];
  /** By typed text, in milliseconds. */
  timesMs: ReadonlyMap<string, number>;
}

/** Shares by kind, by list and of all. Lists that are held out have rows of their own, and count in no other and for no target. */
export function tableOf(title: string, { tried, timesMs }: Trial, notes: string[]): BenchTable {
  const known = tried.filter(({ list }) => !isHeldOut(list));
  const heldOut = tried.filter(({ list }) => isHeldOut(list));
  const groups = [
    ...groupsBy(known, ({ kind }) => kind),
    ...groupsBy(known, ({ list }) => `(${list})`),
    ['all', known] as const,
    ...groupsBy(heldOut, ({ list }) => `(${list})`),
  ];
  return {
    title,
    columns: ['', 'texts', 'first, of 5, of 25, empty', 'p50, p99'],
    rows: groups.map(([name, group]) => {
      const shares = [1, 5, 25].map((among) => `${(100 * share(group, among)).toFixed(0)} %`);
      const empty = group.filter(({ found }) => found.length === 0).length;
      return [name, String(group.length), [...shares, empty].join(', '), times(group, timesMs)];
    }),
    notes,
    verdicts: verdicts({ tried: known, timesMs }),
  };
}

function groupsBy(tried: readonly TriedText[], nameOf: (text: TriedText) => string) {
  return [...Map.groupBy(tried, nameOf)];
}

/** Of the texts, so many have what is meant among the first `among`. */
function share(tried: readonly TriedText[], among: number): number {
  return tried.filter(({ place = Number.POSITIVE_INFINITY }) => place < among).length / tried.length;
}

function times(tried: readonly TriedText[], timesMs: ReadonlyMap<string, number>): string {
  const all = tried.map(({ typed }) => timesMs.get(typed) ?? Number.NaN);
  return [0.5, 0.99].map((part) => `${quantile(all, part).toFixed(1)} ms`).join(', ');
}

/** The targets. */
function verdicts({ tried, timesMs }: Trial): Verdict[] {
  const of = (kind: string) => tried.filter((text) => text.kind === kind);
  const atLeast = (what: string, group: readonly TriedText[], among: number, least: number): Verdict => ({
    claim: `${what} at least ${least} % (${(100 * share(group, among)).toFixed(1)} %)`,
    reached: share(group, among) >= least / 100,
  });
  const empty = tried.filter(({ found }) => found.length === 0).length;
  const took = (part: number, mostMs: number): Verdict => {
    const ms = quantile([...timesMs.values()], part);
    return { claim: `p${100 * part} under ${mostMs} ms (${ms.toFixed(1)} ms)`, reached: ms < mostMs, timing: true };
  };
  return [
    atLeast('first', tried, 1, 92),
    atLeast('among five', tried, 5, 95),
    atLeast('among 25', tried, 25, 97),
    { claim: `an empty list for at most 1 text in 150 (${empty})`, reached: empty <= tried.length / 150 },
    atLeast('two errors: among five', of('two errors'), 5, 95),
    atLeast('promo number: first', of('promo number'), 1, 90),
    atLeast('beginning: first', of('beginning'), 1, 88),
    took(0.5, 6),
    took(0.99, 50),
  ];
}
