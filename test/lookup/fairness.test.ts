import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { PendingLookup } from '../../src/lookup/pending-lookup.ts';
import { PendingLookups } from '../../src/lookup/pending-lookups.ts';
import { Stopping } from '../../src/model/errors.ts';
import { guildKey } from '../../src/model/requester.ts';
import type { Lane } from '../../src/quota/limiter.ts';

const MINUTE_MS = 60_000;

/** A line in which one question is served at each step. */
class Line {
  readonly pendingLookups = new PendingLookups();
  nowMs = 0;
  promisedAtMs = 1;
  #storedCards = 0;

  join(memberId: string, guildId: string | undefined, questions = 1, lane: Lane = 'members'): void {
    for (let count = 0; count < questions; count++) this.ask(`card ${this.#storedCards++}`, memberId, guildId, lane);
  }

  ask(cardId: string, memberId: string, guildId: string | undefined, lane: Lane = 'members'): void {
    const lookup = { cardId, showPrices: true, lane, requester: { memberId, guildId }, deadlineMs: 0 };
    this.pendingLookups.take(
      this.pendingLookups.add({ lookup, resolve: () => {}, reject: () => {} }, this.promisedAtMs),
    );
  }

  serve(permits = 1): string[] {
    return Array.from({ length: permits }, () => {
      if (this.pendingLookups.waiting().length === 0) return '';
      const pending = this.launch();
      this.pendingLookups.refuse(pending, new Stopping());
      return pending.payer.memberId;
    });
  }

  launch(): PendingLookup {
    const pending = this.pendingLookups.next(this.nowMs);
    if (!pending) throw new Error('nothing waits');
    this.pendingLookups.launch(pending, this.nowMs);
    return pending;
  }
}

