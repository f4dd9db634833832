import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { positionOfAll } from '../../src/lookup/fair-order.ts';
import { comparePlaces, type PendingLookup, type QueuePlace, type Waiter } from '../../src/lookup/pending-lookup.ts';
import { PendingLookups } from '../../src/lookup/pending-lookups.ts';
import { Stopping } from '../../src/model/errors.ts';
import { guildKey, placeKey, type Requester } from '../../src/model/quota.ts';
import { LANES, type Lane } from '../../src/quota/limiter-port.ts';
import { fakeTime } from '../support/lookup-queue.ts';

const MINUTE_MS = 60_000;

/** A queue in which one pending lookup is served at each step. */
const ONE_CARD = { most: 1, room: 1, lengthOf: () => 0 };

class Queue {
  readonly pendingLookups: PendingLookups;
  nowMs = 0;
  promisedAtMs = 1;
  #cards = 0;

  /** @param lengths of the queues in other processes */
  constructor(lengths: readonly number[] = []) {
    this.pendingLookups = new PendingLookups({ lengths: () => lengths });
  }

  join(memberId: string, guildId: string | undefined, lookups = 1, lane: Lane = 'members', isInstalled = true): void {
    for (let count = 0; count < lookups; count++)
      this.want(`card ${this.#cards++}`, memberId, guildId, lane, isInstalled);
  }

  want(
    cardId: string,
    memberId: string,
    guildId: string | undefined,
    lane: Lane = 'members',
    isInstalled = true,
  ): void {
    const requester = { memberId, guildId, isInstalled };
    const lookup = { cardId, showPrices: true, lane, requester, deadlineMs: 0 };
    this.pendingLookups.start(
      this.pendingLookups.add({ lookup, resolve: () => {}, reject: () => {} }, this.promisedAtMs),
    );
  }

  serve(permits = 1): string[] {
    return Array.from({ length: permits }, () => {
      if (this.pendingLookups.length === 0) return '';
      const pending = this.request();
      this.pendingLookups.refuse(pending, new Stopping());
      return pending.bookedOn.memberId;
    });
  }

  request(): PendingLookup {
    const [pending] = this.pendingLookups.selectBatch(this.nowMs, ONE_CARD).pending;
    if (!pending) throw new Error('nothing waits');
    this.pendingLookups.requested(pending, this.nowMs);
    return pending;
  }
}

