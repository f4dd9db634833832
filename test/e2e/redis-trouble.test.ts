import { createClient } from 'redis';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { BotProcess } from '../support/bot-process.ts';
import { finalAnswers } from '../support/final-answers.ts';
import { askedIds, hasCard, logOf, startFleet, type TestFleet } from '../support/fleet.ts';
import { WARN } from '../support/log-lines.ts';
import { noRealRedis } from '../support/redis/no-real-redis.ts';
import type { RealServer } from '../support/redis/real-server.ts';
import { startRealRedis } from '../support/redis.ts';
import { secretsIn } from '../support/secret-forms.ts';
import { type SlowRelay, startSlowRelay } from '../support/slow-relay.ts';
import { whenOver } from '../support/when-over.ts';

const CARDS = Array.from({ length: 2_000 }, (_, number) => {
  return { id: `card-${number}`, name: `Card ${number}`, tcg: 'trial', set: { id: 'all', name: 'All' } };
});
// The service allows a little more at once than the bots are told, because a busy machine delivers late and bunched;
// two whole bursts would still be too much.
const FAST = { requestsPerMinute: 1_200, burst: 28, requestsPerDay: 10_000, cards: CARDS };
const BOTS_BURST = { CARD_SERVICE_BURST: '20' };
/** 2 s are promised; a busy machine may take twice as long. */
const BACK = { timeout: 4_000 };
const TEST = { timeout: 40_000 };
const PASSWORD = 'p@ss/wörd "with" everything';
const AWAY = 'redis is away: this process goes on alone, with its share of the plan';
const IS_BACK = 'redis is back';

const ids = CARDS.map(({ id }) => id).values();

/** A card that no test has asked for yet. */
function newCard(): string {
  const { value } = ids.next();
  if (value === undefined) throw new Error('all cards have been asked for');
  return value;
}

function times(fleet: TestFleet, id: string): number {
  return askedIds(fleet).filter((asked) => asked === id).length;
}

/** One card fetched by the first process is then known to the second. */
async function isShared(fleet: TestFleet): Promise<boolean> {
  const id = newCard();
  for (const shard of [0, 1]) await fleet.card(shard, id).until(hasCard, 10_000);
  return times(fleet, id) === 1;
}

/** Cards of each process's own, at once: answered once each, for one request each, and together within the plan. */
async function expectAnswered(fleet: TestFleet, cardsEach = 18): Promise<void> {
  const cards = [0, 1].flatMap((shard) => Array.from({ length: cardsEach }, () => ({ shard, id: newCard() })));
  const typed = cards.map(({ shard, id }) => fleet.card(shard, id));
  await Promise.all(typed.map((one) => one.until(hasCard, 10_000)));
  expect(cards.map(({ id }) => times(fleet, id))).toEqual(cards.map(() => 1));
  expect(typed.map(finalAnswers)).toEqual(typed.map(() => 1));
  expect(fleet.cardService.counts.byStatus[429]).toBeUndefined();
}

/** A card in the memory of both is answered at once, for nothing. */
async function expectRemembered(fleet: TestFleet, id: string): Promise<void> {
  const before = fleet.cardService.counts.total;
  const typed = [0, 1].map((shard) => fleet.card(shard, id));
  await Promise.all(typed.map((one) => one.until(hasCard)));
  expect(typed.flatMap(({ history }) => history.map(({ state }) => state))).not.toContain('thinking');
  expect(fleet.cardService.counts.total).toBe(before);
}

function said(bot: BotProcess, msg: string): number {
  return logOf(bot).filter((line) => line.msg === msg).length;
}

/** Warnings and errors about anything but Redis being away, and secrets. */
function complaints({ bots, env }: TestFleet): unknown[] {
  const lines = bots.flatMap((bot) => logOf(bot).filter(({ level, msg }) => Number(level) >= WARN && msg !== AWAY));
  const text = bots.map(({ output }) => output()).join();
  const ended = bots.filter(({ child }) => child.exitCode !== null || child.signalCode !== null);
  return [
    ...lines,
    ...ended,
    ...secretsIn(text, [env.DISCORD_TOKEN, PASSWORD]),
    ...(text.match(/MaxListeners.*/g) ?? []),
  ];
}

/** For what can be set while it runs. */
async function commandTo({ url }: RealServer) {
  const client = createClient({ url });
  client.on('error', () => {});
  await client.connect();
  whenOver(() => client.destroy());
  return (...words: string[]) => client.sendCommand(words);
}

