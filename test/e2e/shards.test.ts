import { join } from 'node:path';
import { describe, expect } from 'vitest';
import type { EmulatedDiscord, EmulatedDiscordOptions } from '../../sandbox/discord/emulated-discord.ts';
import type { ScriptedFault } from '../../sandbox/discord/faults.ts';
import { shardOf } from '../../sandbox/discord/world.ts';
import { atOnce } from '../support/at-once.ts';
import { type BotOutput, startAppBot, startBackends, typingIn } from '../support/backends.ts';
import { startRedis } from '../support/redis.ts';
import { finalAnswer, finalAnswers } from '../support/world.ts';

const CARD = 'Emberwing Drake';
/** It is shorter than a turn of the bots, because a busy machine may send an identify late. */
const DISCORD_WINDOW_MS = 3_000;

/** A Discord of two shards, and bots as on separate machines, each with some of them. */
async function startBots(
  shards: string[],
  discordOptions: EmulatedDiscordOptions = {},
  variables: Record<string, string> = {},
) {
  const options = { shards: 2, maxConcurrency: 1, identifyWindowMs: DISCORD_WINDOW_MS, ...discordOptions };
  const { discord, env } = await startBackends({}, variables, options);
  const bots = shards.map((ids, index) =>
    startAppBot({
      ...env,
      DISCORD_SHARDS: ids,
      DISCORD_SHARD_COUNT: String(options.shards),
      DATA_DIR: join(env.DATA_DIR, String(index)),
    }),
  );
  return { discord, bots: await Promise.all(bots) };
}

/** The next `times` requests for the gateway address report `remaining` logins until a reset in one second. */
function logins(
  { origin }: EmulatedDiscord,
  { remaining, times }: { remaining: number; times: number },
): ScriptedFault {
  const session_start_limit = { total: 1_000, remaining, reset_after: 1_000, max_concurrency: 1 };
  const body = { url: origin.replace('http', 'ws'), shards: 2, session_start_limit };
  return { route: 'gateway/bot', answer: { status: 200, body }, times };
}

function readyShards({ output }: BotOutput): number[] {
  return [...output().matchAll(/"shard":(\d+),"msg":"gateway ready"/g)].map(([, shard]) => Number(shard)).sort();
}

function commandLines({ output }: BotOutput): number {
  return output().split('"msg":"command"').length - 1;
}

describe('processes that split the shards', () => {
  atOnce({
    'and start together all become ready although Discord takes one identify at a time, and each answers in its own servers':
      async () => {
        const { discord, bots } = await startBots(['0', '1']);
        discord.faults.script(logins(discord, { remaining: 1, times: 9 })); // each process needs one login, not one per shard

        await expectOneShardEach(discord, bots);

        // In direct messages shard 0 answers, which has one of the two servers.
        const places = [...discord.guilds.map(({ id }) => id), null];
        expect(places.map((guildId) => shardOf(guildId, 2)).toSorted()).toEqual([0, 0, 1]);
        const typed = places.map((guildId) => typingIn(discord).card('base1-4', {}, { guildId }));
        expect(await Promise.all(typed.map((one) => finalAnswer(one)))).toEqual([CARD, CARD, CARD]);
        await expect.poll(() => bots.map(commandLines)).toEqual([2, 1]);
        expect(typed.map(finalAnswers)).toEqual([1, 1, 1]);
      },

    'and share a Redis wait for each other, so that Discord refuses no identify': async () => {
      const { url, prefix } = await startRedis();
      const { discord, bots } = await startBots(['0', '1'], {}, { REDIS_URL: url, REDIS_KEY_PREFIX: prefix });
      await expectOneShardEach(discord, bots);
      expect(discord.gateway.refusedIdentifies).toBe(0);
    },

    'and have several each need a login for each, identify none too soon, and answer on each that is ready':
      async () => {
        const { discord, bots } = await startBots(['0,1']);
        discord.faults.script(logins(discord, { remaining: 1, times: 1 }));
        await discord.gateway.whenReady();

        expect(await finalAnswer(typingIn(discord).card('base1-4', {}, { guildId: null }))).toBe(CARD);
        await discord.gateway.whenAllReady(2);

        expect(discord.gateway).toMatchObject({ sessions: 2, identifies: 2, refusedIdentifies: 0 });
        await expect.poll(() => bots.map(readyShards)).toEqual([[0, 1]]);
        expect(bots[0]?.output()).toMatch(/discord's daily login limit is reached.*gateway ready/s);
      },

    'of which two may identify at a time wait for those with which they share a turn': async () => {
      const { discord } = await startBots(['0,1,2'], { shards: 3, maxConcurrency: 2 });
      await discord.gateway.whenAllReady(3);
      expect(discord.gateway).toMatchObject({ identifies: 3, refusedIdentifies: 0 });
    },

    'and wait to identify stop': async () => {
      const { discord, bots } = await startBots(['0', '1'], { identifyWindowMs: 3_600_000 });
      await Promise.race(bots.map((bot) => bot.wrote('identify refused, trying again later')));

      await Promise.all(bots.map((bot) => bot.stop()));

      expect(bots.map(({ output }) => output()).join()).not.toContain('stopped before everything was done');
      await expect.poll(() => discord.gateway.sessions).toBe(0);
      expect(discord.gateway).toMatchObject({ identifies: 1, refusedIdentifies: 1 });
    },
  });
});

/** Both processes become ready, each with its shard and one login. */
async function expectOneShardEach({ gateway }: EmulatedDiscord, bots: BotOutput[]): Promise<void> {
  await gateway.whenAllReady(2);
  await Promise.all(bots.map((bot) => bot.wrote('gateway ready')));
  expect(bots.map(readyShards)).toEqual([[0], [1]]);
  expect(gateway).toMatchObject({ sessions: 2, identifies: 2 });
}