describe('the fair order', () => {
  it('delays a member by one turn at most, however many questions another has in line', () => {
    const line = new Line();
    line.join('eager', 'guild', 200);
    line.serve(50);
    line.join('late', 'guild');
    expect(line.serve(2)).toContain('late');
  });

  it('delays a server by one turn at most, however many members of another are in line', () => {
    const line = new Line();
    for (let member = 0; member < 200; member++) line.join(`contention ${member}`, 'large');
    line.serve(50);
    line.join('late', 'small');
    expect(line.serve(2)).toContain('late');
  });

  it('lets members with several questions take turns', () => {
    const line = new Line();
    line.join('a', 'guild', 3);
    line.join('b', 'guild', 3);
    expect(line.serve(6)).toEqual(['a', 'b', 'a', 'b', 'a', 'b']);
  });

  it('holds nothing against who had a burst, once it is served', () => {
    const line = new Line();
    line.join('a', 'guild', 50);
    line.serve(50);
    line.join('b', 'guild', 2);
    line.join('a', 'guild', 2);
    expect(line.serve(4)).toEqual(['b', 'a', 'b', 'a']);
  });

  it('counts direct messages as a server of their own', () => {
    const line = new Line();
    for (let member = 0; member < 20; member++) line.join(`contention ${member}`, 'large');
    line.serve(5);
    line.join('alone', undefined);
    expect(line.serve(2)).toContain('alone');
  });

  it('holds nothing against who was served before others came', () => {
    const line = new Line();
    for (let hour = 0; hour < 3; hour++) {
      line.join('regular', 'guild');
      line.serve();
    }
    line.join('regular', 'guild');
    line.join('new', 'guild');
    expect(line.serve(2)).toEqual(['regular', 'new']);
  });

  it('lets members go before the background, and pay when they join it', () => {
    const line = new Line();
    line.join('reader', 'guild', 2, 'renewals');
    line.ask('old card', 'reader', 'guild', 'renewals');
    line.join('asker', 'guild');
    line.ask('old card', 'joiner', 'guild');
    expect(line.serve(4)).toEqual(['asker', 'joiner', 'reader', 'reader']);
  });

  it('lets newcomers who never end overtake nobody for ever', () => {
    const line = new Line();
    line.join('twice', 'guild', 2);
    line.nowMs = 2 * MINUTE_MS; // what was promised at first is overdue
    line.promisedAtMs = line.nowMs;
    const served = Array.from({ length: 10 }, (_, newcomer) => {
      line.join(`newcomer ${newcomer}`, 'guild', 2);
      return line.serve();
    }).flat();
    expect(served.filter((member) => member === 'twice')).toHaveLength(2);
    expect(served.filter((member) => member !== 'twice').length).toBeGreaterThan(5);
  });

  it('puts every newcomer before a burst that slips a little', () => {
    const line = new Line();
    line.join('eager', 'guild', 40);
    line.nowMs = MINUTE_MS / 6;
    const newcomers = ['b', 'c', 'd', 'e', 'f', 'g'];
    for (const newcomer of newcomers) line.join(newcomer, 'guild');
    expect(line.serve(7)).toEqual(expect.arrayContaining(newcomers));
  });

  it('is kept between the overdue and the others: a burst that is overdue delays a newcomer by one turn', () => {
    const line = new Line();
    line.join('eager', 'guild', 100);
    line.nowMs = 2 * MINUTE_MS;
    line.promisedAtMs = line.nowMs;
    line.join('late', 'guild');
    expect(line.serve(2)).toContain('late');
  });

  it('gives a card the best place among its askers', () => {
    const line = new Line();
    line.join('eager', 'guild', 10);
    line.ask('wanted', 'eager', 'guild');
    line.ask('wanted', 'other', 'guild');
    expect(line.pendingLookups.get('wanted')?.payer.memberId).toBe('eager');
    line.serve();
    line.serve();
    expect(line.pendingLookups.get('wanted')).toBeUndefined();
  });

  it('is not helped by a friend who asks for the same cards: a newcomer waits for one turn of theirs', () => {
    const line = new Line();
    const storedCards = Array.from({ length: 55 }, (_, index) => `wanted ${index}`);
    for (const card of storedCards) line.ask(card, 'eager', 'guild');
    line.serve(19); // the burst
    for (const card of storedCards.slice(19)) line.ask(card, 'friend', undefined);
    line.join('newcomer', 'guild');
    expect(line.serve(2)).toContain('newcomer');
  });

  it('puts a card whose rank a joiner improves behind all that already wait at that rank', () => {
    const line = new Line();
    line.join('eager', 'guild', 3);
    line.ask('wanted', 'eager', 'guild');
    line.join('first', 'guild b');
    line.ask('wanted', 'friend', 'guild c');
    expect(line.serve(3)).toEqual(['eager', 'first', 'eager']);
    expect(line.pendingLookups.get('wanted')).toBeUndefined();
  });

  it('counts what a member joined like what they asked first', () => {
    const line = new Line();
    line.join('eager', 'guild', 10);
    for (let card = 0; card < 10; card++) line.ask(`card ${card}`, 'joiner', 'guild b');
    line.ask('one more', 'joiner', 'guild b');
    line.join('newcomer', 'guild c', 3);
    expect(line.serve(8).filter((member) => member === 'newcomer')).toHaveLength(3);
  });

  it('does not let the servers of one round count in the next', () => {
    const line = new Line();
    for (let member = 0; member < 50; member++) line.join(`contention ${member}`, 'large', 2);
    line.serve(51); // one each, and the first of the second ones
    line.join('late', 'small');
    expect(line.serve(2)).toContain('late');
  });

  it('is not overtaken by a burst that comes back into line, after a 429 say', () => {
    const line = new Line();
    line.join('eager', 'guild', 19);
    const underWay = Array.from({ length: 19 }, () => line.launch());
    line.join('late', 'guild');
    for (const pending of underWay) line.pendingLookups.comeBack(pending);
    expect(line.serve(2)).toContain('late');
  });

  it('stays when an overdue question goes before it', () => {
    const line = new Line();
    line.promisedAtMs = 2 * MINUTE_MS;
    line.join('eager', 'guild', 20);
    line.promisedAtMs = 1;
    line.ask('overdue', 'eager', 'guild');
    line.nowMs = 2 * MINUTE_MS;
    line.serve(); // the overdue one, which ranks behind twenty
    line.promisedAtMs = line.nowMs;
    line.join('late', 'guild b');
    expect(line.serve(2)).toContain('late');
  });
});

