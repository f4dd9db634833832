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
});

it('a bot tells its operator of each step of the day, and leaves no trace of the webhook in the log', async () => {
  const { url, messages } = await startWebhookServer();
  const service = { requestsPerMinute: 6_000, burst: 40, requestsPerDay: 20 };
  const world = await startWorld({ service, env: { ALERT_WEBHOOK_URL: url, MEMBER_DAILY_REQUESTS: '0' } });
  for (let number = 1; number <= 20; number++) await world.card(`base1-${number}`).settled();

  const steps = () => messages.flatMap((text) => /80 %|95 %|used up/.exec(text)?.[0] ?? []);
  await expect.poll(steps).toEqual(['80 %', '95 %', 'used up']);
  expect(JSON.stringify(world.lines)).not.toContain(url.split('/').at(-1));
});