describe('the fair order', () => {
  it('alternates between members with several lookups', () => {
    const queue = new Queue();
    queue.join('a', 'guild', 3);
    queue.join('b', 'guild', 3);
    expect(queue.serve(6)).toEqual(['a', 'b', 'a', 'b', 'a', 'b']);
  });

  it('forgets a burst once it is served', () => {
    const queue = new Queue();
    queue.join('a', 'guild', 50);
    queue.serve(50);
    queue.join('b', 'guild', 2);
    queue.join('a', 'guild', 2);
    expect(queue.serve(4)).toEqual(['b', 'a', 'b', 'a']);
  });

  it('counts direct messages as a Discord server of their own', () => {
    const queue = new Queue();
    for (let member = 0; member < 20; member++) queue.join(`crowd ${member}`, 'large');
    queue.serve(5);
    queue.join('direct', undefined);
    expect(queue.serve(2)).toContain('direct');
  });

  it('forgets what was served before others came', () => {
    const queue = new Queue();
    for (let hour = 0; hour < 3; hour++) {
      queue.join('regular', 'guild');
      queue.serve();
    }
    queue.join('regular', 'guild');
    queue.join('new', 'guild');
    expect(queue.serve(2)).toEqual(['regular', 'new']);
  });

  it('lets a burst of later alternate with what is left of an earlier one, which has waited for its turns', () => {
    const queue = new Queue();
    queue.join('early', 'guild', 4);
    expect(queue.serve(2)).toEqual(['early', 'early']);
    queue.join('late', 'guild', 2);
    expect(queue.serve(4)).toEqual(['late', 'early', 'late', 'early']);
  });

  it('puts members before renewals, and books them when they join one', () => {
    const queue = new Queue();
    queue.join('reader', 'guild', 2, 'renewals');
    queue.want('old card', 'reader', 'guild', 'renewals');
    queue.join('member', 'guild');
    queue.want('old card', 'joiner', 'guild');
    expect(queue.serve(4)).toEqual(['member', 'joiner', 'reader', 'reader']);
  });

  it('lets an endless stream of newcomers overtake nothing for ever', () => {
    const queue = new Queue();
    queue.join('twice', 'guild', 2);
    queue.nowMs = 2 * MINUTE_MS; // what was promised at first is overdue
    queue.promisedAtMs = queue.nowMs;
    const served = Array.from({ length: 10 }, (_, newcomer) => {
      queue.join(`newcomer ${newcomer}`, 'guild', 2);
      return queue.serve();
    }).flat();
    expect(served.filter((member) => member === 'twice')).toHaveLength(2);
    expect(served.filter((member) => member !== 'twice').length).toBeGreaterThan(5);
  });

  it('puts every newcomer before a burst that is a little late', () => {
    const queue = new Queue();
    queue.join('eager', 'guild', 40);
    queue.nowMs = MINUTE_MS / 6;
    const newcomers = ['b', 'c', 'd', 'e', 'f', 'g'];
    for (const newcomer of newcomers) queue.join(newcomer, 'guild');
    expect(queue.serve(7)).toEqual(expect.arrayContaining(newcomers));
  });

  it.each([
    [15_000, 1],
    [15_001, 4],
  ])('leaves a burst that is late by %i ms %i of seven permits', (lateMs, permits) => {
    const queue = new Queue();
    queue.promisedAtMs = 0;
    queue.join('eager', 'guild', 40);
    queue.nowMs = lateMs;
    queue.promisedAtMs = queue.nowMs;
    for (const newcomer of ['b', 'c', 'd', 'e', 'f', 'g']) queue.join(newcomer, 'guild');
    expect(queue.serve(7).filter((member) => member === 'eager')).toHaveLength(permits);
  });

  it('alternates between the overdue and the others: an overdue burst delays a newcomer by one permit', () => {
    const queue = new Queue();
    queue.join('eager', 'guild', 100);
    queue.nowMs = 2 * MINUTE_MS;
    queue.promisedAtMs = queue.nowMs;
    queue.join('late', 'guild');
    expect(queue.serve(2)).toContain('late');
  });

  it('gives every second permit to the lookup that is overdue for longest, also while all that come are overdue too', () => {
    const queue = new Queue();
    queue.join('twice', 'guild', 6);
    queue.promisedAtMs = 2;
    queue.nowMs = 2 * MINUTE_MS;
    const served = Array.from({ length: 10 }, (_, newcomer) => {
      queue.join(`newcomer ${newcomer}`, 'guild', 2);
      return queue.serve();
    }).flat();
    expect(served.filter((member) => member === 'twice').length).toBeGreaterThanOrEqual(5);
  });

  it('gives every second place of a list to who is overdue for longest, too', () => {
    const queue = new Queue();
    queue.join('twice', 'guild', 3);
    queue.promisedAtMs = 2;
    for (const newcomer of ['b', 'c']) queue.join(newcomer, 'guild');
    const { pending } = queue.pendingLookups.selectBatch(2 * MINUTE_MS, { ...ONE_CARD, most: 5 });
    expect(pending.map(({ bookedOn }) => bookedOn.memberId)).toEqual(['twice', 'b', 'twice', 'c', 'twice']);
  });

  it('counts each foreign server by itself, although they share a budget', () => {
    const queue = new Queue();
    for (const member of ['a', 'b', 'c']) queue.join(member, 'busy', 1, 'members', false);
    queue.join('d', 'quiet', 1, 'members', false);
    expect(queue.serve(2)).toContain('d');
  });

  it('gives a card the best place among its waiters', () => {
    const queue = new Queue();
    queue.join('eager', 'guild', 10);
    queue.want('wanted', 'eager', 'guild');
    queue.want('wanted', 'other', 'guild');
    expect(queue.pendingLookups.get('wanted')?.bookedOn.memberId).toBe('eager');
    queue.serve();
    queue.serve();
    expect(queue.pendingLookups.get('wanted')).toBeUndefined();
  });

  it('puts a card whose rank a joiner improves behind all that already wait at that rank', () => {
    const queue = new Queue();
    queue.join('eager', 'guild', 3);
    queue.want('wanted', 'eager', 'guild');
    queue.join('first', 'guild b');
    queue.want('wanted', 'friend', 'guild c');
    expect(queue.serve(3)).toEqual(['eager', 'first', 'eager']);
    expect(queue.pendingLookups.get('wanted')).toBeUndefined();
  });

  it('puts what a member adds behind what they wait for already', () => {
    const queue = new Queue();
    for (const card of ['a', 'b', 'c']) queue.want(card, 'eager', 'guild');
    queue.serve();
    queue.want('d', 'eager', 'guild');
    expect([1, 2, 3].map(() => queue.request().cardId)).toEqual(['b', 'c', 'd']);
  });

  it('counts what a member joined like what they were first to want', () => {
    const queue = new Queue();
    queue.join('eager', 'guild', 10);
    for (let card = 0; card < 10; card++) queue.want(`card ${card}`, 'joiner', 'guild b');
    queue.want('one more', 'joiner', 'guild b');
    queue.join('newcomer', 'guild c', 3);
    expect(queue.serve(8).filter((member) => member === 'newcomer')).toHaveLength(3);
  });

  it('lets a Discord server that comes later alternate with what is left of the crowd of another', () => {
    const queue = new Queue();
    for (let member = 0; member < 10; member++) queue.join(`large ${member}`, 'large');
    queue.serve(5);
    for (let member = 0; member < 3; member++) queue.join(`small ${member}`, 'small');
    const served = queue.serve(6).map((member) => member.slice(0, -2));
    expect(served).toEqual(['small', 'large', 'small', 'large', 'small', 'large']);
  });

  it('does not count the Discord servers of one round in the next', () => {
    const queue = new Queue();
    for (let member = 0; member < 50; member++) queue.join(`crowd ${member}`, 'large', 2);
    queue.serve(51); // one each, and the first of the second ones
    queue.join('late', 'small');
    expect(queue.serve(2)).toContain('late');
  });

  it('lets no burst overtake that waits again, after a 429 for instance', () => {
    const queue = new Queue();
    queue.join('eager', 'guild', 19);
    const underWay = Array.from({ length: 19 }, () => queue.request());
    queue.join('late', 'guild');
    for (const pending of underWay) queue.pendingLookups.requeue(pending);
    expect(queue.serve(2)).toContain('late');
  });

  it('goes on where it was after an overdue lookup', () => {
    const queue = new Queue();
    queue.promisedAtMs = 2 * MINUTE_MS;
    queue.join('eager', 'guild', 20);
    queue.promisedAtMs = 1;
    queue.want('overdue', 'eager', 'guild');
    queue.nowMs = 2 * MINUTE_MS;
    queue.serve(); // the overdue one, which ranks behind twenty
    queue.promisedAtMs = queue.nowMs;
    queue.join('late', 'guild b');
    expect(queue.serve(2)).toContain('late');
  });
});

