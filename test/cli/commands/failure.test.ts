import { RateLimitError } from 'discord.js';
import { expect, it } from 'vitest';
import { explainFailure } from '../../../src/cli/commands/failure.ts';

const CONTEXT = { guildId: undefined, apiUrl: 'https://discord.com/api', applicationId: '1' };

function limited(method: string): string | undefined {
  const data = { method, retryAfter: 90_000, timeToReset: 90_000 } as unknown as RateLimitError;
  return explainFailure(new RateLimitError(data), CONTEXT);
}

it('names the daily limit of new commands only where commands were sent', () => {
  expect(limited('PUT')).toMatch(/200 new commands a day\. Try again after .*Z\.$/);
  for (const method of ['GET', 'PATCH'])
    expect(limited(method)).toMatch(/^Discord asks to wait\. Try again after .*Z\.$/);
});
