import { setTimeout as sleep } from 'node:timers/promises';
import { createClient } from '@redis/client';
import { describe, expect, it } from 'vitest';
import type { Readiness } from '../../src/operations/operations.ts';
import { atOnce } from '../support/at-once.ts';
import { type AppBot, serverOfShard, typingIn } from '../support/backends.ts';
import { WARN } from '../support/log-lines.ts';
import {
  logOf,
  numberedCards,
  prepareAppBots,
  requestedIds,
  showsCard,
  startAppBots,
  type TestBots,
} from '../support/processes.ts';
import { noRealRedis, type RealServer, startRealRedis, type TestRedis } from '../support/redis.ts';
import { startRelay } from '../support/relay.ts';
import { secretsIn } from '../support/secret-forms.ts';
import { finalAnswers, hasCard, isThinking, press } from '../support/world.ts';

const CARDS = numberedCards(100);
// The service allows a little more at once than the bots' configured burst, because a busy machine delivers requests late
// and bunched; two whole bursts would still exceed it.
const FAST = { requestsPerMinute: 1_200, burst: 28, requestsPerDay: 10_000, cards: CARDS };
const BOTS_BURST = { CARD_SERVICE_BURST: '20', HTTP_PORT: '0' };
const PASSWORD = 'p@ss/wörd "with" everything';
const UNAVAILABLE = 'redis unavailable: no card is requested until it is back; see to Redis, or check REDIS_URL';
const NOT_SAVED = "I couldn't save that just now. Please try again in a minute.";
const AVAILABLE = 'redis available again';
const SHARDS = [0, 1];
/** Asked for before the outage. */
const KNOWN = 'card-0';
const OUTAGE_SECONDS = 12;

type Redis = TestRedis & RealServer;

/** On a machine that is too busy for Discord's 3 s, or for an edit; the answer is there all the same, which each test counts. */
const isLate = ({ msg, outcome }: Record<string, unknown>) =>
  outcome === 'not answered' ||
  msg === 'discord did not confirm the first answer: the reply is completed anyway' ||
  msg === 'discord accepts no edits: they are repeated until it does';

function times(processes: TestBots, id: string): number {
  return requestedIds(processes).filter((requested) => requested === id).length;
}

/** Two bots that know a card, and share others. */
async function startPair(redis: Pick<TestRedis, 'url' | 'prefix'>): Promise<TestBots> {
  const processes = await startAppBots({ redis, service: FAST, env: BOTS_BURST });
  for (const shard of SHARDS) await showsCard(processes.card(shard, KNOWN));
  return processes;
}

/** Sends one command, whatever the password of the server is. */
async function commandTo(url: string, ...words: string[]): Promise<void> {
  const client = await createClient({ url }).connect();
  await client.sendCommand(words).finally(() => client.destroy());
}

/** How often the bot logged that Redis was unavailable, and that it was back. */
function noticesOf(bot: AppBot): number[] {
  return [UNAVAILABLE, AVAILABLE].map((notice) => logOf(bot).filter(({ msg }) => msg === notice).length);
}

