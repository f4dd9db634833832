import { expect, it } from 'vitest';
import { startWebhookServer } from '../operations/webhook-server.ts';
import { startWorld } from '../support/world.ts';

it('a bot tells its operator of a refused key once, however often it starts', async () => {
  const { url, messages } = await startWebhookServer();
  const world = await startWorld({ env: { ALERT_WEBHOOK_URL: url } });
  world.cardService.set({ keyRevoked: true });
  await world.card('base1-4').settled();
  await expect.poll(() => messages).toEqual([expect.stringContaining('refuses the API key')]);

  await world.restartBot();
  await world.card('base1-5').settled();
  await world.stopBot(); // which waits for what is being sent
  expect(messages).toHaveLength(1);
});

it('a bot tells its operator of each step of the day, and leaves no trace of the webhook in the log', async () => {
  const { url, messages } = await startWebhookServer();
  const service = { requestsPerMinute: 6_000, burst: 40, requestsPerDay: 20 };
  const world = await startWorld({ service, env: { ALERT_WEBHOOK_URL: url, MEMBER_DAILY_REQUESTS: '0' } });
  for (let number = 1; number <= 20; number++) await world.card(`base1-${number}`).settled();

  await expect.poll(() => messages).toHaveLength(3);
  expect(messages.map((text) => /80 %|95 %|spent\. Cards/.exec(text)?.[0])).toEqual(['80 %', '95 %', 'spent. Cards']);
  expect(JSON.stringify(world.lines)).not.toContain(url.split('/').at(-1));
});

it('a bot whose token is revoked tells its operator before it ends', async () => {
  const { url, messages } = await startWebhookServer();
  const world = await startWorld({ env: { ALERT_WEBHOOK_URL: url } });
  world.discord.revokeToken();
  await expect.poll(() => messages).toEqual([expect.stringContaining('Discord refuses the bot token')]);
});
