import { expect, it } from 'vitest';
import { startWebhookServer } from '../operations/webhook-server.ts';
import { startWorld } from '../support/world.ts';

it('a bot tells its operator in the words of its log that the key is refused, and once it is not; no id leaves it', async () => {
  const { url, messages } = await startWebhookServer();
  const world = await startWorld({ env: { ALERT_WEBHOOK_URL: url } });
  world.cardService.script({ status: 401, body: { _tag: 'Unauthorized', message: 'unknown key' } });
  await world.card('base1-4').settled();
  await world.pass(61_000);
  await world.card('base1-5').settled();
  await expect.poll(() => messages.at(-1)).toBe('requests are sent again');
  expect(messages).toContainEqual(expect.stringMatching(/refuses the API key.+CARD_SERVICE_API_KEY/));
  expect(messages.join()).not.toMatch(/base1|\d{17}/);
  expect(JSON.stringify(world.lines)).not.toContain(url.split('/').at(-1)); // nor does its address stand in the log
});
