import { Lookups } from '../../src/lookup/lookups.ts';
import type { LookupListeners } from '../../src/lookup/pending-lookup.ts';
import type { CardRecord } from '../../src/model/card.ts';
import type { CardServiceError } from '../../src/model/errors.ts';

/** One card: fresh without a lookup and a refusal, stale with them; missing without a copy. */
export interface CardCourse {
  copy?: CardRecord;
  refusal?: CardServiceError;
  /** How its lookup goes. */
  start?: (listeners: Required<LookupListeners>) => Promise<CardRecord>;
}

/** Lookups of so many cards, over a queue that does as each course says. */
export function lookupsOf(...courses: CardCourse[]): Promise<Lookups> {
  const courseOf = (cardId: string) => courses[Number(cardId)] ?? {};
  const queries = courses.map((_, at) => ({ cardId: String(at), showPrices: true }));
  const wanted = {
    memberId: 'alice',
    guildId: 'guild',
    receivedAtMs: Date.now(),
    deadlineMs: Number.POSITIVE_INFINITY,
  };
  return Lookups.open(queries, wanted, {
    cards: {
      async known(id) {
        const { copy, refusal, start } = courseOf(id);
        if (copy === undefined) return { kind: 'missing' };
        return { kind: start || refusal ? 'stale' : 'fresh', answer: copy };
      },
    },
    lookupQueue: {
      async admit({ cardId }) {
        const { refusal, start } = courseOf(cardId);
        if (refusal) return { refusal };
        return { reservation: { start, cancel() {} } as never };
      },
      enqueue: () => Promise.reject(new Error('not resumed')),
    },
    ledger: { saved() {} },
    longestWaitMs: 0,
  });
}
