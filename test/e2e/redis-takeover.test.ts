import { expect, it } from 'vitest';
import type { DictatedAnswer } from '../../sandbox/service/service.ts';
import { serverOfShard, typingIn } from '../support/backends.ts';
import { startBotProcess } from '../support/bot-process.ts';
import { prepareAppBots, requestedIds, showsCard, type TestBots } from '../support/processes.ts';
import { startRedis } from '../support/redis.ts';
import { startRelay } from '../support/relay.ts';
import { finalAnswers, IDS, isThinking } from '../support/world.ts';

/** One at a time and 200 ms apart, so that most wait for a permit. */
const SLOW = { requestsPerMinute: 300, burst: 6, requestsPerDay: 1_000 };
/** What hangs is given up when its process ends. */
const ENV = { CARD_SERVICE_BURST: '2', CARD_SERVICE_TIMEOUT_MS: '120000' };
/** Only a hang takes longer. */
const PATIENCE_MS = 120_000;

type Deferred = Awaited<ReturnType<typeof deferReplies>>;

/**
 * Deferred replies of a shard: one whose card has arrived and whose edit hangs, one that shows its card although the process
 * does not know it, five that wait for a request or a permit, and a list.
 */
async function deferReplies({ discord, cardService, card }: TestBots, shard: number) {
  const cards = IDS.slice(10 * shard, 10 * shard + 9); // requested by no other shard
  const [fetched = '', shown = '', ...missing] = cards;
  const { met } = discord.faults;
  discord.faults.script({ route: 'edit', answer: 'hang' });
  const hanging = card(shard, fetched);
  await expect.poll(() => discord.faults.met, { timeout: PATIENCE_MS }).toBe(met + 1);
  discord.faults.script({ route: 'edit', answer: 'lose answer', times: 99 });
  const unconfirmed = card(shard, shown);
  await showsCard(unconfirmed);

  let isHeld = true;
  const held = (): DictatedAnswer | undefined => (isHeld ? { fault: 'hang' } : undefined);
  cardService.script(...missing.map(() => held));
  const waiting = missing.slice(0, 5).map((id) => card(shard, id));
  await Promise.all(waiting.map((one) => one.until(isThinking, PATIENCE_MS)));
  const ids = [shown, ...missing.slice(5)].join();
  const list = typingIn(discord).cards(ids, {}, { guildId: serverOfShard(shard).id });
  await list.until(({ embeds }) => embeds.length === 1, PATIENCE_MS);
  const release = () => {
    isHeld = false;
    discord.faults.clear();
  };
  return { cards, typed: [hanging, unconfirmed, ...waiting], list, release };
}

/**
 * Each reply is completed once, the list never shows less than before, and no card that had arrived is requested again.
 *
 * @param cutOff requests that may have been answered when their process ended
 */
async function expectCompleted({ cardService }: TestBots, { cards, typed, list }: Deferred, cutOff = 0): Promise<void> {
  const shownBefore = list.history.length;
  await Promise.all(typed.map(showsCard));
  await list.until(({ embeds }) => embeds.length === 3, PATIENCE_MS);
  expect(typed.map(finalAnswers)).toEqual(typed.map(() => 1));
  expect(list.history.slice(shownBefore).every(({ embeds }) => embeds.length >= 1)).toBe(true);
  const answered = cardService.requests
    .filter(({ status }) => status === 200)
    .map(({ path }) => /^\/cards\/([^?]+)/.exec(path)?.[1] ?? '');
  const ofThese = answered.filter((id) => cards.includes(id));
  expect(new Set(ofThese)).toEqual(new Set(cards));
  expect(ofThese.length - cards.length).toBeLessThanOrEqual(cutOff);
  expect(cardService.counts.byStatus[429]).toBeUndefined();
}

it('replies of a process over Redis are completed once: by another when it stops, by the next that starts when the last one is killed, and by another when it is cut off from Redis', {
  timeout: 240_000,
}, async () => {
  const redis = await startRedis();
  const relay = await startRelay(redis.url);
  const processes = await prepareAppBots({ redis, service: SLOW, env: ENV });
  const stopped = await processes.start(1);
  const killed = startBotProcess(processes.envOf(0));
  await killed.wrote('gateway ready');

  const left = await deferReplies(processes, 1);
  const leaves = stopped.stop();
  left.release();
  await leaves;
  await expectCompleted(processes, left, 1);

  const lost = await deferReplies(processes, 0);
  killed.child.kill('SIGKILL');
  await killed.ended;
  lost.release();
  await processes.start(0);
  await expectCompleted(processes, lost);

  const cutOff = await processes.start(1, { REDIS_URL: relay.url });
  const before = requestedIds(processes).length;
  const cards = IDS.slice(20, 22);
  processes.cardService.script(...cards.map(() => ({ fault: 'hang' as const })));
  const typed = cards.map((id) => processes.card(1, id));
  await expect.poll(() => requestedIds(processes).slice(before).toSorted()).toEqual(cards.toSorted());
  relay.close();
  await Promise.all(typed.map(showsCard));
  await cutOff.stop(); // and they stay as they are
  for (const { message } of typed) expect(message.embeds).toHaveLength(1);
  expect(typed.map(finalAnswers)).toEqual([1, 1]);
  expect(requestedIds(processes)).toHaveLength(before + 4); // each once more, by the other process
  expect(processes.cardService.counts.byStatus[429]).toBeUndefined();
});
