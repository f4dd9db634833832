import { describe, expect, it } from 'vitest';
import { nextStep } from '../../../src/storage/redis/ownership.ts';

describe('nextStep of a deferred reply that was not completed at once', () => {
  it.each([
    { when: 'is pending in this process', owner: 'me', isPendingHere: true, step: 'wait' },
    { when: 'is pending here, but was taken over', owner: 'dead', isPendingHere: true, step: 'wait' },
    { when: 'was completed by this process', owner: 'me', isCompletedHere: true, step: 'remove' },
    { when: 'was completed here, but was taken over', owner: 'alive', isCompletedHere: true, step: 'remove' },
    { when: 'was taken over by this process, which missed it', owner: 'me', step: 'take over' },
    { when: 'has an owner that is alive', owner: 'alive', step: 'wait' },
    { when: 'has an owner that is gone', owner: 'dead', step: 'take over' },
    { when: 'was left to any other process', owner: null, step: 'take over' },
  ])('is to $step when it $when', ({ owner, isPendingHere = false, isCompletedHere = false, step }) => {
    const isGone = (id: string) => id === 'dead';
    expect(nextStep({ owner, self: 'me', isPendingHere, isCompletedHere, isGone })).toBe(step);
  });
});
