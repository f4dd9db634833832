import { residentMegabytes } from '../process-memory.ts';
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
const cards = printings(Number(size));
const typed = KINDS.map((kind) => [kind, queries(cards, kind, QUERIES + WARM_UP)] as const);
globalThis.gc?.();
const before = residentMegabytes(process.pid);
const startedMs = performance.now();
const engine = ENGINES[name]?.(cards);
if (!engine) throw new Error(`there is no engine ${name}`);
const buildMs = performance.now() - startedMs;

const timesMs: Partial<Record<Kind, number[]>> = {};
const hits: Partial<Record<Kind, number>> = {};
for (const [kind, all] of typed) {
  for (const { typed } of all.slice(QUERIES)) engine.find(typed);
  const measured = all.slice(0, QUERIES).map(({ typed, meant }) => {
    const beganMs = performance.now();
    const found = engine.find(typed);
    return { ms: performance.now() - beganMs, isHit: found.includes(meant) };
  });
  timesMs[kind] = measured.map(({ ms }) => ms);
  hits[kind] = measured.filter(({ isHit }) => isHit).length;
}
globalThis.gc?.();
const { diskBytes } = engine;
const residentMore = residentMegabytes(process.pid) - before;
engine.close();
process.stdout.write(JSON.stringify({ diskBytes, residentMegabytes: residentMore, buildMs, timesMs, hits }));
