import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Autocompletions } from '../../../sandbox/discord/autocompletions.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const ACK_MS = 3_000; // interactions/receiving-and-responding, "Interaction callback"

it('fails after three seconds, and is unknown from then on', async () => {
  const autocompletions = new Autocompletions();
  const { token, choices } = autocompletions.start('1', 'de', ACK_MS);
  const failed = expect(choices).rejects.toThrow('Loading options failed');
  await vi.advanceTimersByTimeAsync(ACK_MS - 1);
  expect(autocompletions.find('1', token)).toBeDefined();
  await vi.advanceTimersByTimeAsync(1);

  await failed;
  expect(autocompletions.find('1', token)).toBeUndefined();
});
