import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, describe, expect, it } from 'vitest';
import { ask, type GatewayFault, type Life, livesThrough } from '../support/bot-life.ts';
import { startBotProcess } from '../support/bot-process.ts';
import { finalAnswer } from '../support/final-answers.ts';
import { startRedis } from '../support/redis.ts';
import { startSurroundings } from '../support/surroundings.ts';

const SESSION_GOES_ON: GatewayFault[] = [
  ...[1_006, 4_000, 4_001, 4_002, 4_009].map(close),
  { name: 'op 7', strike: ({ discord }) => discord.gateway.requestReconnect() },
  { name: 'op 9, resumable', strike: ({ discord }) => discord.gateway.invalidate(true) },
  {
    name: 'garbage',
    strike({ discord }) {
      for (const frame of GARBAGE) discord.gateway.send(frame);
    },
    connectsAnew: false,
  },
];
const GARBAGE = ['', '<html>Bad gateway</html>', '{"op":', 'null', '[]', '"op"', '{}', '{"op":0}', new Uint8Array(99)];

const SESSION_ENDS: GatewayFault[] = [
  { name: 'a TCP reset', strike: ({ discord }) => discord.gateway.reset() },
  close(1_000),
  {
    name: 'a dead resume address',
    async strike({ discord }) {
      const { gateway } = discord;
      discord.setGatewayFaults({ deadResumeAddress: true });
      gateway.drop(4_003);
      await gateway.whenUp(gateway.identifies + gateway.resumes + 1);
      discord.setGatewayFaults({ deadResumeAddress: false });
      gateway.drop();
    },
  },
  close(4_003),
  {
    name: 'a RESUME that is not answered',
    async strike({ discord, bot }) {
      const before = bot.output().length;
      discord.setGatewayFaults({ resumesIgnored: true });
      discord.gateway.drop(4_000);
      await bot.wrote('resume came to nothing', before);
      discord.setGatewayFaults({ resumesIgnored: false });
    },
  },
  ...[4_005, 4_007, 4_008].map(close),
  { name: 'op 9, not resumable', strike: ({ discord }) => discord.gateway.invalidate(false) },
  {
    name: 'a refused resume',
    strike({ discord }) {
      discord.setGatewayFaults({ refusedResumes: 1 });
      discord.gateway.drop();
    },
  },
];

/** Each lasts a while. */
const GATEWAY_AWAY = [
  {
    name: 'half a minute of refused connections',
    async strike({ discord }) {
      await discord.refuseConnections(true);
      await sleep(30_000);
      await discord.refuseConnections(false);
    },
  },
  {
    name: 'eight seconds of closes with 1013',
    async strike({ discord }) {
      discord.setGatewayFaults({ closesAtOnce: 1_013 });
      discord.gateway.drop(1_013);
      await sleep(8_000);
      discord.setGatewayFaults({ closesAtOnce: undefined });
    },
  },
  {
    name: 'no HELLO',
    async strike({ discord, bot }) {
      const before = bot.output().length;
      discord.setGatewayFaults({ helloWithheld: true });
      discord.gateway.drop();
      await bot.wrote('gateway cannot be reached', before);
      discord.setGatewayFaults({ helloWithheld: false });
    },
  },
  {
    name: 'a READY that is late',
    async strike({ discord }) {
      discord.setGatewayFaults({ readyDelayMs: 5_000 });
      discord.gateway.drop(4_003);
    },
  },
  {
    name: 'a READY that does not come',
    async strike({ discord, bot }) {
      const before = bot.output().length;
      discord.setGatewayFaults({ readyWithheld: true });
      discord.gateway.drop(4_003);
      await bot.wrote('identify came to nothing', before);
      discord.setGatewayFaults({ readyWithheld: false });
    },
  },
] as const satisfies GatewayFault[];

const SHUT_OUT: [code: number, sentence: string][] = [
  [4_004, 'Discord refuses the bot token. Make a new one'],
  [4_010, 'Discord refuses the shard: check DISCORD_SHARDS and DISCORD_SHARD_COUNT.'],
  [4_011, 'The bot is in too many servers for one shard'],
  [4_012, 'Discord no longer speaks this gateway version: update the bot.'],
  [4_013, 'Discord refuses the intents: update the bot.'],
  [4_014, 'Discord refuses the intents: update the bot.'],
];

