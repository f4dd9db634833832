import { expect, it } from 'vitest';
import type { ChatMessage } from '../../sandbox/discord/chat.ts';
import { serverOfShard } from '../support/backends.ts';
import { startBotProcess } from '../support/bot-process.ts';
import { press } from '../support/buttons.ts';
import { prepareBots, requestedIds, startAppBots, type TestBots } from '../support/processes.ts';
import { noRealRedis } from '../support/redis/no-real-redis.ts';
import { startRealRedis, startRedis } from '../support/redis.ts';

const QUICK = { requestsPerMinute: 1_200, burst: 20, requestsPerDay: 1_000 };
const IDS = ['base1-1', 'base1-2', 'base1-3', 'base1-4'];
const PATIENCE_MS = 120_000;

async function pasted({ discord }: Pick<TestBots<never>, 'discord'>, shard: number): Promise<ChatMessage> {
  const typed = discord.type({ command: 'cards', guildId: serverOfShard(shard).id });
  const { interactionId } = await typed.until(({ modal }) => modal !== undefined, PATIENCE_MS);
  const submitted = discord.submit({ interactionId, values: { text: IDS.join('\n') } });
  return submitted.until(({ embeds }) => embeds.length > 0, PATIENCE_MS);
}

const textOf = ({ embeds: [embed] }: ChatMessage) => embed?.description ?? '';

it('lists with the same cards that are fetched in two processes at once cost each card once', async () => {
  const processes = await startAppBots({ redis: await startRedis(), service: { ...QUICK, latencyMs: 300 } });
  const estimates = await Promise.all([0, 1].map((shard) => pasted(processes, shard)));
  for (const estimate of estimates) expect(textOf(estimate)).toContain('at most 4 new lookups');
  const presses = estimates.map((each) => press(processes, each, 'Fetch the prices'));
  for (const each of presses)
    expect(textOf(await each.until(({ embeds }) => embeds.length > 0, PATIENCE_MS))).toContain('at market (4 cards)');
  expect(requestedIds(processes).toSorted()).toEqual(IDS);
});

it('a list of a process that is killed is completed by another, and its buttons work there', async () => {
  const redis = await startRedis();
  const processes = await prepareBots({ redis, service: { ...QUICK, latencyMs: 120_000 } }, startBotProcess);
  const killed = await processes.start(0);
  await processes.start(1);
  const estimate = await pasted(processes, 0);
  const typed = press(processes, estimate, 'Fetch the prices');
  await typed.until(({ state }) => state === 'thinking', PATIENCE_MS);
  await expect.poll(() => requestedIds(processes).length, { timeout: PATIENCE_MS }).toBeGreaterThan(0);
  processes.cardService.set({ latencyMs: 0 });
  killed.child.kill('SIGKILL');
  const answer = await typed.until(({ embeds }) => embeds.length > 0, PATIENCE_MS);
  expect(textOf(answer)).toContain('at market (4 cards)');
});

it.skipIf(noRealRedis('a list while Redis is away'))('is said to be out of reach, not to be gone', async () => {
  const redis = await startRealRedis();
  const processes = await startAppBots({ redis, service: QUICK });
  const estimate = await pasted(processes, 0);
  await redis.kill();
  const pressed = await press(processes, estimate, 'Fetch the prices').until(({ content }) => content !== '');
  expect(pressed.content).toMatch(/^New cards can't be fetched for the moment/);
});
