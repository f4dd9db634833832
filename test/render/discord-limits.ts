import { expect } from 'vitest';
import { readMessage } from '../../sandbox/discord/message-rules.ts';

/** Whether Discord takes it, by the rules of the emulated one, which are those of its specification and some more. */
export function expectAccepted(message: object): void {
  const json = JSON.stringify(message);
  readMessage(JSON.parse(json));
  expect(json.isWellFormed()).toBe(true);
}