type Activity = 'idle' | 'waiting';

/** What one process lives through, until Discord shuts it out. */
interface Story {
  mode: 'embedded' | 'redis';
  faults: readonly (readonly [GatewayFault, Activity])[];
  end: { code: number; sentence: string; activity: Activity };
}

const [REFUSED, SENT_AWAY, NO_HELLO, LATE_READY, NO_READY] = GATEWAY_AWAY;

/**
 * They take equally long. Between two sessions something after which one goes on: who fails again and again waits ever
 * longer, and the next identify has to wait anyway.
 */
const LIVES: GatewayFault[][] = [
  [...withPermit(SESSION_ENDS.slice(0, 2), SESSION_GOES_ON.slice(0, 2)), NO_HELLO, REFUSED],
  [...withPermit(SESSION_ENDS.slice(2, 4), SESSION_GOES_ON.slice(2, 4)), NO_READY, LATE_READY],
  [...withPermit(SESSION_ENDS.slice(4), SESSION_GOES_ON.slice(4)), SENT_AWAY],
];

/**
 * A process costs more than all that happens to it, so each meets several faults. Over both modes each fault meets an
 * idle bot and one with a question in hand; what leaves the session alone is quick, and meets both in both modes. Each
 * process can be shut out once: what is said and done then depends on the code alone, not on where its state is.
 */
const STORIES: Story[] = (['embedded', 'redis'] as const).flatMap((mode, at) =>
  LIVES.map((faults, life): Story => {
    const activity = (index: number): Activity => ((life + index + at) % 2 === 0 ? 'idle' : 'waiting');
    const [code, sentence] = SHUT_OUT[LIVES.length * at + life] ?? expect.fail('a life without an end');
    return {
      mode,
      faults: faults.map((fault, index) => [fault, activity(index)]),
      end: { code, sentence, activity: activity(0) },
    };
  }),
);

describe('a bot process', () => {
  const told = new Map<Story, Promise<void>>();

  // All at once, for most of the time they wait.
  beforeAll(async () => {
    const redis = await startRedis();
    for (const [index, story] of STORIES.entries()) {
      const reservation = await startSurroundings({ requestsPerMinute: 6_000, burst: 100 });
      const variables = { REDIS_URL: redis.url, REDIS_KEY_PREFIX: `${redis.prefix}:${index}` };
      const bot = startBotProcess({ ...reservation.env, ...(story.mode === 'redis' && variables) });
      const end = bot.wrote('gateway ready').then(() => tell(story, { ...reservation, bot }));
      end.catch(() => {}); // its test says so
      told.set(story, end);
    }
  });

  it.each(STORIES.map((story) => [nameOf(story), story] as const))('%s', { timeout: 120_000 }, async (_, story) => {
    await told.get(story);
  });
});

async function tell({ faults, end }: Story, life: Life): Promise<void> {
  const { discord, cardService, bot } = life;
  for (const [fault, activity] of faults) await livesThrough(life, fault, activity);
  const { identifies } = discord.gateway;
  cardService.set({ latencyMs: 500 });
  const query = end.activity === 'waiting' ? ask(life) : undefined;
  await query?.typed.until(({ state }) => state === 'thinking');
  discord.gateway.drop(end.code);
  if (query) expect(await finalAnswer(query.typed)).toBe(query.title);
  expect(await bot.ended, bot.output()).toBe(1);
  expect(bot.output()).toContain(end.sentence);
  expect(discord.gateway.identifies).toBe(identifies);
}

function nameOf({ mode, faults, end }: Story): string {
  const lived = [...new Set(faults.map(([{ name }]) => name))].join(', ');
  return `${mode}: answers after ${lived}; says what to do and exits 1 after ${end.code}`;
}

function close(code: number): GatewayFault {
  return { name: String(code), strike: ({ discord }) => discord.gateway.drop(code) };
}

function withPermit(ends: readonly GatewayFault[], others: readonly GatewayFault[]): GatewayFault[] {
  return ends.flatMap((end, index) => [end, ...others.slice(index, index + 1).flatMap((other) => [other, other])]);
}
