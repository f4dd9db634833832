import { expect } from 'vitest';
import { type AppBot, startAppBot } from '../support/app-bot.ts';
import { atOnce } from '../support/at-once.ts';
import { startBackends } from '../support/backends.ts';
import { startBotProcess } from '../support/bot-process.ts';
import { prepareAppBots, showsCard, startAppBots } from '../support/processes.ts';
import { startRedis } from '../support/redis.ts';
import { DRAKE, ENV, membersOf, pricedCards, untoldIn } from '../support/watched-prices.ts';
import { QUICK } from '../support/world.ts';

atOnce({
  'the next process after a SIGKILL notes what the last one had sent, and shows it no second time': async () => {
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
  },

  'a price that one process brings right after another has set the watch is told': async () => {
    const cards = pricedCards();
    const bots = await startAppBots({ redis: await startRedis(), service: { ...QUICK, cards }, env: ENV });
    const { priced, watches, told } = membersOf(bots.discord, cards);
    await priced(36);
    await watches();
    for (const card of cards) card.prices = { market: 29.5 };
    await showsCard(bots.card(1, DRAKE)); // it learns what others watch every 10 s
    await expect.poll(() => told().length).toBe(1);
  },

  'what a process over Redis leaves untold, another tells': async () => {
    const cards = pricedCards();
    const options = { redis: await startRedis(), service: { ...QUICK, cards }, env: ENV };
    const bots = await prepareAppBots(options);
    const [first] = (await Promise.all([bots.start(0), bots.start(1)])) as [AppBot, AppBot];
    const members = membersOf(bots.discord, cards);
    await members.priced(36);
    await members.watches();
    bots.discord.faults.script({ route: 'message', answer: 'hang' });
    await members.priced(29.5);
    await expect.poll(() => bots.discord.faults.met).toBe(1);
    await first.stop();
    await expect.poll(() => members.told().length).toBe(1); // the other one looks every 10 s
  },
});
