import { describe, expect, it } from 'vitest';
import { Stopping } from '../../src/errors.ts';
import type { Flight, Waiting } from '../../src/lookup/flight.ts';
import { Flights } from '../../src/lookup/flights.ts';
import type { Lane } from '../../src/quota/pacer.ts';

const MINUTE_MS = 60_000;

/** A line in which one question is served at each step. */
class Line {
  readonly flights = new Flights();
  nowMs = 0;
  promisedAtMs = 1;
  #cards = 0;

  join(memberId: string, guildId: string | undefined, questions = 1, lane: Lane = 'members'): void {
    for (let count = 0; count < questions; count++) this.ask(`card ${this.#cards++}`, memberId, guildId, lane);
  }

  ask(cardId: string, memberId: string, guildId: string | undefined, lane: Lane = 'members'): void {
    const question = { cardId, showPrices: true, lane, asker: { memberId, guildId }, deadlineMs: 0 };
    const waiting: Waiting = { question, resolve: () => {}, reject: () => {} };
    this.flights.add(waiting, this.promisedAtMs);
  }

  serve(turns = 1): string[] {
    return Array.from({ length: turns }, () => {
      const next = this.flights.next(this.nowMs);
      if (next) this.#land(next);
      return next?.payer.memberId ?? '';
    });
  }

  #land(flight: Flight): void {
    this.flights.launch(flight, this.nowMs);
    this.flights.refuse(flight, new Stopping());
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
    for (let member = 0; member < 200; member++) line.join(`crowd ${member}`, 'large');
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
    for (let member = 0; member < 20; member++) line.join(`crowd ${member}`, 'large');
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
    line.join('reader', 'guild', 2, 'background');
    line.ask('old card', 'reader', 'guild', 'background');
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
    line.nowMs = MINUTE_MS / 2;
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
    expect(line.flights.get('wanted')?.payer.memberId).toBe('eager');
    line.serve();
    line.serve();
    expect(line.flights.get('wanted')).toBeUndefined();
  });
});
