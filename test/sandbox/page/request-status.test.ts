import { expect, it } from 'vitest';
import { requestStatus } from '../../../sandbox/page/request-status.ts';

it.each([
  [200, 'yes', { text: '200', tone: 'good' }],
  [404, 'yes', { text: '404', tone: 'quiet' }],
  [429, 'yes', { text: '429', tone: 'bad' }],
  [0, 'yes', { text: 'none', tone: 'bad' }],
  [404, 'not yet', { text: '…', tone: 'quiet' }],
  [404, 'too late', { text: 'too late', tone: 'bad' }],
] as const)('lists %i, sent: %s, as %j: no status that was not sent', (status, sent, shown) => {
  expect(requestStatus({ status, sent })).toEqual(shown);
});
