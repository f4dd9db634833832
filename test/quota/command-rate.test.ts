import { describe, expect, it } from 'vitest';
import { TooManyCommands } from '../../src/model/errors.ts';
import { CommandRate } from '../../src/quota/command-rate.ts';

describe('the rate of commands', () => {
  const NOW_MS = 1_000_000;

  function counted(rate: CommandRate, memberId: string, nowMs: number): number {
    for (let commands = 0; ; commands++) {
      try {
        rate.count(memberId, nowMs);
      } catch (error) {
        expect(error).toBeInstanceOf(TooManyCommands);
        return commands;
      }
    }
  }

  it('is 240 a minute for each member, and then four a second', () => {
    const rate = new CommandRate();
    expect([counted(rate, 'alice', NOW_MS), counted(rate, 'bob', NOW_MS)]).toEqual([240, 240]);
    expect(counted(rate, 'alice', NOW_MS + 1_000)).toBe(4);
  });

  it('recovers at once after a clock is set back', () => {
    const rate = new CommandRate();
    counted(rate, 'alice', NOW_MS + 86_400_000);
    counted(rate, 'alice', NOW_MS);
    expect(counted(rate, 'alice', NOW_MS + 1_000)).toBe(4);
  });
});
