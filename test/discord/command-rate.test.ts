import { expect, it } from 'vitest';
import { CommandRate } from '../../src/discord/interactions.ts';
import { TooManyCommands } from '../../src/model/errors.ts';
import { fakeTimers } from '../support/fake-timers.ts';

const NOW_MS = 1_000_000;

/** How many commands are counted before one is refused. */
function counted(rate: CommandRate, memberId: string, nowMs: number): number {
  for (let commands = 0; commands < 1_000; commands++) {
    try {
      rate.count(memberId, nowMs);
    } catch (error) {
      expect(error).toBeInstanceOf(TooManyCommands);
      return commands;
    }
  }
  return Number.POSITIVE_INFINITY;
}

it('240 commands a minute are taken of each member, and then four a second', () => {
  const rate = new CommandRate();
  expect([counted(rate, 'alice', NOW_MS), counted(rate, 'bob', NOW_MS)]).toEqual([240, 240]);
  expect(counted(rate, 'alice', NOW_MS + 1_000)).toBe(4);
});

it('no command is refused because the clock was set back', () => {
  const rate = new CommandRate();
  rate.count('alice');
  fakeTimers({ toFake: ['Date'], now: Date.now() - 3_600_000 });
  expect(() => rate.count('alice')).not.toThrow();
});
