import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { CatalogDatabase } from '../../src/catalog/database.ts';
import { search } from '../../src/catalog/search.ts';
import type { CatalogCard } from '../../src/catalog/text.ts';
import { createLog } from '../../src/log.ts';
import { HELD_OUT, isHeldOut, isMeant, LISTS, typedTexts } from '../catalog/typed/texts.ts';
import { manyCards } from '../support/many-cards.ts';
import { startWorld } from '../support/world.ts';
import { type BenchTable, count, quantile, type Verdict } from './table.ts';

const CARDS = 200_000;
const WHO = { memberId: '1', guildId: '2' };
const WARM_UP = 100;

/** Of the texts in this row, at least so many percent have what is meant among the first ones. */
const TARGETS: readonly [row: string, among: number, least: number][] = [
  ['all', 1, 92],
  ['all', 5, 95],
  ['all', 25, 97],
  ['two errors', 5, 95],
  ['promo number', 1, 90],
  ['beginning', 1, 88],
];

/** What came of one text: how many cards were found, and at which place, from 0, one that is meant. */
type Tried = ReturnType<typeof triedTexts>['tried'][number];

/** Texts that members type, over real lists: those by which nothing was tuned. */
export async function run(): Promise<BenchTable> {
  const { cards, tried } = triedTexts(process.argv[3]);
  const tookMs = await keystrokesMs([...cards, ...manyCards(CARDS).slice(cards.length)], tried);
  const [p50, p99] = [0.5, 0.99].map((share) => quantile(tookMs, share).toFixed(1));
  const { heldOut = [], known = [] } = Object.groupBy(tried, ({ list }) => (isHeldOut(list) ? 'heldOut' : 'known'));
  const groups: ReadonlyMap<string, readonly Tried[]> = new Map([
    ...Map.groupBy(known, ({ kind }) => kind),
    ['all', known],
    ...Map.groupBy(heldOut, ({ list }) => `(${list})`),
  ]);
  return {
    title: `What members type, over ${count(cards.length)} real cards`,
    rows: [...groups].map(([name, texts]) => {
      const shares = [1, 5, 25].map((among) => percentAmong(texts, among).toFixed(0)).join(', ');
      return { '': name, texts: `${texts.length}`, '% first, of 5, of 25; empty': `${shares}; ${emptyIn(texts)}` };
    }),
    notes: [`Of all: p50 ${p50} ms, p99 ${p99} ms (meant to be under 6 and 50).`],
    verdicts: [
      ...TARGETS.map(([row, among, least]): Verdict => {
        const reached = percentAmong(groups.get(row) ?? [], among);
        return [`${row}: ${reached.toFixed(1)} % among the first ${among}, ${least} % wanted`, reached >= least];
      }),
      [`all: ${emptyIn(known)} empty lists, at most 1 in 150 wanted`, emptyIn(known) <= known.length / 150],
    ],
  };
}

function percentAmong(texts: readonly Tried[], among: number) {
  return (100 * texts.filter(({ place }) => place < among).length) / texts.length;
}

function emptyIn(texts: readonly Tried[]) {
  return texts.filter(({ found }) => found === 0).length;
}

/** Types the texts by which nothing was tuned, each list alone, as its bot would have it. */
function triedTexts(folder: string | undefined) {
  if (folder === undefined) throw new Error('Name the folder that has a catalogue of each list.');
  const cards: CatalogCard[] = [];
  const tried = [...LISTS, ...HELD_OUT].flatMap((list) => {
    const dataDir = join(folder, list);
    if (!existsSync(dataDir)) return [];
    const catalog = new CatalogDatabase(dataDir, createLog({ level: 'warn', secrets: [] }));
    const byId = new Map(catalog.index.rows().map((card) => [card.id, card]));
    for (const card of byId.values()) cards.push(card);
    const texts = typedTexts(list).filter(({ isTuning }) => !isTuning);
    const ofList = texts.map((text) => {
      // A search may show a card in another language than it is listed in.
      const found = search(catalog.index, text.typed, WHO).map((card) => byId.get(card.id) ?? card);
      const place = found.findIndex(isMeant(text.meant));
      return { ...text, found: found.length, place: place < 0 ? Number.POSITIVE_INFINITY : place };
    });
    catalog.close();
    return ofList;
  });
  return { cards, tried };
}

/** From a keystroke until the suggestions are there, in milliseconds. */
async function keystrokesMs(catalog: readonly CatalogCard[], tried: readonly Tried[]) {
  const { suggested } = await startWorld({ catalog });
  const tookMs: number[] = [];
  for (const { typed } of [...tried.slice(0, WARM_UP), ...tried]) {
    const typedAtMs = performance.now();
    await suggested(typed);
    tookMs.push(performance.now() - typedAtMs);
  }
  return tookMs.slice(WARM_UP);
}
