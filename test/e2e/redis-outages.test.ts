import { createClient } from 'redis';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { BotProcess } from '../support/bot-process.ts';
import { finalAnswers } from '../support/final-answers.ts';
import { WARN } from '../support/log-lines.ts';
import { onFinished } from '../support/on-finished.ts';
import { logOf, prepareProcesses, requestedIds, showsCard, type TestProcesses } from '../support/processes.ts';
import { noRealRedis } from '../support/redis/no-real-redis.ts';
import type { RealServer } from '../support/redis/real-server.ts';
import { startRealRedis } from '../support/redis.ts';
import { secretsIn } from '../support/secret-forms.ts';
import { type SlowRelay, startSlowRelay } from '../support/slow-relay.ts';

const CARDS = Array.from({ length: 2_000 }, (_, number) => {
  return { id: `card-${number}`, name: `Card ${number}`, tcg: 'trial', set: { id: 'all', name: 'All' } };
});
// The service allows a little more at once than the bots are told, because a busy machine delivers late and bunched;
// two whole bursts would still be too much.
const FAST = { requestsPerMinute: 1_200, burst: 28, requestsPerDay: 10_000, cards: CARDS };
const BOTS_BURST = { CARD_SERVICE_BURST: '20' };
/** 2 s are promised; only a hang takes so long. */
const BACK = { timeout: 15_000, interval: 100 };
const TEST = { timeout: 60_000 };
const PASSWORD = 'p@ss/wörd "with" everything';
const UNAVAILABLE = 'redis unavailable: this process continues isolated, with its share of the plan';
const AVAILABLE = 'redis available again';

const ids = CARDS.map(({ id }) => id).values();

/** A card that no test has asked for yet. */
function newCard(): string {
  const { value } = ids.next();
  if (value === undefined) throw new Error('all cards have been asked for');
  return value;
}

function times(processes: TestProcesses, id: string): number {
  return requestedIds(processes).filter((asked) => asked === id).length;
}

/** One card fetched by the first process is then known to the second. */
async function isShared(processes: TestProcesses): Promise<boolean> {
  const id = newCard();
  for (const shard of [0, 1]) await showsCard(processes.card(shard, id));
  return times(processes, id) === 1;
}

/** Cards of each process's own, at once: answered once each, for one request each, and together within the plan. */
async function expectAnswered(processes: TestProcesses, cardsEach = 18): Promise<void> {
  const cards = processes.bots.flatMap((_, shard) =>
    Array.from({ length: cardsEach }, () => ({ shard, id: newCard() })),
  );
  const typed = cards.map(({ shard, id }) => processes.card(shard, id));
  await Promise.all(typed.map(showsCard));
  expect(cards.map(({ id }) => times(processes, id))).toEqual(cards.map(() => 1));
  expect(typed.map(finalAnswers)).toEqual(typed.map(() => 1));
  expect(processes.cardService.counts.byStatus[429]).toBeUndefined();
}

/** A card in the memory of both is answered at once, for nothing. */
async function expectRemembered(processes: TestProcesses, id: string): Promise<void> {
  const before = processes.cardService.counts.total;
  const typed = [0, 1].map((shard) => processes.card(shard, id));
  await Promise.all(typed.map(showsCard));
  expect(typed.flatMap(({ history }) => history.map(({ state }) => state))).not.toContain('thinking');
  expect(processes.cardService.counts.total).toBe(before);
}

/** How often it said that Redis is away, and that it is back. */
function words(bot: BotProcess): number[] {
  return [UNAVAILABLE, AVAILABLE].map((said) => logOf(bot).filter(({ msg }) => msg === said).length);
}

/** Warnings and errors about anything but Redis being away, and secrets. */
function complaints({ bots, env }: TestProcesses): unknown[] {
  const lines = bots.flatMap((bot) =>
    logOf(bot).filter(({ level, msg }) => Number(level) >= WARN && msg !== UNAVAILABLE),
  );
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
  onFinished(() => client.destroy());
  return (...words: string[]) => client.sendCommand(words);
}

describe.skipIf(noRealRedis('what a bot does when Redis is in trouble'))('Redis in trouble', TEST, () => {
  let processes: TestProcesses;
  let server: RealServer;
  let relay: SlowRelay;
  const remembered = newCard();
  /** Of each process, at the end of its trouble and after it: how often it said that Redis is away, and that it is back. */
  const atStart: { inTrouble: number[]; well: number[] }[] = [];

  beforeAll(async () => {
    const down = await startRealRedis();
    await down.kill();
    const redis = await startRealRedis({ password: PASSWORD, appendonly: true });
    server = redis;
    const command = await commandTo(server);
    const url = `redis://:${encodeURIComponent(PASSWORD)}@127.0.0.1:${down.port}`;
    processes = await prepareProcesses({ redis: { ...redis, url }, service: FAST, env: BOTS_BURST });
    await processes.start(0);
    await expectAnswered(processes);

    await command('CONFIG', 'SET', 'requirepass', 'another');
    relay = await startSlowRelay(redis.url, { delayMs: 0, port: down.port });
    await processes.start(1);
    await expectAnswered(processes);

    const inTrouble = processes.bots.map(words);
    await command('CONFIG', 'SET', 'requirepass', PASSWORD);
    await Promise.all(processes.bots.map((bot) => bot.wrote(AVAILABLE)));
    atStart.push(...processes.bots.map((bot, index) => ({ inTrouble: inTrouble[index] ?? [], well: words(bot) })));
    for (const shard of [0, 1]) await showsCard(processes.card(shard, remembered));
  }, 120_000);
  beforeEach(() => expect.poll(() => isShared(processes), BACK).toBe(true));

  it.each(['down', 'with another password'])('%s from the start: said once, and once when it is well', (trouble) => {
    const { inTrouble, well } = atStart[trouble === 'down' ? 0 : 1] ?? {};
    expect(inTrouble).toEqual([1, 0]);
    expect(well).toEqual([1, 1]);
    expect(complaints(processes)).toEqual([]);
  });

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
    async (_, { begin, end, cardsEach }) => {
      await begin();
      try {
        await expectRemembered(processes, remembered);
        await expectAnswered(processes, cardsEach);
      } finally {
        await end();
      }

      await expect.poll(() => isShared(processes), BACK).toBe(true);
      await expectRemembered(processes, remembered);
      expect(complaints(processes)).toEqual([]);
    },
  );

  it('comes and goes: every command is answered', async () => {
    for (let outage = 0; outage < 3; outage++) {
      await server.kill();
      await expectAnswered(processes, 3).finally(() => server.start());
      await expectAnswered(processes, 3);
    }

    await expect.poll(() => isShared(processes), BACK).toBe(true);
    expect(complaints(processes)).toEqual([]);
    // Once a minute, and a line is written a moment after its time.
    for (const bot of processes.bots) {
      const times = logOf(bot).flatMap(({ msg, time }) => (msg === UNAVAILABLE ? [Number(time)] : []));
      for (const [index, time] of times.slice(1).entries()) expect(time - (times[index] ?? 0)).toBeGreaterThan(59_000);
    }
  });
});