describe('beside other processes', () => {
  it.each<[string, number, number[], number]>([
    ['alone, permits come one after the other', 3, [], 3],
    ['an idle process takes no turn', 3, [0, 0], 3],
    ['the first permit comes after the first of each other', 1, [50, 1, 0], 3],
    ['a short queue takes no more turns than it has lookups', 5, [2, 50], 12],
    ['equal queues alternate', 50, [50], 100],
  ])('%s', (_, position, lengths, ofAll) => {
    expect(positionOfAll(position, lengths)).toBe(ofAll);
  });

  it('a newcomer is expected one turn later for each process, and everything a member adds behind all', () => {
    const queue = new Queue([50, 1]);
    const positionOf = (newcomer: ReturnType<typeof wish>) => {
      return queue.pendingLookups.order.positionOf(newcomer, queue.pendingLookups.get(newcomer.cardId));
    };
    expect(positionOf(wish('newcomer'))).toEqual({ position: 3, lastPosition: 3 });
    for (const guild of ['guild', 'elsewhere']) queue.join('newcomer', guild);
    expect(positionOf(wish('newcomer'))).toEqual({ position: 7, lastPosition: 54 });
    expect(positionOf(wish('other'))).toEqual({ position: 5, lastPosition: 5 });
  });

  it('each that waits here has its place among all', () => {
    const queue = new Queue([2]);
    queue.join('eager', 'guild', 4);
    expect(queue.pendingLookups.order.positions().map(({ position }) => position)).toEqual([2, 4, 5, 6]);
  });

  function wish(memberId: string) {
    return { cardId: 'new', lane: 'members' as const, requester: { memberId, guildId: 'guild' } };
  }
});

