import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { CatalogDatabase } from '../../../src/catalog/database.ts';
import { search } from '../../../src/catalog/search.ts';
import type { CatalogCard } from '../../../src/catalog/text.ts';
import { createLog } from '../../../src/log.ts';
import { HELD_OUT, isHeldOut, isMeant, LISTS, type TypedText, typedTexts } from '../../catalog/typed/texts.ts';
import { startBackends } from '../../support/backends.ts';
import { startBotProcess } from '../../support/bot-process.ts';
import { type BenchTable, count, quantile, type Verdict } from '../table.ts';
import { printings } from './printings.ts';

const CARDS = 200_000;
const ROWS_AT_ONCE = 5_000;
const WHO = { memberId: '1', guildId: '2' };
const WARM_UP = 100;

/** Of texts of this kind, or of all, at least so many percent have what is meant among the first ones. */
const TARGETS: readonly [kind: string, among: number, least: number][] = [
  ['', 1, 92],
  ['', 5, 95],
  ['', 25, 97],
  ['two errors', 5, 95],
  ['promo number', 1, 90],
  ['beginning', 1, 88],
];

/** What came of one text. */
interface TriedText extends TypedText {
  /** How many cards were found. */
  found: number;
  /** Of what is meant, from 0; infinite: it is not among them. */
  place: number;
}

/** Texts that members type, over real lists: those by which nothing was tuned. */
export async function run(): Promise<BenchTable> {
  const { cards, tried } = triedTexts(process.argv[3]);
  const timesMs = await keystrokeTimes([...cards, ...printings(CARDS).slice(cards.length)], tried);
  const [heldOut = [], known = []] = [true, false].map((is) => tried.filter(({ list }) => isHeldOut(list) === is));
  const ofKnownMs = known.map(({ typed }) => timesMs.get(typed) ?? Number.NaN);
  const [p50, p99] = [0.5, 0.99].map((part) => quantile(ofKnownMs, part).toFixed(1));
  const groups: [string, readonly TriedText[]][] = [
    ...Map.groupBy(known, ({ kind }) => kind),
    ['all', known],
    ...Map.groupBy(heldOut, ({ list }) => `(${list})`),
  ];
  return {
    title: `What members type, over ${count(cards.length)} real cards`,
    rows: groups.map(([name, group]) => {
      const shares = [1, 5, 25].map((among) => share(group, among).toFixed(0));
      return {
        '': name,
        texts: String(group.length),
        '% first, of 5, of 25; empty': `${shares.join(', ')}; ${emptyIn(group)}`,
      };
    }),
    notes: [`Of all: p50 ${p50} ms, p99 ${p99} ms.`],
    verdicts: [...verdictsOf(known), took(timesMs, 0.5, 6), took(timesMs, 0.99, 50)],
  };
}

function verdictsOf(tried: readonly TriedText[]): Verdict[] {
  const empty = emptyIn(tried);
  return [
    ...TARGETS.map(([kind, among, least]): Verdict => {
      const reached = share(
        tried.filter((text) => kind === '' || text.kind === kind),
        among,
      );
      const claim = `${kind || 'all texts'}: among the first ${among} at least ${least} % (${reached.toFixed(1)} %)`;
      return [claim, reached >= least];
    }),
    [`an empty list for at most 1 text in 150 (${empty})`, empty <= tried.length / 150],
  ];
}

function took(timesMs: ReadonlyMap<string, number>, part: number, mostMs: number): Verdict {
  const ms = quantile([...timesMs.values()], part);
  return [`p${100 * part} under ${mostMs} ms (${ms.toFixed(1)} ms)`, ms < mostMs, 'timing'];
}

/** In percent: of these texts, so many have what is meant among the first ones. */
function share(tried: readonly TriedText[], among: number) {
  return (100 * tried.filter(({ place }) => place < among).length) / tried.length;
}

function emptyIn(tried: readonly TriedText[]) {
  return tried.filter(({ found }) => found === 0).length;
}

/** Types the texts by which nothing was tuned, each list alone, as its bot would have it. */
function triedTexts(folder: string | undefined) {
  if (folder === undefined) throw new Error('Name the folder that has a catalogue of each list.');
  const all: { cards: CatalogCard[]; tried: TriedText[] } = { cards: [], tried: [] };
  for (const list of [...LISTS, ...HELD_OUT]) {
    const dataDir = join(folder, list);
    if (!existsSync(dataDir)) continue;
    const catalog = new CatalogDatabase(dataDir, createLog({ level: 'warn', secrets: [] }));
    const byId = new Map(catalog.index.rows().map((card) => [card.id, card]));
    for (const card of byId.values()) all.cards.push(card);
    for (const text of typedTexts(list).filter(({ isTuning }) => !isTuning)) {
      // A search may show a card in another language than it is listed in.
      const found = search(catalog.index, text.typed, WHO).map((card) => byId.get(card.id) ?? card);
      const place = found.findIndex(isMeant(text.meant));
      all.tried.push({ ...text, found: found.length, place: place < 0 ? Number.POSITIVE_INFINITY : place });
    }
    catalog.close();
  }
  return all;
}

/** From a keystroke until the suggestions are there, by text, in milliseconds. */
async function keystrokeTimes(cards: readonly CatalogCard[], tried: readonly TriedText[]) {
  const { discord, env } = await startBackends();
  const catalog = new CatalogDatabase(env.DATA_DIR, createLog({ level: 'warn', secrets: [] }));
  for (let at = 0; at < cards.length; at += ROWS_AT_ONCE) catalog.upsert(cards.slice(at, at + ROWS_AT_ONCE), 'bench');
  catalog.close();
  startBotProcess(env);
  await discord.gateway.whenReady();
  const texts = tried.map(({ typed }) => typed);
  const timesMs = new Map<string, number>();
  for (const text of [...texts.slice(0, WARM_UP), ...texts]) {
    const typedAtMs = performance.now();
    await discord.complete({ command: 'card', options: { id: text }, focused: 'id' });
    timesMs.set(text, performance.now() - typedAtMs);
  }
  return timesMs;
}
