import { expect, it } from 'vitest';
import { statedPolicies } from '../../src/service/stated-policies.ts';

/** Such as `hour 100, 40 left, 30 s`. */
function stated(headers: Record<string, string>): string[] {
  return statedPolicies(new Headers(headers), 0, 0).map(({ per, limit, remaining, resetInMs }) => {
    const left = remaining === undefined ? [] : [`${remaining} left`, `${(resetInMs ?? 0) / 1000} s`];
    return [`${per} ${limit}`, ...left].join(', ');
  });
}

it.each<[string, Record<string, string>, string[]]>([
  [
    'three headers',
    { 'RateLimit-Limit': '10, 10;w=60', 'RateLimit-Remaining': '4', 'RateLimit-Reset': '30' },
    ['minute 10, 4 left, 30 s'],
  ],
  [
    'three headers beside a policy (draft 6)',
    { 'RateLimit-Policy': '10;w=60', 'RateLimit-Limit': '10', 'RateLimit-Remaining': '4', 'RateLimit-Reset': '30' },
    ['minute 10, 4 left, 30 s'],
  ],
  [
    'a dictionary (draft 7)',
    { 'RateLimit-Policy': '100;w=3600', RateLimit: 'limit=100, remaining=40, reset=30' },
    ['hour 100, 40 left, 30 s'],
  ],
  [
    'items (draft 8 and later)',
    { 'RateLimit-Policy': '"default";q=100;w=86400', RateLimit: '"default";r=40;t=30' },
    ['day 100, 40 left, 30 s'],
  ],
  [
    'several policies, each with its figures',
    { 'RateLimit-Policy': '"burst";q=10;w=60, "month";q=1000;w=2592000', RateLimit: '"month";r=900;t=86400' },
    ['minute 10', 'month 1000, 900 left, 86400 s'],
  ],
  ['a month of 28 days', { 'RateLimit-Policy': '1000;w=2419200' }, ['month 1000']],
  ['a month of 31 days', { 'RateLimit-Policy': '1000;w=2678400' }, ['month 1000']],
  [
    'a limit of which all is left',
    { 'RateLimit-Policy': '10;w=60', RateLimit: 'limit=10, remaining=10, reset=30' },
    ['minute 10, 10 left, 30 s'],
  ],
  [
    'a policy without figures that are half stated',
    { 'RateLimit-Policy': '10;w=60', RateLimit: 'limit=10, remaining=4' },
    ['minute 10'],
  ],
  [
    'a policy without figures that are none',
    { 'RateLimit-Policy': '"x";q=10;w=60', RateLimit: '"x";r=few;t=30' },
    ['minute 10'],
  ],
  ['a policy alone', { 'RateLimit-Policy': '"x";q=10;w=60;pk=:cHNsLi4uCg==:' }, ['minute 10']],
])('reads %s', (_, headers, windows) => {
  expect(stated(headers)).toEqual(windows);
});

it.each<[string, Record<string, string>]>([
  ['a window that no service counts by', { 'RateLimit-Policy': '10;w=7' }],
  ['a window shorter than a month', { 'RateLimit-Policy': '10;w=2419199' }],
  ['a window longer than a month', { 'RateLimit-Policy': '10;w=2678401' }],
  ['two that contradict each other', { 'RateLimit-Policy': '10;w=60, 20;w=60' }],
  ['more left than there is', { 'RateLimit-Policy': '10;w=60', RateLimit: 'limit=10, remaining=40, reset=30' }],
  ['figures of another limit', { 'RateLimit-Policy': '10;w=60', RateLimit: 'limit=90, remaining=4, reset=30' }],
  ['a limit without a window', { 'RateLimit-Limit': '10', 'RateLimit-Remaining': '4', 'RateLimit-Reset': '30' }],
  ['a limit of 0', { 'RateLimit-Policy': '"x";q=0;w=60' }],
  ['nonsense', { 'RateLimit-Policy': '";;,=,q', RateLimit: ',,;r=x' }],
  ['figures alone', { RateLimit: '"default";r=40;t=30' }],
])('leaves out %s', (_, headers) => {
  expect(stated(headers)).toEqual([]);
});
