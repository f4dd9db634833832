import { expect, it } from 'vitest';
import { startBackends } from '../support/backends.ts';
import { startUnderNpm } from '../support/bot-process.ts';
import { finalAnswer } from '../support/world.ts';

/** Long enough for a request to be under way when the signal arrives. */
const SLOW_MS = 1_200;

it('Ctrl-C, which npm delivers twice within milliseconds, stops the bot with exit code 0 after the lookup in progress is answered', async () => {
  const { card, cardService, env } = await startBackends({ latencyMs: SLOW_MS });
  const npm = startUnderNpm(['start'], env);
  await npm.wrote('gateway ready');
  const typed = card('base1-4');
  await expect.poll(() => cardService.requests).toHaveLength(1);

  npm.ctrlC();

  expect(await finalAnswer(typed)).toBe('Emberwing Drake');
  expect(await npm.ended, npm.output()).toBe(0);
  expect(npm.output()).toContain('"msg":"stopped"');
  expect(cardService.requests).toHaveLength(1);
});
