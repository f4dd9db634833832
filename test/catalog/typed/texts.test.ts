import { describe, expect, it } from 'vitest';
import { HELD_OUT, isMeant, LISTS, typedTexts } from './texts.ts';

const CARD = { id: 'smp-SM210', name: 'Sink Below (Red)', set: 'Welcome to Rathe', number: 'WTR215' };

describe('what a typed text means', () => {
  it.each([
    'Sink Below',
    'Sink*',
    'Sink Below @ Welcome to Rathe',
    'Snatch | Sink Below @ Welcome*',
    'Sink Below # WTR215',
    '# WTR215',
    '# smp-SM210',
    'Sink* # WTR*',
  ])('%s is a card with this name, set, number or id', (meant) => expect(isMeant(meant)(CARD)).toBe(true));

  it.each(['Sink', 'Below', 'Sink Below @ Welcome', 'Snatch @ Welcome to Rathe', 'Sink Below # WTR21', '# SM210'])(
    '%s is none with another',
    (meant) => expect(isMeant(meant)(CARD)).toBe(false),
  );
});

describe('what the search may be tuned by', () => {
  it.each(LISTS)('%s: about half of the texts', (list) => {
    const texts = typedTexts(list);
    const share = texts.filter(({ isTuning }) => isTuning).length / texts.length;
    expect(share).toBeGreaterThan(0.4);
    expect(share).toBeLessThan(0.6);
  });

  it.each(HELD_OUT)('%s, which is held out: none', (list) =>
    expect(typedTexts(list).filter(({ isTuning }) => isTuning)).toEqual([]),
  );
});