/** Secrets in the log, and warnings and errors about anything other than Redis being unavailable. */
function problemsOf({ bots, env }: TestBots): unknown[] {
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

async function readiness(bot: AppBot | undefined) {
  const { port } = (bot && logOf(bot).find(({ msg }) => msg === 'metrics are served')) ?? {};
  const response = await fetch(`http://127.0.0.1:${port}/readyz`);
  return { ...((await response.json()) as Readiness), status: response.status };
}

describe.skipIf(noRealRedis('bots during outages of Redis'))('two bots whose Redis is', () => {
  const OUTAGES: Record<string, (redis: Redis) => { begin: () => unknown; end: () => unknown }> = {
    killed: (redis) => ({ begin: redis.kill, end: redis.start }),
    hung: (redis) => ({ begin: redis.pause, end: redis.resume }),
    'restarted empty': (redis) => ({ begin: redis.kill, end: redis.startEmpty }),
  };
  /** Both are asked, once a second, for a card that they know and for one that nobody knows. */
  const survives = async (outageOf: (typeof OUTAGES)[string]) => {
    const redis = await startRealRedis({ requirepass: PASSWORD, appendonly: 'yes' });
    const processes = await startPair(redis);
    const { begin, end } = outageOf(redis);
    await begin();
    const before = processes.cardService.counts.total;
    const ids = CARDS.slice(1, 1 + OUTAGE_SECONDS).map(({ id }) => id);
    const typed: ReturnType<TestBots['card']>[] = [];
    for (const id of ids) {
      for (const shard of SHARDS) {
        typed.push(processes.card(shard, id));
        const known = processes.card(shard, KNOWN);
        await showsCard(known);
        expect(known.history.map(({ state }) => state)).not.toContain('thinking');
      }
      await sleep(1_000);
    }
    expect(processes.cardService.counts.total).toBe(before);
    await end();
    await Promise.all(typed.map(showsCard));
    expect(ids.map((id) => times(processes, id))).toEqual(ids.map(() => 1));
    expect(typed.map(finalAnswers)).toEqual(typed.map(() => 1));
    expect(processes.cardService.counts.byStatus[429]).toBeUndefined();
    expect(problemsOf(processes)).toEqual([]);
  };
  const title = 'for twelve seconds show what they know at once, and request each new card once when it is back';
  const rules = Object.entries(OUTAGES).map(([name, outageOf]) => [`${name} ${title}`, () => survives(outageOf)]);
  atOnce(Object.fromEntries(rules));
});

describe.skipIf(noRealRedis('a bot without Redis'))('a bot whose Redis is', () => {
  it('down, or has another password, from the start goes on, says so once, and requests a new card when it works', async () => {
    const down = await startRealRedis();
    await down.kill();
    const redis = await startRealRedis({ requirepass: PASSWORD, appendonly: 'yes' });
    const url = `redis://:${encodeURIComponent(PASSWORD)}@127.0.0.1:${down.port}`;
    const processes = await prepareAppBots({ redis: { ...redis, url }, service: FAST, env: BOTS_BURST });
    await processes.start(0);
    await redis.command('CONFIG', 'SET', 'requirepass', 'another');
    await startRelay(redis.url, { port: down.port });
    await processes.start(1);
    const typed = SHARDS.map((shard) => processes.card(shard, KNOWN));
    for (const each of typed) await each.until(isThinking);
    expect(processes.bots.flatMap(noticesOf)).toEqual([1, 0, 1, 0]);
    expect(await readiness(processes.bots[0])).toMatchObject({ status: 503, store: false });

    const wrong = redis.url.replace(encodeURIComponent(PASSWORD), 'another');
    await commandTo(wrong, 'CONFIG', 'SET', 'requirepass', PASSWORD);
    await Promise.all(typed.map(showsCard));
    expect(times(processes, KNOWN)).toBe(1);
    expect(await readiness(processes.bots[0])).toMatchObject({ store: true });
    expect(processes.bots.flatMap(noticesOf)).toEqual([1, 1, 1, 1]);
    expect(problemsOf(processes)).toEqual([]);
  });

  it('slow answers, one that takes no writes shows what is in it, and one that is killed leads to no word of what was kept', async () => {
    const redis = await startRealRedis({ appendonly: 'yes' });
    const relay = await startRelay(redis.url);
    const processes = await startPair({ ...redis, url: relay.url });
    const { discord } = processes;
    relay.delayMs = 200; // a permit takes five round trips
    const ids = CARDS.slice(1, 5).map(({ id }) => id);
    await Promise.all(ids.map((id, at) => showsCard(processes.card(at % 2, id))));
    relay.delayMs = 0;

    const [missing = '', inRedis = ''] = [CARDS[5]?.id, ids[0]]; // which the second bot has not in memory
    await redis.command('REPLICAOF', '127.0.0.1', '1');
    const why = async () => (await readiness(processes.bots[1])).reason;
    await expect.poll(why).toMatch(/^redis refuses writes: READONLY /);
    const waits = processes.card(1, missing);
    const shown = processes.card(1, inRedis);
    await showsCard(shown);
    expect(shown.history.map(({ state }) => state)).not.toContain('thinking');
    await redis.command('REPLICAOF', 'NO', 'ONE');
    await showsCard(waits);
    expect([...ids, missing].map((id) => times(processes, id))).toEqual([1, 1, 1, 1, 1]);

    const guild = { guildId: serverOfShard(0).id, manageGuild: true };
    const type = (command: string, options = {}) => typingIn(discord).type(command, options, guild);
    const settings = type('settings');
    const { messageId = '' } = await settings.settled();
    const privacy = await type('privacy').settled();
    const sure = await press(processes, privacy, 'Delete my data').settled();
    const paste = async () => {
      const { interactionId } = await type('cards').until(({ modal }) => modal !== undefined);
      return discord.submit({ interactionId, values: { text: 'card-9' } });
    };
    const estimate = await (await paste()).until(hasCard);
    await redis.kill();
    for (const bot of processes.bots) await expect.poll(() => readiness(bot)).toMatchObject({ store: false });

    discord.choose({ messageId, customId: 'settings:language', values: ['de'], ...guild });
    await settings.until(({ content }) => content.includes(NOT_SAVED));
    const typed = [
      type('watch', { card: KNOWN, above: 900 }),
      type('watches'),
      press(processes, sure, 'Delete my data'),
      await paste(),
      press(processes, estimate, 'Fetch the prices'), // of a list that is out of reach, and not gone
    ];
    const said = typed.map(async (each) => (await each.until(({ content }) => content.includes(' '))).content);
    const unreachable = /^I can't reach your watches right now\. Please try again in a minute\.$/;
    const deleted = /^I couldn't delete everything just now\./;
    const patterns = [unreachable, unreachable, deleted, NOT_SAVED, /^New cards can't be fetched for the moment/];
    expect(await Promise.all(said)).toEqual(patterns.map((pattern) => expect.stringMatching(pattern)));
    const usage = await type('usage').settled();
    expect(usage.embeds[0]?.description).toContain(
      "I'm cut off from my shared database (Redis). Until it's back, I fetch no new cards.",
    );
  });
});
