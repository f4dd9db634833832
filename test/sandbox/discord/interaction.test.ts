import { describe, expect, it } from 'vitest';
import type { Refusal } from '../../../sandbox/discord/api-error.ts';
import {
  acknowledge,
  DISCORD_LIFETIMES,
  type Phase,
  shown,
  webhookRefusal,
} from '../../../sandbox/discord/interaction.ts';

describe('the first answer', () => {
  it.each<[Phase, number, Phase | Refusal]>([
    ['sent', 0, 'answered'],
    ['sent', 3_000, 'answered'],
    ['sent', 3_001, 'unknownInteraction'],
    ['unanswered', 3_001, 'unknownInteraction'],
    ['thinking', 10, 'alreadyAcknowledged'],
    ['thinking', 10_000, 'alreadyAcknowledged'],
    ['answered', 10, 'alreadyAcknowledged'],
    ['deleted', 10, 'alreadyAcknowledged'],
    ['answered', 900_000, 'unknownInteraction'],
    ['expired', 900_000, 'unknownInteraction'],
  ])('to one that is %s after %i ms: %s', (phase, ageMs, expected) => {
    const outcome = acknowledge({ phase, typedAtMs: 1_000 }, 'reply', 1_000 + ageMs, DISCORD_LIFETIMES);
    expect(Object.values(outcome)).toEqual([expected]);
  });
});

it.each<[Phase, number, Refusal | undefined]>([
  ['sent', 10, 'unknownWebhook'],
  ['unanswered', 5_000, 'unknownWebhook'],
  ['thinking', 10, undefined],
  ['thinking', 899_999, undefined],
  ['thinking', 900_000, 'invalidWebhookToken'],
  ['expired', 900_000, 'invalidWebhookToken'],
  ['answered', 899_999, undefined],
  ['answered', 900_000, 'invalidWebhookToken'],
  ['deleted', 10, undefined],
])('a call of the webhook of one that is %s after %i ms: %s', (phase, ageMs, expected) => {
  expect(webhookRefusal({ phase, typedAtMs: 1_000 }, 1_000 + ageMs, DISCORD_LIFETIMES)).toBe(expected);
});

it.each([
  ['command', 'The application did not respond'],
  ['menu', 'The application did not respond'],
  ['component', 'This interaction failed'],
  ['modal', 'Something went wrong. Try again.'],
] as const)("a %s that was not answered in time fails with Discord's sentence", (trigger, failure) => {
  expect(shown('unanswered', trigger)).toEqual({ state: 'failed', failure });
});
