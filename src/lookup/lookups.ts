import type { Cards } from '../known/cards.ts';
import type { CardQuery, CardRecord } from '../model/card.ts';
import { type CardServiceError, Stopping } from '../model/errors.ts';
import type { Requester } from '../model/quota.ts';
import type { Ledger } from '../quota/ledger.ts';
import type { Progress } from './fair-queue.ts';
import type { LookupQueue, Reservation } from './lookup-queue.ts';

export interface LookupsOptions {
  cards: Pick<Cards, 'known'>;
  lookupQueue: Pick<LookupQueue, 'admit'>;
  ledger: Pick<Ledger, 'saved'>;
  /** No renewal waits longer. */
  longestWaitMs: number;
}

/** Who wants the card, and until when it can be shown. */
export interface Wanted {
  requester: Requester;
  receivedAtMs: number;
  deadlineMs: number;
  /** By a process that takes over: any kept copy will do, since a request may have been spent on it. */
  isTakenOver?: boolean;
}

/** What came of one card. With an error, the answer is a copy that could not be renewed. */
export interface Outcome {
  answer?: CardRecord;
  /** It came by a request of this reply. */
  isJustFetched?: true;
  /** A newer answer is still to come. */
  isRenewing?: true;
  error?: CardServiceError;
}

/** What came of the cards of one reply, so far or in the end. */
export interface Outcomes {
  /** In the order of the queries; `undefined`: still to come. */
  cards: readonly (Outcome | undefined)[];
  /** How many requests the service has counted for them. */
  requests: number;
  /** When the first request left; absent when none did. */
  requestedAtMs?: number | undefined;
  /** When the last permit is expected; absent when that is within 3 s, or not known. */
  permitAtMs?: number | undefined;
}

/** What decides whether there is anything new to see. */
export interface Standing {
  /** How many answers came, those that were known at once included. */
  cards: number;
  /** When the last permit is expected; absent when that is within 3 s, or not known. */
  permitAtMs?: number | undefined;
  /** When an answer that is awaited becomes slow. */
  slowAtMs?: number;
  /** Nothing is to come any more; `stopped`: because this process stops. */
  end?: 'ended' | 'stopped';
}

/** One card of a reply: what is known of it, and the lookup for what is not. */
interface ReplyCard {
  /** What is known before the lookup is started. */
  atOnce?: Outcome;
  /** Absent when no lookup is needed, or possible. */
  reservation?: Reservation;
  end?: Outcome;
}

/** The cards of one reply: what is known of each, and the lookups for what is not. */
export class Lookups {
  readonly #cards: readonly ReplyCard[];

  /** How many cards are looked up. */
  readonly awaited: number;
  /** `cards`: at least one has no copy. `renewals`: only stale copies are looked up. */
  readonly toCome: 'nothing' | 'renewals' | 'cards';

  private constructor(cards: readonly ReplyCard[]) {
    this.#cards = cards;
    this.awaited = cards.filter(({ reservation }) => reservation).length;
    const hasCopies = cards.every(({ atOnce }) => atOnce);
    this.toCome = this.awaited === 0 ? 'nothing' : hasCopies ? 'renewals' : 'cards';
  }

  /**
   * Fresh: no lookup. Stale: renewed when there is room. Missing: wanted. Each is admitted to the queue or refused, all
   * before the first answer. Costs no request and never rejects; to be started or cancelled.
   */
  static async open(queries: readonly CardQuery[], wanted: Wanted, options: LookupsOptions): Promise<Lookups> {
    return new Lookups(await Promise.all(queries.map((query) => opened(query, wanted, options))));
  }

  /**
   * A card whose lookup was ended by a stop counts as one that is still to come, because another process will bring it.
   */
  soFar(): Outcomes {
    return this.#outcomes(this.#cards.map(({ end, atOnce }) => (end && !isStopped(end) ? end : atOnce)));
  }

  inTheEnd(): Outcomes {
    return this.#outcomes(this.#cards.map(({ end, atOnce }) => end ?? atOnce));
  }

