import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect } from 'vitest';
import type { EmulatedDiscord } from '../../sandbox/discord/emulated-discord.ts';
import type { ScriptedFault } from '../../sandbox/discord/faults.ts';
import { SAMPLE_CARDS, type ServiceCard } from '../../sandbox/sample-cards.ts';
import { type AppBot, startAppBot } from '../support/app-bot.ts';
import { atOnce } from '../support/at-once.ts';
import { startBackends } from '../support/backends.ts';
import { startBotProcess } from '../support/bot-process.ts';
import { labels, press } from '../support/buttons.ts';
import { rateLimited, refused, serverError } from '../support/fault-forms.ts';
import { prepareAppBots, showsCard, startAppBots } from '../support/processes.ts';
import { startRedis } from '../support/redis.ts';
import { QUICK, startWorld } from '../support/world.ts';

const DRAKE = 'base1-4';
const OTHER = 'base1-2';
/** Each lookup asks the service. */
const ENV = { PRICES_FRESH_SECONDS: '0' };

/** Two cards for 36.00. */
function pricedCards(): ServiceCard[] {
  const cards = SAMPLE_CARDS.filter(({ id }) => id === DRAKE || id === OTHER);
  return cards.map((card) => ({ ...card, prices: { market: 36 } }));
}

/** What members do: the first watches, the second looks up. */
function membersOf(discord: EmulatedDiscord, cards: readonly ServiceCard[]) {
  const [alice = '', bob = ''] = discord.members.map(({ id }) => id);
  return {
    alice,
    /** The service has a new price, and a lookup brings it. */
    async priced(market: number) {
      const card = cards.find(({ id }) => id === DRAKE);
      if (card?.prices) card.prices.market = market;
      const typed = discord.type({ command: 'card', options: { id: DRAKE }, memberId: bob });
      const shown = `**${market.toFixed(2)}**`;
      await typed.until(({ embeds }) => JSON.stringify(embeds).replaceAll(',', '.').includes(shown));
    },
    async watches() {
      const set = discord.type({ command: 'watch', options: { card: DRAKE, below: 30 }, memberId: alice });
      expect((await set.settled()).content).toContain('is at 30.00 or below');
    },
    told: () => discord.messages().filter(({ trigger }) => trigger === 'message'),
  };
}

async function watchedWorld() {
  const cards = pricedCards();
  const world = await startWorld({ service: { ...QUICK, cards }, env: ENV });
  const members = membersOf(world.discord, cards);
  await members.priced(36);
  await members.watches();
  return { ...world, ...members };
}

atOnce({
  'a member is told of each crossing by one message, whose buttons work': async () => {
    const world = await watchedWorld();
    await world.priced(29.5);
    await expect.poll(world.told).toHaveLength(1);
    for (const market of [29, 31, 30.004]) await world.priced(market); // the last is shown as 30.00
    await expect.poll(world.told).toHaveLength(2);
    await world.restartBot();
    await world.priced(28);
    await world.stopBot();

    const [first, ...others] = world.told();
    expect(others.map(({ content }) => content)).toEqual(['**Emberwing Drake** has reached your target of 30.00.']);
    if (!first) throw new Error('no message');
    const { content, member, guildId, context } = first;
    expect([content, member.id]).toEqual(['**Emberwing Drake** is at 29.50, below your target of 30.00.', world.alice]);
    expect([guildId, context, labels(first)]).toEqual([null, 1, ['Show Emberwing Drake', 'Stop watching']]);
    await world.restartBot();
    const shown = await press(world, first, 'Show Emberwing Drake').settled();
    expect(shown).toMatchObject({ ephemeral: true, embeds: [{ title: 'Emberwing Drake' }] });
    expect((await press(world, first, 'Stop watching').settled()).content).toContain('Done');
  },

  'who takes no messages is told once below the answer to a command, deferred or not, once Discord accepts that':
    async () => {
      const world = await watchedWorld();
      world.discord.takesMessages(world.alice, false);
      await world.priced(29.5);
      await expect.poll(() => world.lines.map(({ msg }) => msg)).toContain('discord refuses a message to a member');
      const refusals = () => world.lines.filter(({ msg }) => String(msg).startsWith('a message below a reply'));
      world.discord.faults.script(refused('follow-up', 'invalidWebhookToken'));
      await world.usage().settled();
      await expect.poll(refusals).toHaveLength(1);

      world.cardService.set({ latencyMs: 2_500 });
      const deferred = world.card(OTHER);
      const { embeds, followUps = [] } = await deferred.until((message) => (message.followUps ?? []).length > 0);
      expect(deferred.history.map(({ state }) => state)).toContain('thinking');
      expect([embeds.length, followUps]).toMatchObject([1, [{ ephemeral: true, embeds: [] }]]);
      expect(followUps[0]?.content).toMatch(
        /^I couldn't DM .*\n\*\*Emberwing Drake\*\* was at 29\.50, below your target of 30\.00 · <t:/,
      );
      const last = world.usage();
      await last.settled();
      await world.stopBot();
      expect([last.message.followUps, world.told()]).toEqual([undefined, []]);
    },

  'a message below a reply whose confirmation is lost is sent once, and once more by the next command, which says so':
    async () => {
      const world = await watchedWorld();
      world.discord.takesMessages(world.alice, false);
      await world.priced(29.5);
      await expect.poll(() => world.lines.map(({ msg }) => msg)).toContain('discord refuses a message to a member');
      world.discord.faults.script({ route: 'follow-up', answer: 'lose answer' });
      const [first, second, third] = [world.usage(), world.usage, world.usage];
      await expect.poll(() => first.message.followUps).toHaveLength(1);
      await expect.poll(() => world.lines.map(({ msg }) => msg)).toContain('a message below a reply cannot be sent');
      const again = await second().until(({ followUps = [] }) => followUps.length > 0);
      const last = third();
      await last.settled();
      await world.stopBot();
      expect(first.message.followUps?.map(({ content }) => content)).toEqual([expect.stringMatching(/^I couldn't DM/)]);
      expect(again.followUps?.map(({ content }) => content)).toEqual([
        expect.stringMatching(/^You may have seen this already:\n\*\*Emberwing Drake\*\* was at 29\.50/),
      ]);
      expect(last.message.followUps).toBeUndefined();
    },

  'a message is sent again until Discord takes it, and shown once': async () => {
    async function told(...faults: ScriptedFault[]): Promise<void> {
      const world = await watchedWorld();
      world.discord.faults.script(...faults);
      await world.priced(29.5);
      await expect.poll(() => [world.told().length, world.discord.faults.pending]).toEqual([1, 0]);
      await world.restartBot();
      await world.stopBot();
      expect([world.told().length, untoldIn(world.config.dataDir)]).toEqual([1, []]);
    }
    await Promise.all([
      told(refused('dm', 'openingTooFast'), serverError('dm', { times: 4 })), // discord.js itself tries four times
      told(refused('message', 'unauthorized')),
      told({ route: 'message', answer: 'lose answer' }, rateLimited({ route: 'message', retryAfterSeconds: 1 })),
    ]);
  },

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

function untoldIn(dataDir: string): unknown[] {
  using database = new DatabaseSync(join(dataDir, 'state.sqlite'), { readOnly: true });
  return database.prepare('SELECT id FROM watched_prices WHERE is_untold = 1').all();
}
