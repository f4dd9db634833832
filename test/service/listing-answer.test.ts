import { describe, expect, it } from 'vitest';
import { CardReader } from '../../src/service/described-card.ts';
import { listedCards } from '../../src/service/listing-format.ts';
import { described } from '../support/described.ts';
import { table } from '../table.ts';

const READER = new CardReader(described());

const card = (id: string, more: object = {}) => ({
  id,
  name: `Card ${id}`,
  tcg: 'T',
  set: { id: 's', name: 'S' },
  ...more,
});
const { id: _, ...WITHOUT_ID } = card('a');
const CARDS: Record<string, object> = {
  ...{ A: card('a'), B: card('b'), C: card('c'), D: card('d'), WITHOUT_ID },
  ...{ BROKEN: card('a', { name: [7] }), IN_CAPITALS: card('A', { name: 'Card a' }) },
};

/** A body as JSON, in which the names of cards stand for them. */
function bodyOf(text = ''): unknown {
  return JSON.parse(text.replaceAll(/(?<!")\b[A-Z_]+\b/g, (name) => JSON.stringify(CARDS[name])));
}

/** Of each id that was found, the name of its card. */
function names(body: unknown, ids = ['a', 'b']): Record<string, string> | undefined {
  const cards = listedCards(body, ids, READER);
  return cards && Object.fromEntries([...cards].map(([id, card]) => [id, card === 'noSuchCard' ? card : card.name]));
}

const BOTH = { a: 'Card a', b: 'Card b' };

describe('a list of cards', () => {
  it.each(table`
    a bare array | [A, B]
    an array under data | {"data": [A, B], "total": 2}
    an array under cards | {"cards": [A, B]}
    an array under items | {"items": [A, B], "data": null}
    an array under results | {"results": [A, B], "data": {"pages": 1}}
    an object keyed by id | {"a": A, "b": B}
    an object keyed by id, whose cards do not repeat it | {"a": WITHOUT_ID, "b": B}
    an object keyed by id in capitals | {"A": A, "B": B}
    an object keyed by id, whose cards have each other's | {"a": B, "b": A}
    another order | [B, A]
    repeated cards | [A, A, B, B, A]
    a repeated card that is broken once | [BROKEN, A, B]
    cards nobody asked for | [C, A, D, B]
    ids in another case | [IN_CAPITALS, B]
    a place for what was not found | [A, null, B]
  `)('is read from %s: %s', (_, body) => {
    expect(names(bodyOf(body))).toEqual(BOTH);
  });

  it.each(table`
    that has one broken card | [BROKEN, B] | b
    keyed by id that has one broken card | {"a": "Card a", "b": B} | b
    that has no card for one id | {"data": [B]} | b
    keyed by id with nothing for one | {"a": null, "b": B} | b
    keyed by id with nothing for any | {"a": null, "b": null} |
    that is empty | [] |
    under data that is empty | {"data": []} |
    keyed by id that is empty | {} |
    keyed by id whose cards have other ids | {"a": C, "b": B} | b
    keyed by id whose only card has another id | {"a": C} |
    of the one broken card that was found | [BROKEN] |
    of strangers | [C] |
  `)('%s leaves out what it does not bring: %s', (_, body, found) => {
    expect(names(bodyOf(body))).toEqual(found ? { b: 'Card b' } : {});
  });

  it('with the same id in two cases answers for each by its own, and for a third by neither', () => {
    expect(names([card('ab'), card('AB')], ['AB', 'ab', 'Ab'])).toEqual({ AB: 'Card AB', ab: 'Card ab' });
    expect(names([card('ab'), card('AB')], ['Ab', 'b'])).toEqual({});
    expect(names([card('ab')], ['ab', 'AB'])).toEqual({ ab: 'Card ab' });
    expect(names([card('aB')], ['ab', 'AB'])).toEqual({ ab: 'Card aB', AB: 'Card aB' });
  });

  it.each(table`
    text | "a, b"
    nothing | null
    a number | 2
    an error with status 200 | {"error": "not found"}
    a list of ids | ["a", "b"]
    a list of something else | [{"id": "a"}, {"id": "b"}]
    two lists | {"data": [A], "cards": [B]}
    an object of other keys | {"total": 2, "found": {}}
  `)('is not %s: %s', (_, body) => {
    expect(names(bodyOf(body))).toBeUndefined();
  });

  it('is not an answer without any body', () => {
    expect(names(undefined)).toBeUndefined();
  });

  it('may hold ids that are names of every object', () => {
    const found = names(bodyOf('{"__proto__": WITHOUT_ID, "b": B}'), ['__proto__', 'constructor', 'b']);
    expect(found).toEqual(JSON.parse('{"__proto__": "Card a", "b": "Card b"}'));
  });
});