  standing(): Standing {
    const came = this.#cards.flatMap(({ atOnce, end }) => [atOnce?.answer, isStopped(end) ? undefined : end]);
    const cards = came.filter(Boolean).length;
    const awaited = this.#progress();
    if (awaited.length > 0) return { cards, permitAtMs: lastPermitAtMs(awaited), slowAtMs: slowAtMs(awaited) };
    return { cards, end: this.#cards.some(({ end, atOnce }) => isStopped(end ?? atOnce)) ? 'stopped' : 'ended' };
  }

  /**
   * Starts all lookups. Costs a request for each, or fewer when cards are requested together or for others, too.
   *
   * @param changed called when they stand otherwise
   * @returns when all have ended, never where one is given up; never rejects
   */
  async lookUpAll(changed = () => {}): Promise<void> {
    const lookUp = async (card: ReplyCard) => {
      if (!card.reservation) return;
      const copy = card.atOnce?.answer && { answer: card.atOnce.answer };
      card.end = await card.reservation.start(changed).then(
        (answer) => ({ answer }),
        (error: CardServiceError) => ({ ...copy, error }),
      );
      changed();
    };
    await Promise.all(this.#cards.map(lookUp));
  }

  /** Gives up what has not ended: nobody will see it. */
  cancel(): void {
    for (const { reservation } of this.#cards) reservation?.cancel();
  }

  /** @param shown what is shown of each */
  #outcomes(shown: readonly (Outcome | undefined)[]): Outcomes {
    const progress = this.#cards.flatMap(({ reservation }) => reservation?.progress ?? []);
    const requestedAtMs = Math.min(...progress.map((one) => one.requestedAtMs ?? Infinity));
    return {
      cards: shown.map((outcome) =>
        outcome?.answer && outcome.answer.fetchedAtMs >= requestedAtMs ? { ...outcome, isJustFetched: true } : outcome,
      ),
      requests: new Set(progress.flatMap(({ requestNumbers }) => [...requestNumbers])).size,
      ...(requestedAtMs < Infinity && { requestedAtMs }),
      permitAtMs: lastPermitAtMs(this.#progress()),
    };
  }

  /** How far the lookups are that have not ended. */
  #progress(): Progress[] {
    return this.#cards.flatMap(({ end, reservation }) => (end || !reservation ? [] : reservation.progress));
  }
}

async function opened(
  query: CardQuery,
  { requester, receivedAtMs, deadlineMs, isTakenOver }: Wanted,
  { cards, lookupQueue, ledger, longestWaitMs }: LookupsOptions,
): Promise<ReplyCard> {
  const { cardId, showPrices } = query;
  const known =
    query.known ?? (await cards.known(cardId, showPrices).catch((error) => ({ kind: 'refused', error }) as const));
  if (known.kind === 'refused') return { atOnce: { error: known.error } };
  const { kind, answer } = known;
  if (kind === 'fresh' || (answer && isTakenOver)) {
    ledger.saved(requester);
    return { atOnce: { answer } };
  }
  const wish = answer
    ? ({ lane: 'renewals', deadlineMs: receivedAtMs + longestWaitMs } as const)
    : ({ lane: 'members', deadlineMs } as const);
  const admission = await lookupQueue.admit({ cardId, showPrices, requester, ...wish, wasAdmitted: isTakenOver });
  if ('refusal' in admission) return { atOnce: { ...(answer && { answer }), error: admission.refusal } };
  return { ...(answer && { atOnce: { answer, isRenewing: true } }), ...admission };
}

function isStopped(outcome: Outcome | undefined): boolean {
  return outcome?.error instanceof Stopping;
}

/** A shorter wait is left at "thinking…". */
const MIN_SHOWN_MS = 3_000;

/** When the last permit is expected, if that is worth a sentence. */
function lastPermitAtMs(awaited: readonly Progress[]): number | undefined {
  const lastAtMs = Math.max(...awaited.flatMap(({ permitAtMs }) => permitAtMs ?? []));
  return lastAtMs - Date.now() > MIN_SHOWN_MS ? lastAtMs : undefined;
}

/** An answer that takes longer gets a sentence. */
const SLOW_AFTER_MS = 5_000;

/** When an answer becomes slow whose request has left, here or in another process. Never without one. */
function slowAtMs(awaited: readonly Progress[]): number {
  const sinceMs = awaited.flatMap(({ permitAtMs, requestedAtMs, askedElsewhereAtMs }) => {
    return (requestedAtMs === undefined ? askedElsewhereAtMs : permitAtMs === undefined && requestedAtMs) || [];
  });
  return Math.min(...sinceMs) + SLOW_AFTER_MS;
}
