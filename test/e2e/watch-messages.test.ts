import { expect, it } from 'vitest';
import { startAppBot, startBackends } from '../support/backends.ts';
import { startBotProcess } from '../support/bot-process.ts';
import { ENV, membersOf, pricedCards, untoldIn } from '../support/watched-prices.ts';
import { QUICK } from '../support/world.ts';

it('the next process after a SIGKILL notes what the last one had sent, and shows it no second time', async () => {
  const cards = pricedCards();
  const { discord, env } = await startBackends({ ...QUICK, cards }, ENV);
  const members = membersOf(discord, cards);
  const killed = startBotProcess(env);
  await discord.gateway.whenReady();
  await members.priced(36);
  await members.watches();
  const stopWatching = discord.onMessage(({ trigger }) => trigger === 'message' && killed.child.kill('SIGKILL'));
  await members.priced(29.5).catch(() => {}); // it may be killed before it has shown the price
  await killed.ended;
  stopWatching();
  expect(untoldIn(env.DATA_DIR)).toHaveLength(1);

  const next = await startAppBot(env);
  const sent = () => discord.requests.filter(({ path }) => path.endsWith('/messages')).length;
  await expect.poll(sent).toBe(2);
  await next.stop();
  expect([members.told().length, untoldIn(env.DATA_DIR)]).toEqual([1, []]);
});