describe('what waits in another process', () => {
  const NOW = { members: { member: 0, guild: 0 }, renewals: { member: 0, guild: 0 } };
  const queuedAtMs = { lane: 'members' as const, rank: { member: 0, guild: 0 }, queuedAtMs: 1 };
  const owner = { memberId: 'owner', guildId: 'guild b' };
  const joiner = { memberId: 'joiner', guildId: 'guild' };

  it('counts for all who wait for it there, who joined it, too', () => {
    const line = new Line();
    line.pendingLookups.hear([
      { waiting: [{ ...queuedAtMs, payer: owner, requesters: [owner, joiner] }], served: NOW },
    ]);
    line.join('joiner', 'guild c');
    line.join('newcomer', 'guild d');
    expect(line.serve(2)).toEqual(['newcomer', 'joiner']);
  });

  it('is told with all who wait for it here', () => {
    const line = new Line();
    line.ask('wanted', 'owner', 'guild b');
    line.ask('wanted', 'joiner', 'guild');
    expect(line.pendingLookups.summary(line.nowMs).waiting).toMatchObject([
      { payer: owner, requesters: [owner, joiner] },
    ]);
  });
});

describe('whatever was asked and served before', () => {
  const members = ['a', 'b', 'c', 'd', 'e'];
  const guilds = ['g', 'h', undefined];
  type Asked = { member: string; guild: string | undefined; card: number };
  const requested: fc.Arbitrary<Asked> = fc.record({
    member: fc.constantFrom(...members),
    guild: fc.constantFrom(...guilds),
    card: fc.integer({ min: 0, max: 30 }),
  });
  const step = fc.oneof({ weight: 4, arbitrary: requested }, { weight: 1, arbitrary: fc.constant('serve' as const) });

  function lineAfter(steps: readonly (Asked | 'serve')[]): Line {
    const line = new Line();
    for (const one of steps) {
      if (one === 'serve') line.serve();
      else line.ask(`wanted ${one.card}`, one.member, one.guild);
    }
    return line;
  }

  it('each member delays a newcomer by one turn at most, and each Discord server does', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 80 }), (steps) => {
        const line = lineAfter(steps);
        const waiting = line.pendingLookups
          .waiting()
          .flatMap((pending) => pending.waiting.map(({ lookup }) => lookup.requester));
        const others = new Set(waiting.map(({ memberId }) => memberId));
        const servers = new Set(waiting.map(guildKey));
        line.join('newcomer', 'their own server');
        const permits = line.serve(1 + Math.min(others.size, servers.size));
        expect(permits).toContain('newcomer');
      }),
    );
  });

  it('who asks for what another waits for, in the same order, delays nobody by a turn more', () => {
    const run = fc.record({
      storedCards: fc.integer({ min: 1, max: 40 }),
      served: fc.nat(40),
      friends: fc.integer({ min: 1, max: 6 }),
    });
    fc.assert(
      fc.property(run, ({ storedCards, served, friends }) => {
        const line = new Line();
        line.join('eager', 'guild', storedCards);
        line.serve(Math.min(served, storedCards));
        for (let friend = 0; friend < friends; friend++) {
          for (let card = served; card < storedCards; card++) line.ask(`card ${card}`, `friend ${friend}`, undefined);
        }
        line.join('newcomer', 'guild');
        expect(line.serve(2)).toContain('newcomer');
      }),
    );
  });

  it('nobody starves: with newcomers for ever, all that waited have had their turn after twice as many turns', () => {
    fc.assert(
      fc.property(fc.array(requested, { maxLength: 40 }), (all) => {
        const line = lineAfter(all);
        const waited = line.pendingLookups.waiting();
        line.nowMs = 2 * MINUTE_MS;
        line.promisedAtMs = 10 * MINUTE_MS;
        for (let permit = 0; permit < 2 * waited.length; permit++) {
          line.join(`newcomer ${permit}`, 'guild');
          line.serve();
        }
        expect(line.pendingLookups.waiting().filter((pending) => waited.includes(pending))).toEqual([]);
      }),
    );
  });
});
