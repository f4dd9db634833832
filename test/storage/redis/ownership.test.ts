import { describe, expect, it } from 'vitest';
import { nextStep } from '../../../src/storage/redis/ownership.ts';

describe('a debt that was not paid at once', () => {
  it.each([
    { when: 'this process is paying it', home: 'me', owedHere: true, step: 'wait' },
    { when: 'this process is paying it, and another took it over', home: 'dead', owedHere: true, step: 'wait' },
    { when: 'this process has paid it', home: 'me', paidHere: true, step: 'strike' },
    { when: 'this process has paid it, and another took it over', home: 'alive', paidHere: true, step: 'strike' },
    { when: 'this process took it over and does not know', home: 'me', step: 'take over' },
    { when: 'its process is alive', home: 'alive', step: 'wait' },
    { when: 'its process is gone', home: 'dead', step: 'take over' },
    { when: 'its process left it to others', home: null, step: 'take over' },
  ])('$when: $step', ({ home, owedHere = false, paidHere = false, step }) => {
    expect(nextStep({ home, own: 'me', owedHere, paidHere, isGone: (id) => id === 'dead' })).toBe(step);
  });
});
