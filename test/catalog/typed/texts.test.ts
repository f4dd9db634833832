import { describe, expect, it } from 'vitest';
import { isMeant } from './texts.ts';

const CARD = { id: 'smp-SM210', name: 'Sink Below (Red)', set: 'Welcome to Rathe', number: 'WTR215' };

describe('what a typed text means', () => {
  it.each(['Sink*', 'Snatch | Sink Below @ Welcome*', '# WTR215', '# smp-SM210'])(
    '%s is a card with this name, set, number or id',
    (meant) => expect(isMeant(meant)(CARD)).toBe(true),
  );

  it.each(['Sink', 'Below', 'Sink Below @ Welcome', 'Snatch @ Welcome to Rathe', 'Sink Below # WTR21', '# SM210'])(
    '%s is none with another',
    (meant) => expect(isMeant(meant)(CARD)).toBe(false),
  );
});