describe('whatever was wanted and served before', () => {
  const members = ['a', 'b', 'c', 'd', 'e'];
  const guilds = ['g', 'h', undefined];
  type Wanted = { member: string; guild: string | undefined; card: number };
  const wanted: fc.Arbitrary<Wanted> = fc.record({
    member: fc.constantFrom(...members),
    guild: fc.constantFrom(...guilds),
    card: fc.integer({ min: 0, max: 30 }),
  });
  const step = fc.oneof({ weight: 4, arbitrary: wanted }, { weight: 1, arbitrary: fc.constant('serve' as const) });

  function lineAfter(steps: readonly (Wanted | 'serve')[]): Queue {
    const queue = new Queue();
    for (const one of steps) {
      if (one === 'serve') queue.serve();
      else queue.want(`wanted ${one.card}`, one.member, one.guild);
    }
    return queue;
  }

  it('each member delays a newcomer by one permit at most, and so does each Discord server', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 80 }), (steps) => {
        const queue = lineAfter(steps);
        const waiters = [...queue.pendingLookups.order].flatMap((pending) => [...pending.waiters]);
        const waiting = waiters.map(({ lookup }) => lookup.requester);
        const others = new Set(waiting.map(({ memberId }) => memberId));
        const servers = new Set(waiting.map(placeKey));
        queue.join('newcomer', 'their own server');
        const permits = queue.serve(1 + Math.min(others.size, servers.size));
        expect(permits).toContain('newcomer');
      }),
    );
  });

  it('wanting what another waits for, in the same order, delays a newcomer by no further permit', () => {
    const run = fc.record({
      cards: fc.integer({ min: 1, max: 40 }),
      served: fc.nat(40),
      friends: fc.integer({ min: 1, max: 6 }),
    });
    fc.assert(
      fc.property(run, ({ cards, served, friends }) => {
        const queue = new Queue();
        queue.join('eager', 'guild', cards);
        queue.serve(Math.min(served, cards));
        for (let friend = 0; friend < friends; friend++) {
          for (let card = served; card < cards; card++) queue.want(`card ${card}`, `friend ${friend}`, undefined);
        }
        queue.join('newcomer', 'guild');
        expect(queue.serve(2)).toContain('newcomer');
      }),
    );
  });

  it('nothing starves: with newcomers for ever, all that waited are served after twice as many permits', () => {
    fc.assert(
      fc.property(fc.array(wanted, { maxLength: 40 }), (all) => {
        const queue = lineAfter(all);
        const waited = [...queue.pendingLookups.order];
        queue.nowMs = 2 * MINUTE_MS;
        queue.promisedAtMs = 10 * MINUTE_MS;
        for (let permit = 0; permit < 2 * waited.length; permit++) {
          queue.join(`newcomer ${permit}`, 'guild');
          queue.serve();
        }
        expect([...queue.pendingLookups.order].filter((pending) => waited.includes(pending))).toEqual([]);
      }),
    );
  });
});

