import { describe, expect, it } from 'vitest';
import { cardsMeant, completing, partsOf } from '../../commands/cards-parts.ts';
import type { Resolution } from '../../src/catalog/catalog.ts';

describe('a list of cards', () => {
  it.each([
    ['base1-4', ['base1-4']],
    [' base1-4 , base1-5;x\n\r\ny', ['base1-4', 'base1-5', 'x', 'y']],
    ['a,a, a', ['a']],
    [' ,;\n', []],
  ])('%j has the parts %j', (text, parts) => {
    expect(partsOf(text)).toEqual(parts);
  });

  it.each([
    ['wi', { before: '', last: 'wi' }],
    ['a, b;  wi', { before: 'a, b;  ', last: 'wi' }],
    ['a,', { before: 'a,', last: '' }],
    ['', { before: '', last: '' }],
  ])('%j is completed at its last part', (typed, parts) => {
    expect(completing(typed)).toEqual(parts);
  });

  const drake = { id: 'd-1', name: 'Drake' };
  const MEANT: Record<string, Resolution> = {
    drake: { kind: 'one', card: drake },
    'drake · base': { kind: 'several', cards: [drake] },
    gull: { kind: 'several', cards: [drake, { id: 'g-1', name: 'Gull' }] },
    'a-1': { kind: 'id' },
    'a-2': { kind: 'id' },
  };
  const catalog = { resolve: async (text: string) => MEANT[text] ?? ({ kind: 'none', similar: [] } as const) };

  it.each([
    [['a-1', 'drake', 'drake · base'], { ids: ['a-1', 'd-1'], unclear: [] }],
    [['a-1 a-2'], { ids: ['a-1', 'a-2'], unclear: [] }],
    [['a-1 drake', 'gull', '..'], { ids: [], unclear: ['a-1 drake', 'gull', '..'] }],
  ])('%j means %j', async (parts, meant) => {
    expect(await cardsMeant(parts, { memberId: 'alice', guildId: undefined }, catalog)).toEqual(meant);
  });

  it('has the ids between its blanks also while every text may be an id', async () => {
    const known = ['base 1'];
    const young = {
      resolve: async (text: string) =>
        known.includes(text) ? ({ kind: 'id', isKnown: true } as const) : ({ kind: 'id' } as const),
    };
    const meant = await cardsMeant(
      ['base1-4 base1-5', 'base 1', 'Emberwing Drake'],
      { memberId: 'alice', guildId: undefined },
      young,
    );
    expect(meant).toEqual({ ids: ['base1-4', 'base1-5', 'base 1', 'Emberwing Drake'], unclear: [] });
  });

  it('has its last part also when others are the same card in other spellings', async () => {
    const others = Array.from({ length: 9 }, (_, at) => `a${at + 1}`);
    const spelled = {
      resolve: async (text: string) =>
        /^base1.4$/i.test(text)
          ? ({ kind: 'one', card: { id: 'base1-4', name: 'Emberwing Drake' } } as const)
          : ({ kind: 'id' } as const),
    };
    const parts = ['base1-4', 'BASE1-4', 'base1 4', ...others];
    const meant = await cardsMeant(parts, { memberId: 'alice', guildId: undefined }, spelled);
    expect(meant).toEqual({ ids: ['base1-4', ...others], unclear: [] });
  });
});
