import { setTimeout as sleep } from 'node:timers/promises';
import PQueue from 'p-queue';
import { beforeAll, describe, expect, it } from 'vitest';
import { ask, type GatewayFault, type Life, livesThrough } from '../support/bot-life.ts';
import { finalAnswer } from '../support/final-answers.ts';
import { startRedis } from '../support/redis.ts';
import { type BotProcess, spawnBot } from '../support/spawn-bot.ts';
import { startSurroundings } from '../support/surroundings.ts';
import { whenOver } from '../support/when-over.ts';

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
  { name: 'a TCP reset', strike: ({ discord }) => discord.gateway.reset() },
  ...[1_000, 4_003, 4_005, 4_007, 4_008].map(close),
  { name: 'op 9, not resumable', strike: ({ discord }) => discord.gateway.invalidate(false) },
  {
    name: 'a refused resume',
    strike({ discord }) {
      discord.setGatewayFaults({ refusedResumes: 1 });
      discord.gateway.drop();
    },
  },
  {
    name: 'a RESUME that is not answered',
    async strike({ discord, bot }) {
      discord.setGatewayFaults({ resumesIgnored: true });
      discord.gateway.drop(4_000);
      await bot.wrote('resume came to nothing');
      discord.setGatewayFaults({ resumesIgnored: false });
    },
  },
];

/** Each lasts a while. */
const GATEWAY_AWAY: GatewayFault[] = [
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
      discord.setGatewayFaults({ helloWithheld: true });
      discord.gateway.drop();
      await bot.wrote('gateway cannot be reached');
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
      discord.setGatewayFaults({ readyWithheld: true });
      discord.gateway.drop(4_003);
      await bot.wrote('identify came to nothing');
      discord.setGatewayFaults({ readyWithheld: false });
    },
  },
];

const SHUT_OUT: [code: number, sentence: string][] = [
  [4_004, 'Discord refuses the bot token. Make a new one'],
  [4_010, 'Discord refuses the shard: check DISCORD_SHARDS and DISCORD_SHARD_COUNT.'],
  [4_011, 'The bot is in too many servers for one shard'],
  [4_012, 'Discord no longer speaks this gateway version: update the bot.'],
  [4_013, 'Discord refuses the intents: update the bot.'],
  [4_014, 'Discord refuses the intents: update the bot.'],
];

/** After a resume, what failed before lets nobody wait any more. */
const RESUMED = close(4_000);

type Activity = 'idle' | 'waiting';

/** What one process lives through, until Discord shuts it out. */
interface Story {
  mode: 'embedded' | 'redis';
  faults: readonly (readonly [GatewayFault, Activity])[];
  end: { code: number; sentence: string; activity: Activity };
}

/**
 * A process costs more than all that happens to it, so each meets several faults. Over both modes each fault meets an
 * idle bot and one with a question in hand; what leaves the session alone is quick, and meets both in both modes.
 */
const STORIES: Story[] = (['embedded', 'redis'] as const).flatMap((mode) => {
  const activity = (index: number): Activity => ((index % 2 === 0) === (mode === 'embedded') ? 'idle' : 'waiting');
  const thirds = inThrees(SESSION_ENDS);
  const lives = [
    ...GATEWAY_AWAY.map((fault, index) => [
      fault,
      ...(thirds[index - 1] ?? []).flatMap((one, at) => (at === 0 ? [RESUMED, one] : [one])),
    ]),
    SESSION_GOES_ON.flatMap((fault) => [fault, fault]),
  ];
  if (lives.length !== SHUT_OUT.length) throw new Error('as many lives as ways to end them');
  return SHUT_OUT.map(([code, sentence], index) => ({
    mode,
    faults: (lives[index] ?? []).map(
      (fault, at) => [fault, activity(lives.length === index + 1 ? at : index + at)] as const,
    ),
    end: { code, sentence, activity: activity(index) },
  }));
});

describe('a bot process', () => {
  const told = new Map<Story, Promise<void>>();

  // All at once, for most of the time they wait; only their starts are work for a processor, and those that wait longest come first.
  beforeAll(async () => {
    const redis = await startRedis();
    const starts = new PQueue({ concurrency: 3 });
    const bots: BotProcess[] = [];
    whenOver(() => {
      for (const { child } of bots) child.kill('SIGKILL');
    });
    const byLength = STORIES.toSorted((one, other) => one.faults.length - other.faults.length);
    for (const [index, story] of byLength.entries()) {
      const place = await startSurroundings({ requestsPerMinute: 6_000, burst: 100 });
      const variables = { REDIS_URL: redis.url, REDIS_KEY_PREFIX: `${redis.prefix}:${index}` };
      const started = starts.add(async () => {
        const bot = spawnBot({ ...place.env, ...(story.mode === 'redis' && variables) });
        bots.push(bot);
        await bot.wrote('gateway ready');
        return { ...place, bot };
      });
      const end = started.then((life) => tell(story, life));
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
  const question = end.activity === 'waiting' ? ask(life) : undefined;
  await question?.typed.until(({ state }) => state === 'thinking');
  discord.gateway.drop(end.code);
  if (question) expect(await finalAnswer(question.typed)).toBe(question.title);
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

function inThrees<T>(all: readonly T[]): T[][] {
  return Array.from({ length: Math.ceil(all.length / 3) }, (_, third) => all.slice(3 * third, 3 * third + 3));
}