describe.skipIf(noRealRedis('what a bot does when Redis is in trouble'))('Redis in trouble', () => {
  describe('while the bots run', () => {
    let fleet: TestFleet;
    let server: RealServer;
    let relay: SlowRelay;
    const remembered = newCard();

    beforeAll(async () => {
      const redis = await startRealRedis({ appendonly: true });
      server = redis;
      relay = await startSlowRelay(redis.url, { delayMs: 0 });
      fleet = await startFleet({ redis: { ...redis, url: relay.url }, service: FAST, env: BOTS_BURST });
      for (const shard of [0, 1]) await fleet.card(shard, remembered).until(hasCard);
    });
    beforeEach(() => expect.poll(() => isShared(fleet), { timeout: 10_000 }).toBe(true));

    const command = async (...words: string[]) => void (await (await commandTo(server))(...words));
    const TROUBLES: Record<string, { begin: () => unknown; end: () => unknown; cardsEach?: number }> = {
      killed: { begin: () => server.kill(), end: () => server.start() },
      hung: { begin: () => server.pause(), end: () => server.resume() },
      'restarted empty': { begin: () => server.kill(), end: () => server.startEmpty() },
      'a read-only replica': {
        begin: () => command('REPLICAOF', '127.0.0.1', '1'),
        end: () => command('REPLICAOF', 'NO', 'ONE'),
      },
      'out of memory': {
        begin: () => command('CONFIG', 'SET', 'maxmemory', '1mb'),
        end: () => command('CONFIG', 'SET', 'maxmemory', '0'),
      },
      slow: {
        begin: () => {
          relay.delayMs = 200;
        },
        end: () => {
          relay.delayMs = 0;
        },
        cardsEach: 2, // a turn takes five trips
      },
    };

    it.each(Object.entries(TROUBLES))(
      '%s: commands are answered, and it is shared again once it is well',
      TEST,
      async (_, { begin, end, cardsEach }) => {
        await begin();
        try {
          await expectRemembered(fleet, remembered);
          await expectAnswered(fleet, cardsEach);
        } finally {
          await end();
        }

        await expect.poll(() => isShared(fleet), BACK).toBe(true);
        await expectRemembered(fleet, remembered);
        expect(complaints(fleet)).toEqual([]);
      },
    );

    it('comes and goes: every command is answered', TEST, async () => {
      for (let outage = 0; outage < 5; outage++) {
        await server.kill();
        await expectAnswered(fleet, 3).finally(() => server.start());
        await expectAnswered(fleet, 3);
      }

      await expect.poll(() => isShared(fleet), BACK).toBe(true);
      expect(complaints(fleet)).toEqual([]);
      // Once a minute, and these tests take less than two.
      for (const bot of fleet.bots) expect(said(bot, AWAY)).toBeLessThanOrEqual(2);
    });
  });

  describe('from the start', () => {
    const TROUBLES: Record<string, { begin: (server: RealServer) => unknown; end: (server: RealServer) => unknown }> = {
      down: {
        begin: (server) => server.kill(),
        end: async (server) => {
          await server.start();
          await (await commandTo(server))('CONFIG', 'SET', 'requirepass', PASSWORD);
        },
      },
      'with another password': {
        begin: () => {},
        end: async (server) => (await commandTo(server))('CONFIG', 'SET', 'requirepass', PASSWORD),
      },
    };

    it.each(Object.entries(TROUBLES))('%s: said once, and once when it is well', TEST, async (_, { begin, end }) => {
      const redis = await startRealRedis({ password: 'another', appendonly: true });
      await begin(redis);
      const url = `redis://:${encodeURIComponent(PASSWORD)}@127.0.0.1:${redis.port}`;
      const fleet = await startFleet({ redis: { ...redis, url }, service: FAST, env: BOTS_BURST });
      await expectAnswered(fleet);
      expect(fleet.bots.map((bot) => said(bot, AWAY))).toEqual([1, 1]);
      await end(redis);

      await expect.poll(() => isShared(fleet), BACK).toBe(true);
      expect(fleet.bots.map((bot) => [said(bot, AWAY), said(bot, IS_BACK)])).toEqual([
        [1, 1],
        [1, 1],
      ]);
      expect(complaints(fleet)).toEqual([]);
    });
  });
});
