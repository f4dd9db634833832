import { expect, it } from 'vitest';
import { startWebhookServer } from '../operations/webhook-server.ts';
import { startAppBot } from '../support/app-bot.ts';
import { startBackends } from '../support/backends.ts';
import { startWorld } from '../support/world.ts';

it('what waits for a webhook that fails is told once by the next start, and over once a card came with the new key', async () => {
  const server = await startWebhookServer();
  const { discord, env } = await startBackends({}, { ALERT_WEBHOOK_URL: server.url });
  const card = (id: string) => discord.type({ command: 'card', options: { id } }).settled();
  server.answer = { status: 500 };
  const refused = await startAppBot({ ...env, CARD_SERVICE_API_KEY: 'a-wrong-key' });
  await refused.wrote('gateway ready');
  await card('base1-4');
  await refused.wrote('alerts cannot be sent');
  await refused.stop();
  expect(server.messages).toEqual([]);

  server.answer = { status: 204 };
  const mended = await startAppBot(env);
  await mended.wrote('gateway ready');
  await expect.poll(() => server.messages).toEqual([expect.stringContaining('refuses the API key')]);
  await card('base1-5');
  await expect.poll(() => server.messages[1]).toBe('✅ Over: the card service accepts the API key.');
  await mended.stop();
  expect(server.messages).toHaveLength(2);
});

it('a bot tells its operator of each step of the day, and leaves no trace of the webhook in the log', async () => {
  const { url, messages } = await startWebhookServer();
  const service = { requestsPerMinute: 6_000, burst: 40, requestsPerDay: 20 };
  const world = await startWorld({ service, env: { ALERT_WEBHOOK_URL: url, MEMBER_DAILY_REQUESTS: '0' } });
  for (let number = 1; number <= 20; number++) await world.card(`base1-${number}`).settled();

  await expect.poll(() => messages).toHaveLength(3);
  expect(messages.map((text) => /80 %|95 %|used up/.exec(text)?.[0])).toEqual(['80 %', '95 %', 'used up']);
  expect(JSON.stringify(world.lines)).not.toContain(url.split('/').at(-1));
});

it('a bot whose token is revoked tells its operator before it ends', async () => {
  const { url, messages } = await startWebhookServer();
  const world = await startWorld({ env: { ALERT_WEBHOOK_URL: url } });
  world.discord.revokeToken();
  await expect.poll(() => messages).toEqual([expect.stringContaining('Discord refuses the bot token')]);
});

it('a bot whose token is refused at its start tells its operator before it ends', async () => {
  const { url, messages } = await startWebhookServer();
  const { discord, env } = await startBackends({}, { ALERT_WEBHOOK_URL: url });
  discord.revokeToken();
  await startAppBot(env);
  await expect.poll(() => messages).toEqual([expect.stringContaining('Discord refuses the bot token')]);
});
