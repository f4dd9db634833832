import type { Gap } from './bots.ts';
import type { Outage } from './chaos-redis.ts';

/** What happened around a question. */
export interface Troubles {
  /** When the process of its shard ended, and was back. */
  ends: readonly Gap[];
  /** The same of every process: what was taken over can be lost again. */
  allEnds: readonly Gap[];
  outages: readonly Outage[];
}

/** Redis is back for a process within 2 s, */
const NOTICE_MS = 2_000;
/** and what it owes written down again with the next beat, a second later. */
const REWRITE_MS = 4_000;
/** A death is known after 5 s, and looked for every few seconds. */
const TAKEOVER_MS = 15_000;
/** For an edit's answer to come back, and for the debt to be struck out. */
const STRIKE_MS = 300;

/** Whether nobody could know any more of a debt that was made from `typedAtMs` to `owedAtMs`. */
export function endedWithBoth(typedAtMs: number, owedAtMs: number, { ends, allEnds, outages }: Troubles): boolean {
  if (!ends.some(({ endedAtMs }) => endedAtMs >= typedAtMs)) return false; // its process has it in memory
  const endsMs = allEnds.map(({ endedAtMs }) => endedAtMs).filter((atMs) => atMs >= typedAtMs);
  return joined(outages).some(({ fromMs, toMs, emptied }) => {
    const unwritten = toMs + NOTICE_MS > typedAtMs && (emptied || fromMs < owedAtMs);
    return endsMs.some((endMs) => {
      if (unwritten && fromMs < endMs && endMs < toMs + REWRITE_MS) return true;
      return emptied && endMs <= fromMs && fromMs < endMs + TAKEOVER_MS;
    });
  });
}

/** Whether a process ended before Redis could hear from it that a debt was paid. */
export function endedUnheard(paidAtMs: number, { allEnds, outages }: Troubles): boolean {
  const endsMs = allEnds.map(({ endedAtMs }) => endedAtMs).filter((atMs) => atMs >= paidAtMs);
  const away = joined(outages).filter((outage) => outage.fromMs < paidAtMs + STRIKE_MS && outage.toMs > paidAtMs);
  return endsMs.some((endMs) => endMs < paidAtMs + STRIKE_MS || away.some(({ toMs }) => endMs < toMs + REWRITE_MS));
}

/** Outages that leave no time to catch up between them are one. */
function joined(outages: readonly Outage[]): Outage[] {
  const whole: Outage[] = [];
  for (const outage of [...outages].sort((a, b) => a.fromMs - b.fromMs)) {
    const last = whole.at(-1);
    if (last === undefined || outage.fromMs > last.toMs + REWRITE_MS) whole.push({ ...outage });
    else Object.assign(last, { toMs: outage.toMs, emptied: last.emptied || outage.emptied });
  }
  return whole;
}
