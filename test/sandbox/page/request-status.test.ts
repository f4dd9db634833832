import { expect, it } from 'vitest';
import { requestStatus } from '../../../src/sandbox/page/request-status.ts';

it.each([
  [
    { status: 200, sent: 'yes' },
    { text: '200', tone: 'good' },
  ],
  [
    { status: 404, sent: 'yes' },
    { text: '404', tone: 'quiet' },
  ],
  [
    { status: 429, sent: 'yes' },
    { text: '429', tone: 'bad' },
  ],
  [
    { status: 0, sent: 'yes' },
    { text: 'none', tone: 'bad' },
  ],
  [
    { status: 404, sent: 'not yet' },
    { text: '…', tone: 'quiet' },
  ],
  [
    { status: 404, sent: 'too late' },
    { text: 'too late', tone: 'bad' },
  ],
] as const)('lists %j as %j: no status that was not sent', (seen, shown) => {
  expect(requestStatus(seen)).toEqual(shown);
});