describe('what is kept while lookups come and go', () => {
  const KINDS = ['start', 'cancel', 'postpone', 'request', 'requeue', 'answer', 'serve', 'endServe'] as const;
  type Step =
    | { kind: 'want'; lane: Lane; requester: Requester; card: number; promisedAtMs: number }
    | { kind: (typeof KINDS)[number]; at: number };
  const requester = fc.record({
    memberId: fc.constantFrom('a', 'b', 'c', 'd'),
    guildId: fc.constantFrom('g', undefined),
  });
  const step: fc.Arbitrary<Step> = fc.oneof(
    fc.record({
      kind: fc.constant('want' as const),
      lane: fc.constantFrom(...LANES),
      requester,
      card: fc.nat(15),
      promisedAtMs: fc.nat(200_000),
    }),
    fc.record({
      kind: fc.constantFrom(...KINDS),
      at: fc.nat(200),
    }),
  );

  /** The same by looking at all that wait. */
  class Model {
    readonly pendingLookups = new PendingLookups();
    readonly #cards = new Set<string>();
    readonly #waiters: Waiter[] = [];
    readonly #ends: (() => void)[] = [];

    waiting(): PendingLookup[] {
      const pending = [...this.#cards].flatMap((id) => this.pendingLookups.get(id) ?? []);
      return pending.filter(({ isRequested }) => !isRequested).toSorted(comparePlaces);
    }

    queuedBy(requester: Requester) {
      const booked = this.waiting().map(({ bookedOn }) => bookedOn);
      const guild = booked.filter((other) => guildKey(other) === guildKey(requester)).length;
      return { member: booked.filter(({ memberId }) => memberId === requester.memberId).length, guild };
    }

    positionOf(requester: Requester, lane: Lane): number {
      const place: QueuePlace = {
        lane,
        rank: this.pendingLookups.order.rankFor({ lane, requester }),
        arrival: Infinity,
      };
      return 1 + this.waiting().filter((pending) => comparePlaces(pending, place) < 0).length;
    }

    /** A rank behind the cards that the member, and the place, waits for is taken by none of these. */
    isFree(requester: Requester, lane: Lane): boolean {
      const rank = this.pendingLookups.order.rankFor({ lane, requester });
      const ofLane = this.waiting().flatMap(({ waiters }) => [...waiters].filter((waiter) => waiter.lane === lane));
      const ofMember = ofLane.filter(({ lookup }) => lookup.requester.memberId === requester.memberId);
      const ofPlace = ofLane.filter(({ lookup }) => placeKey(lookup.requester) === placeKey(requester));
      return (
        ofMember.every((waiter) => waiter.rank.member !== rank.member) &&
        ofPlace.every((waiter) => waiter.rank.member !== rank.member || waiter.rank.guild !== rank.guild)
      );
    }

    first(nowMs: number): PendingLookup | undefined {
      const ready = this.waiting().filter(
        ({ state, notBeforeMs, waiters }) =>
          (state.kind === 'waiting' || (state.kind === 'postponed' && notBeforeMs <= performance.now())) &&
          [...waiters].some(({ reserved }) => !reserved),
      );
      const overdue = ready.filter(({ lane, promisedAtMs }) => lane === 'members' && promisedAtMs + 15_000 < nowMs);
      const [latest] = overdue.toSorted((a, b) => a.promisedAtMs - b.promisedAtMs || a.arrival - b.arrival);
      return latest ?? ready[0];
    }

    take(one: Step): void {
      if (one.kind === 'want') this.#want(one);
      else if (this.#waiters.length > 0) {
        const waiter = this.#waiters[one.at % this.#waiters.length] as Waiter;
        const pending = this.pendingLookups.get(waiter.lookup.cardId);
        if (pending?.waiters.has(waiter)) this.#actions[one.kind](pending, waiter, one.at);
        vi.advanceTimersByTime(one.at % 7);
      }
    }

    #want({ lane, requester, card, promisedAtMs }: Step & { kind: 'want' }): void {
      this.#cards.add(`card ${card}`);
      const lookup = { cardId: `card ${card}`, showPrices: true, lane, requester, deadlineMs: 0 };
      this.#waiters.push(this.pendingLookups.add({ lookup, resolve() {}, reject() {} }, promisedAtMs));
    }

    readonly #actions: Record<(typeof KINDS)[number], (pending: PendingLookup, waiter: Waiter, at: number) => void> = {
      start: (_, waiter) => this.pendingLookups.start(waiter),
      cancel: (_, waiter) => this.pendingLookups.cancel(waiter),
      postpone: (pending, _, at) => pending.isRequested || this.pendingLookups.postpone(pending, at),
      answer: (pending) => this.pendingLookups.refuse(pending, new Stopping()),
      serve: (pending) => pending.state.kind === 'waiting' && this.#ends.push(this.pendingLookups.serve([pending])),
      endServe: () => this.#ends.shift()?.(),
      request: (pending) => pending.isRequested || this.pendingLookups.requested(pending, 0),
      requeue: (pending) => pending.isRequested && this.pendingLookups.requeue(pending),
    };
  }

  it('is what looking at all of them says: order, next, positions, and what is booked', () => {
    fakeTime();
    fc.assert(
      fc.property(fc.array(step, { maxLength: 120 }), requester, fc.nat(300_000), (steps, newcomer, nowMs) => {
        const model = new Model();
        for (const one of steps) model.take(one);
        const { pendingLookups } = model;
        expect([...pendingLookups.order]).toEqual(model.waiting());
        expect(pendingLookups.length).toBe(model.waiting().length);
        expect(pendingLookups.order.queuedBy(newcomer)).toEqual(model.queuedBy(newcomer));
        for (const lane of LANES) {
          const { position } = pendingLookups.order.positionOf({ lane, requester: newcomer }, undefined);
          expect(position).toBe(model.positionOf(newcomer, lane));
          expect(model.isFree(newcomer, lane)).toBe(true);
        }
        expect(pendingLookups.selectBatch(nowMs, ONE_CARD).pending[0]).toBe(model.first(nowMs));
      }),
    );
  });
});
