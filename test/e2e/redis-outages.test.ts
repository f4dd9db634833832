import { createClient } from '@redis/client';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { AppBot } from '../support/app-bot.ts';
import { finalAnswers } from '../support/final-answers.ts';
import { WARN } from '../support/log-lines.ts';
import { onFinished } from '../support/on-finished.ts';
import { logOf, prepareAppBots, requestedIds, showsCard, type TestBots } from '../support/processes.ts';
import { noRealRedis } from '../support/redis/no-real-redis.ts';
import type { RealServer } from '../support/redis/real-server.ts';
import { startRealRedis } from '../support/redis.ts';
import { secretsIn } from '../support/secret-forms.ts';
import { type SlowRelay, startSlowRelay } from '../support/slow-relay.ts';

const CARDS = Array.from({ length: 2_000 }, (_, number) => {
  return { id: `card-${number}`, name: `Card ${number}`, tcg: 'trial', set: { id: 'all', name: 'All' } };
});
// The service allows a little more at once than the bots' configured burst, because a busy machine delivers requests late
// and bunched; two whole bursts would still exceed it.
const FAST = { requestsPerMinute: 1_200, burst: 28, requestsPerDay: 10_000, cards: CARDS };
const BOTS_BURST = { CARD_SERVICE_BURST: '20' };
const PASSWORD = 'p@ss/wörd "with" everything';
const UNAVAILABLE = 'redis unavailable: this process continues isolated, with its share of the plan';
const AVAILABLE = 'redis available again';
/** On a machine that is too busy for Discord's 3 s; the answer is there all the same, which each test counts. */
const isLate = ({ msg, outcome }: Record<string, unknown>) =>
  msg === 'discord did not confirm the first answer: the reply is completed anyway' || outcome === 'not answered';

const ids = CARDS.map(({ id }) => id).values();

/** A card that no test has looked up yet. */
function newCard(): string {
  const { value } = ids.next();
  if (value === undefined) throw new Error('no card left');
  return value;
}

function times(processes: TestBots<AppBot>, id: string): number {
  return requestedIds(processes).filter((requested) => requested === id).length;
}

/** Whether a card fetched by the first process is known to the second. */
async function isShared(processes: TestBots<AppBot>): Promise<boolean> {
  const id = newCard();
  for (const shard of [0, 1]) await showsCard(processes.card(shard, id));
  return times(processes, id) === 1;
}

/** Each process looks up different cards at once: each is answered once, with one request, and the plan is kept. */
async function expectAnswered(processes: TestBots<AppBot>, cardsEach = 18): Promise<void> {
  const cards = processes.bots.flatMap((_, shard) =>
    Array.from({ length: cardsEach }, () => ({ shard, id: newCard() })),
  );
  const typed = cards.map(({ shard, id }) => processes.card(shard, id));
  await Promise.all(typed.map(showsCard));
  expect(cards.map(({ id }) => times(processes, id))).toEqual(cards.map(() => 1));
  expect(typed.map(finalAnswers)).toEqual(typed.map(() => 1));
  expect(processes.cardService.counts.byStatus[429]).toBeUndefined();
}

/** A card in the memory of both processes is answered at once, without a request. */
async function expectRemembered(processes: TestBots<AppBot>, id: string): Promise<void> {
  const before = processes.cardService.counts.total;
  const typed = [0, 1].map((shard) => processes.card(shard, id));
  await Promise.all(typed.map(showsCard));
  expect(typed.flatMap(({ history }) => history.map(({ state }) => state))).not.toContain('thinking');
  expect(processes.cardService.counts.total).toBe(before);
}

/** How often the bot logged that Redis was unavailable, and that it was back. */
function noticesOf(bot: AppBot): number[] {
  return [UNAVAILABLE, AVAILABLE].map((notice) => logOf(bot).filter(({ msg }) => msg === notice).length);
}

