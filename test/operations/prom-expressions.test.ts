import { expect, it } from 'vitest';
import { expressionProblems } from './prom-expressions.ts';

const SAMPLES = [
  { name: 'cardbot_quota_limit', labels: {}, value: 1 },
  { name: 'cardbot_rate_limits_total', labels: { kind: 'day' }, value: 0 },
  { name: 'cardbot_rate_limits_total', labels: { kind: 'pause' }, value: 0 },
];

it.each([
  'cardbot_quota_limit > 1',
  'sum by (job, kind) (rate(cardbot_rate_limits_total{job="$job",kind=~"day|pause"}[1h]))',
  'up{job="cardbot"} == 0',
])('%s reads what is exported', (expression) => {
  expect(expressionProblems(expression, SAMPLES)).toEqual([]);
});

it.each([
  ['cardbot_quota_limits > 1', 'cardbot_quota_limits'],
  ['summ(cardbot_quota_limit)', 'summ'],
  ['cardbot_rate_limits_total{kind="minute"}', 'cardbot_rate_limits_total{kind="minute"}'],
  ['cardbot_rate_limits_total{kind=~"day|minute"}', 'cardbot_rate_limits_total{kind="minute"}'],
  ['sum by (kinds) (cardbot_rate_limits_total)', 'kinds'],
  ['sum by (kind) (cardbot_quota_limit)', 'kind'],
  ['sum(cardbot_quota_limit', 'parentheses'],
])('%s does not: %s', (expression, problem) => {
  expect(expressionProblems(expression, SAMPLES)).toEqual([`${problem}: ${expression}`]);
});
