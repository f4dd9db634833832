import type { CardQuery } from '../model/card.ts';
import { type CardServiceError, Stopping } from '../model/errors.ts';
import type { Requester } from '../model/quota.ts';
import type { Ledger } from '../quota/ledger.ts';
import type { Cards } from './cards.ts';
import type { LookupQueue } from './lookup-queue.ts';
import { lastPermitOf, type Outcomes, outcomesOf, type ReplyCard, slowAtMs } from './outcomes.ts';
import type { Lookup } from './pending-lookup.ts';

export interface LookupsOptions {
  cards: Pick<Cards, 'known'>;
  lookupQueue: Pick<LookupQueue, 'admit' | 'admitAgain'>;
  ledger: Pick<Ledger, 'saved'>;
  /** No renewal waits longer. */
  longestWaitMs: number;
}

/** Who wants the card, and until when it can be shown. */
export interface Wanted {
  requester: Requester;
  receivedAtMs: number;
  deadlineMs: number;
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

/** The cards of one reply: what is known of each, and the lookups for what is not. */
export class Lookups {
  readonly #cards: readonly ReplyCard[];
  #givenUp = () => {};

  private constructor(cards: readonly ReplyCard[]) {
    this.#cards = cards;
  }

  /**
   * Fresh: no lookup. Stale: renewed when there is room. Missing: wanted. Each is admitted to the queue or refused, all
   * before the first answer. Costs no request and never rejects; to be started or cancelled.
   */
  static async open(queries: readonly CardQuery[], wanted: Wanted, options: LookupsOptions): Promise<Lookups> {
    return new Lookups(await Promise.all(queries.map((query) => opened(query, wanted, options))));
  }

  /**
   * The same for a process that takes over: any kept copy will do, since a request may have been spent on it, and what is
   * missing was admitted before.
   */
  static async resume(queries: readonly CardQuery[], wanted: Wanted, options: LookupsOptions): Promise<Lookups> {
    return new Lookups(await Promise.all(queries.map((query) => opened(query, wanted, options, true))));
  }

  /** How many cards are looked up. */
  get awaited(): number {
    return this.#cards.filter(({ reservation }) => reservation).length;
  }

  /** `cards`: at least one has no copy. `renewals`: only stale copies are looked up. */
  get toCome(): 'nothing' | 'renewals' | 'cards' {
    const awaited = this.#cards.filter(({ reservation }) => reservation);
    if (awaited.length === 0) return 'nothing';
    return awaited.every(({ atOnce }) => atOnce) ? 'renewals' : 'cards';
  }

  /** A card whose lookup was ended by a stop counts as one that is still to come, because another process will bring it. */
  soFar(): Outcomes {
    return outcomesOf(this.#cards, ({ end, atOnce }) => (end && !(end.error instanceof Stopping) ? end : atOnce));
  }

  inTheEnd(): Outcomes {
    return outcomesOf(this.#cards, ({ end, atOnce }) => end ?? atOnce);
  }

  standing(): Standing {
    const outcomes = this.#cards.map(({ end, atOnce }) => end ?? atOnce);
    const known = this.#cards.filter(({ atOnce }) => atOnce?.answer);
    const ended = this.#cards.filter(({ end }) => end && !(end.error instanceof Stopping));
    const cards = known.length + ended.length;
    if (this.#cards.some(({ reservation, end }) => reservation && !end))
      return { cards, permitAtMs: lastPermitOf(this.#cards), slowAtMs: slowAtMs(this.#cards) };
    return { cards, end: outcomes.some((outcome) => outcome?.error instanceof Stopping) ? 'stopped' : 'ended' };
  }

  /**
   * Starts all lookups. Costs a request for each, or fewer when cards are requested together or for others, too.
   *
   * @param changed called when they stand otherwise
   * @returns when all have ended, or are given up; never rejects
   */
  async lookUpAll(changed = () => {}): Promise<Outcomes> {
    const lookUp = async (card: ReplyCard) => {
      if (!card.reservation) return;
      const copy = card.atOnce?.answer && { answer: card.atOnce.answer };
      card.end = await card.reservation.start(changed).then(
        (answer) => ({ answer }),
        (error: CardServiceError) => ({ ...copy, error }),
      );
      changed();
    };
    const { promise: givenUp, resolve } = Promise.withResolvers<void>();
    this.#givenUp = resolve;
    await Promise.race([Promise.all(this.#cards.map(lookUp)), givenUp]);
    return this.inTheEnd();
  }

  /** Gives up what has not ended: nobody will see it. */
  cancel(): void {
    for (const { reservation } of this.#cards) reservation?.cancel();
    this.#givenUp();
  }
}

/** @param isTakenOver any kept copy will do, and what is missing was admitted before */
async function opened(
  { known: alreadyKnown, ...query }: CardQuery,
  { requester, receivedAtMs, deadlineMs }: Wanted,
  { cards, lookupQueue, ledger, longestWaitMs }: LookupsOptions,
  isTakenOver = false,
): Promise<ReplyCard> {
  const known =
    alreadyKnown ??
    (await cards.known(query.cardId, query.showPrices).catch((error) => ({ kind: 'refused', error }) as const));
  if (known.kind === 'refused') return { atOnce: { error: known.error } };
  if (known.kind === 'fresh' || (known.kind === 'stale' && isTakenOver)) {
    ledger.saved(requester);
    return { atOnce: { answer: known.answer } };
  }
  const lookup: Lookup =
    known.kind === 'stale'
      ? { ...query, lane: 'renewals', requester, deadlineMs: receivedAtMs + longestWaitMs }
      : { ...query, lane: 'members', requester, deadlineMs };
  const admission = isTakenOver ? lookupQueue.admitAgain(lookup) : await lookupQueue.admit(lookup);
  const copy = known.kind === 'stale' && { answer: known.answer };
  if ('refusal' in admission) return { atOnce: { ...copy, error: admission.refusal } };
  return { ...(copy && { atOnce: { ...copy, isRenewing: true } }), reservation: admission.reservation };
}