/** Secrets in the log, and warnings and errors about anything other than Redis being unavailable. */
function problemsOf({ bots, env }: TestBots<AppBot>): unknown[] {
  const lines = bots.flatMap((bot) =>
    logOf(bot).filter((line) => Number(line.level) >= WARN && line.msg !== UNAVAILABLE && !isLate(line)),
  );
  const text = bots.map(({ output }) => output()).join();
  return [
    ...lines.map((line) => JSON.stringify(line).slice(0, 400)),
    ...secretsIn(text, [env.DISCORD_TOKEN, PASSWORD]),
    ...(text.match(/MaxListeners.*/g) ?? []),
  ];
}

/** Sends commands to a running server. */
async function commandTo({ url }: RealServer) {
  const client = createClient({ url });
  client.on('error', () => {});
  await client.connect();
  onFinished(() => client.destroy());
  return (...words: string[]) => client.sendCommand(words);
}

describe.skipIf(noRealRedis('a bot during outages of Redis'))('while Redis is', () => {
  let processes: TestBots<AppBot>;
  let server: RealServer;
  let relay: SlowRelay;
  const remembered = newCard();
  /** For each process, `noticesOf` at the end of its outage and after it. */
  const atStart: { during: number[]; after: number[] }[] = [];

  beforeAll(async () => {
    const down = await startRealRedis();
    await down.kill();
    const redis = await startRealRedis({ password: PASSWORD, appendonly: true });
    server = redis;
    const command = await commandTo(server);
    const url = `redis://:${encodeURIComponent(PASSWORD)}@127.0.0.1:${down.port}`;
    processes = await prepareAppBots({ redis: { ...redis, url }, service: FAST, env: BOTS_BURST });
    await processes.start(0);
    await expectAnswered(processes);

    await command('CONFIG', 'SET', 'requirepass', 'another');
    relay = await startSlowRelay(redis.url, { delayMs: 0, port: down.port });
    await processes.start(1);
    await expectAnswered(processes);

    const during = processes.bots.map(noticesOf);
    await command('CONFIG', 'SET', 'requirepass', PASSWORD);
    await Promise.all(processes.bots.map((bot) => bot.wrote(AVAILABLE)));
    atStart.push(...processes.bots.map((bot, index) => ({ during: during[index] ?? [], after: noticesOf(bot) })));
    for (const shard of [0, 1]) await showsCard(processes.card(shard, remembered));
  });
  beforeEach(() => expect.poll(() => isShared(processes)).toBe(true));

  it.each(['down', 'with another password'])(
    '%s from the start, that is logged once, and once when it works',
    (outage) => {
      const { during, after } = atStart[outage === 'down' ? 0 : 1] ?? {};
      expect(during).toEqual([1, 0]);
      expect(after).toEqual([1, 1]);
      expect(problemsOf(processes)).toEqual([]);
    },
  );

  const command = async (...words: string[]) => void (await (await commandTo(server))(...words));
  const OUTAGES: Record<string, { begin: () => unknown; end: () => unknown; cardsEach?: number }> = {
    killed: { begin: () => server.kill(), end: () => server.start() },
    hung: { begin: () => server.pause(), end: () => server.resume() },
    'restarted empty': { begin: () => server.kill(), end: () => server.startEmpty() },
    'a read-only replica': {
      begin: () => command('REPLICAOF', '127.0.0.1', '1'),
      end: () => command('REPLICAOF', 'NO', 'ONE'),
    },
    slow: {
      begin: () => {
        relay.delayMs = 200;
      },
      end: () => {
        relay.delayMs = 0;
      },
      cardsEach: 2, // a permit takes five round trips
    },
  };

  it.each(Object.entries(OUTAGES))(
    '%s, commands are answered, and cards are shared again once it works',
    async (_, { begin, end, cardsEach }) => {
      await begin();
      try {
        await expectRemembered(processes, remembered);
        await expectAnswered(processes, cardsEach);
      } finally {
        await end();
      }

      await expect.poll(() => isShared(processes)).toBe(true);
      await expectRemembered(processes, remembered);
      expect(problemsOf(processes)).toEqual([]);
    },
  );
});
