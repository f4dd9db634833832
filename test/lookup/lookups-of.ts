import type { Admission } from '../../src/lookup/admission.ts';
import { Lookups, type LookupsOptions } from '../../src/lookup/lookups.ts';
import type { Outcomes } from '../../src/lookup/outcomes.ts';
import type { Progress } from '../../src/lookup/pending-lookup.ts';
import type { CardRecord } from '../../src/model/card.ts';
import type { CardServiceError } from '../../src/model/errors.ts';
import { THINKING } from '../../src/replies/course.ts';
import { follow } from '../../src/replies/course-driver.ts';

/** One card: fresh without a lookup and a refusal, stale with them; missing without a copy. */
export interface GivenCard {
  copy?: CardRecord;
  refusal?: CardServiceError;
  /** Nothing is kept, and its last request has failed a moment ago. */
  resting?: CardServiceError;
  /** Its request has left, for somebody else or in another process. */
  underWay?: 'here' | 'elsewhere';
  /** How its lookup goes. */
  start?: (tell: Tell) => Promise<CardRecord>;
}

/** What the queue tells of it. */
export interface Tell {
  onSchedule(permitAtMs: number): void;
  onRequest(): void;
}

/** Cards whose ids are the places in the list, and a queue that does as is given of each. */
export function asGiven(given: readonly GivenCard[]): LookupsOptions {
  const givenOf = (cardId: string) => given[Number(cardId)] ?? {};
  const admitted = ({ cardId }: { cardId: string }): Admission => {
    const { refusal, start, underWay } = givenOf(cardId);
    if (refusal) return { refusal };
    const progress: Progress = {
      requestNumbers: new Set(),
      ...(underWay && { [underWay === 'here' ? 'requestedAtMs' : 'askedElsewhereAtMs']: Date.now() }),
    };
    return {
      reservation: {
        progress,
        async start(onProgress = () => {}) {
          if (!start) throw new Error('no lookup was expected');
          return start({
            onSchedule(permitAtMs) {
              progress.permitAtMs = permitAtMs;
              onProgress();
            },
            onRequest() {
              progress.permitAtMs = undefined;
              progress.requestedAtMs ??= Date.now();
              onProgress();
            },
          });
        },
        cancel() {},
      },
    };
  };
  return {
    cards: {
      async known(id) {
        const { copy, refusal, resting, start } = givenOf(id);
        if (resting) throw resting;
        if (copy === undefined) return { kind: 'missing' };
        return { kind: start || refusal ? 'stale' : 'fresh', answer: copy };
      },
      asked() {},
    },
    lookupQueue: { admit: async (lookup) => admitted(lookup), admitAgain: admitted },
    ledger: { saved() {} },
    longestWaitMs: 0,
  };
}

export function lookupsOf(...given: GivenCard[]): Promise<Lookups> {
  const queries = given.map((_, at) => ({ cardId: String(at), showPrices: true }));
  const wanted = {
    requester: { memberId: 'alice', guildId: 'guild' },
    receivedAtMs: Date.now(),
    deadlineMs: Number.POSITIVE_INFINITY,
  };
  return Lookups.open(queries, wanted, asGiven(given));
}

/** Shows what comes, as a reply does until its end; `failed`: Discord could not be reached. */
export async function lookedUp(
  lookups: Lookups,
  show: (soFar: Outcomes) => Promise<'failed' | undefined>,
): Promise<Outcomes> {
  const closing = new AbortController();
  const { changed, done } = follow(
    THINKING,
    {
      facts: () => ({
        ...lookups.standing(),
        deadlineMs: Number.POSITIVE_INFINITY,
        wanted: 1,
        isElsewhere: false,
        isDeleted: false,
      }),
      look: async () => ({ ours: 0, shown: 0 }),
      edit: async () => (await show(lookups.soFar())) ?? 'shown',
      complete: async () => 'shown',
      keep: async () => true,
      end: async () => closing.abort(), // it would be shown again after an edit that failed
    },
    closing.signal,
  );
  await Promise.all([lookups.lookUpAll(changed), done]);
  return lookups.inTheEnd();
}
