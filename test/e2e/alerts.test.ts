import { expect, it } from 'vitest';
import { startWebhookServer } from '../operations/webhook-server.ts';
import { startAppBot, startBackends } from '../support/backends.ts';
import { startWorld } from '../support/world.ts';

it('a bot whose token is revoked tells its operator before it ends', async () => {
  const { url, messages } = await startWebhookServer();
  const world = await startWorld({ env: { ALERT_WEBHOOK_URL: url } });
  world.discord.revokeToken();
  await expect.poll(() => messages).toContainEqual(expect.stringContaining('Discord refuses the bot token'));
});

it('a bot whose token is refused at its start tells its operator before it ends', async () => {
  const { url, messages } = await startWebhookServer();
  const { discord, env } = await startBackends({}, { ALERT_WEBHOOK_URL: url });
  discord.revokeToken();
  const bot = await startAppBot(env);
  await expect.poll(() => messages).toContainEqual(expect.stringContaining('Discord refuses the bot token'));
  await bot.stop();
});
