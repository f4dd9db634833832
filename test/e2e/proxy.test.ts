import { expect, it } from 'vitest';
import { startBackends } from '../support/backends.ts';
import { startBotProcess, startProgram } from '../support/bot-process.ts';
import { startForwardProxy } from '../support/forward-proxy.ts';

it('with NODE_USE_ENV_PROXY=1 the card service, Discord and its gateway are reached through the proxy', async () => {
  const [proxy, { discord, env }] = await Promise.all([startForwardProxy(), startBackends()]);
  const proxied = { ...env, NODE_USE_ENV_PROXY: '1', HTTP_PROXY: proxy.url, HTTPS_PROXY: proxy.url };
  const bot = startBotProcess(proxied);
  await bot.wrote('gateway ready');
  const { embeds } = await discord.type({ command: 'card', options: { id: 'base1-4' } }).settled();
  expect(embeds[0]?.title).toBe('Emberwing Drake');
  bot.child.kill('SIGTERM');
  expect(await bot.ended).toBe(0);

  const hosts = [env.CARD_SERVICE_URL, env.DISCORD_API_URL].map((url) => new URL(url ?? '').host);
  for (const host of hosts) expect(proxy.asked.some((each) => each.includes(host))).toBe(true);
  expect(proxy.asked.some((each) => each.startsWith('UPGRADE '))).toBe(true);

  proxy.asked.length = 0;
  const diff = startProgram([process.execPath, 'src/cli/main.ts', 'commands', 'diff'], { env: proxied });
  expect(await diff.ended).toBe(0);
  expect(proxy.asked.length).toBeGreaterThan(0);
});
