import type { CatalogCard } from '../../../src/catalog/catalog-card.ts';
import { scoped } from '../../support/on-finished.ts';
import { residentMegabytes } from '../process-figures.ts';
import { ENGINES } from './engines.ts';
import { KINDS, type Kind, printings, QUERIES, queries } from './printings.ts';

/** What a process that ran one engine prints. */
export interface EngineFigures {
  diskBytes: number | undefined;
  /** More than before the cards were indexed. */
  residentMegabytes: number;
  buildMs: number;
  /** By kind of query, in milliseconds. */
  timesMs: Record<Kind, number[]>;
  /** How often the name that was meant was among the 25. */
  hits: Record<Kind, number>;
}

const WARM_UP = 50;

const [, , name = '', size = ''] = process.argv;
process.stdout.write(JSON.stringify(await scoped(async () => figuresOf(name, printings(Number(size))))));

function figuresOf(name: string, cards: readonly CatalogCard[]): EngineFigures {
  const typed = KINDS.map((kind) => [kind, queries(cards, kind, QUERIES + WARM_UP)] as const);
  globalThis.gc?.();
  const before = residentMegabytes(process.pid);
  const startedMs = performance.now();
  const engine = ENGINES[name]?.(cards);
  if (!engine) throw new Error(`there is no engine ${name}`);
  const buildMs = performance.now() - startedMs;

  const timesMs: Record<Kind, number[]> = { prefix: [], words: [], number: [], typo: [] };
  const hits: Record<Kind, number> = { prefix: 0, words: 0, number: 0, typo: 0 };
  for (const [kind, all] of typed) {
    for (const { typed } of all.slice(QUERIES)) engine.find(typed);
    for (const { typed, meant } of all.slice(0, QUERIES)) {
      const beganMs = performance.now();
      const found = engine.find(typed);
      timesMs[kind].push(performance.now() - beganMs);
      if (found.includes(meant)) hits[kind]++;
    }
  }
  globalThis.gc?.();
  const { diskBytes } = engine;
  return { diskBytes, residentMegabytes: residentMegabytes(process.pid) - before, buildMs, timesMs, hits };
}
