import { expect, it, vi } from 'vitest';
import { CommandRate } from '../../src/discord/interactions.ts';
import { TooManyCommands } from '../../src/model/errors.ts';
import { fakeTimers } from '../support/fake-timers.ts';

/** How many commands are counted before one is refused. */
function counted(rate: CommandRate, memberId: string): number {
  for (let commands = 0; commands < 1_000; commands++) {
    try {
      rate.count(memberId);
    } catch (error) {
      expect(error).toBeInstanceOf(TooManyCommands);
      return commands;
    }
  }
  return Number.POSITIVE_INFINITY;
}

it('240 commands a minute are taken of each member, and then four a second', () => {
  fakeTimers({ toFake: ['performance'] });
  const rate = new CommandRate();
  expect([counted(rate, 'alice'), counted(rate, 'bob')]).toEqual([240, 240]);
  vi.advanceTimersByTime(1_000);
  expect(counted(rate, 'alice')).toBe(4);
});

it('no command is refused because the clock was set back', () => {
  const rate = new CommandRate();
  rate.count('alice');
  fakeTimers({ toFake: ['Date'], now: Date.now() - 3_600_000 });
  expect(() => rate.count('alice')).not.toThrow();
});
