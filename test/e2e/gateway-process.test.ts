import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, describe, expect, it } from 'vitest';
import { startBackends } from '../support/backends.ts';
import { startBotProcess } from '../support/bot-process.ts';
import { finalAnswer } from '../support/final-answers.ts';
import { type GatewayFault, lookUp, type RunningBot, survives } from '../support/gateway-fault.ts';
import { startRedis } from '../support/redis.ts';

const SESSION_SURVIVES: GatewayFault[] = [
  ...[1_006, 4_000, 4_001, 4_002, 4_009].map(close),
  { name: 'op 7', inject: ({ discord }) => discord.gateway.requestReconnect() },
  { name: 'op 9, resumable', inject: ({ discord }) => discord.gateway.invalidate(true) },
  {
    name: 'garbage',
    inject({ discord }) {
      for (const frame of GARBAGE) discord.gateway.send(frame);
    },
    reconnects: false,
  },
];
const GARBAGE = ['', '<html>Bad gateway</html>', '{"op":', 'null', '[]', '"op"', '{}', '{"op":0}', new Uint8Array(99)];

const SESSION_ENDS: GatewayFault[] = [
  { name: 'a TCP reset', inject: ({ discord }) => discord.gateway.reset() },
  close(1_000),
  {
    name: 'a dead resume address',
    async inject({ discord }) {
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
    async inject({ discord, bot }) {
      const before = bot.output().length;
      discord.setGatewayFaults({ resumesIgnored: true });
      discord.gateway.drop(4_000);
      await bot.wrote('resume was not answered', before);
      discord.setGatewayFaults({ resumesIgnored: false });
    },
  },
  ...[4_005, 4_007, 4_008].map(close),
  { name: 'op 9, not resumable', inject: ({ discord }) => discord.gateway.invalidate(false) },
  {
    name: 'a refused resume',
    inject({ discord }) {
      discord.setGatewayFaults({ refusedResumes: 1 });
      discord.gateway.drop();
    },
  },
];

/** Each lasts a while. */
const GATEWAY_UNAVAILABLE = [
  {
    name: 'half a minute of refused connections',
    async inject({ discord }) {
      await discord.refuseConnections(true);
      await sleep(30_000);
      await discord.refuseConnections(false);
    },
  },
  {
    name: 'eight seconds of closes with 1013',
    async inject({ discord }) {
      discord.setGatewayFaults({ closesAtOnce: 1_013 });
      discord.gateway.drop(1_013);
      await sleep(8_000);
      discord.setGatewayFaults({ closesAtOnce: undefined });
    },
  },
  {
    name: 'no HELLO',
    async inject({ discord, bot }) {
      const before = bot.output().length;
      discord.setGatewayFaults({ helloWithheld: true });
      discord.gateway.drop();
      await bot.wrote('gateway cannot be reached', before);
      discord.setGatewayFaults({ helloWithheld: false });
    },
  },
  {
    name: 'a READY that is late',
    async inject({ discord }) {
      discord.setGatewayFaults({ readyDelayMs: 5_000 });
      discord.gateway.drop(4_003);
    },
  },
  {
    name: 'a READY that does not come',
    async inject({ discord, bot }) {
      const before = bot.output().length;
      discord.setGatewayFaults({ readyWithheld: true });
      discord.gateway.drop(4_003);
      await bot.wrote('identify refused', before);
      discord.setGatewayFaults({ readyWithheld: false });
    },
  },
] as const satisfies GatewayFault[];

const SHUT_OUT: [code: number, sentence: string][] = [
  [4_004, 'Discord refuses the bot token. Make a new one'],
  [4_010, 'Discord refuses the shard: check DISCORD_SHARDS and DISCORD_SHARD_COUNT.'],
  [4_011, 'The bot is in too many servers for one shard'],
  [4_012, 'Discord no longer supports this gateway version: update the bot.'],
  [4_013, 'Discord refuses the intents: update the bot.'],
  [4_014, 'Discord refuses the intents: update the bot.'],
];

type Activity = 'idle' | 'waiting';

/** The faults that one process survives, and the close code with which Discord shuts it out at the end. */
interface Scenario {
  mode: 'embedded' | 'redis';
  faults: readonly (readonly [GatewayFault, Activity])[];
  end: { code: number; sentence: string; activity: Activity };
}

const [REFUSED, TURNED_AWAY, NO_HELLO, LATE_READY, NO_READY] = GATEWAY_UNAVAILABLE;

/**
 * The sequences take equally long. Faults that end the session alternate with faults that it survives: repeated failures
 * are retried with growing waits, and the next identify has to wait anyway.
 */
const FAULT_SEQUENCES: GatewayFault[][] = [
  [...interleaved(SESSION_ENDS.slice(0, 2), SESSION_SURVIVES.slice(0, 2)), NO_HELLO, REFUSED],
  [...interleaved(SESSION_ENDS.slice(2, 4), SESSION_SURVIVES.slice(2, 4)), NO_READY, LATE_READY],
  [...interleaved(SESSION_ENDS.slice(4), SESSION_SURVIVES.slice(4)), TURNED_AWAY],
];

/**
 * Starting a process takes longer than a fault, so each process meets several. Across both modes each fault meets an idle
 * bot and one with a lookup in progress; faults that the session survives are quick and meet both in both modes. Each
 * process can be shut out once: what it logs and does then depends on the close code alone, not on where its state is.
 */
const SCENARIOS: Scenario[] = (['embedded', 'redis'] as const).flatMap((mode, modeIndex) =>
  FAULT_SEQUENCES.map((faults, sequence): Scenario => {
    const activity = (index: number): Activity => ((sequence + index + modeIndex) % 2 === 0 ? 'idle' : 'waiting');
    const [code, sentence] =
      SHUT_OUT[FAULT_SEQUENCES.length * modeIndex + sequence] ?? expect.fail('more scenarios than close codes');
    return {
      mode,
      faults: faults.map((fault, index) => [fault, activity(index)]),
      end: { code, sentence, activity: activity(0) },
    };
  }),
);

describe('a bot process', () => {
  const results = new Map<Scenario, Promise<void>>();

  // All at once, because most of the time they wait.
  beforeAll(async () => {
    const redis = await startRedis();
    for (const [index, scenario] of SCENARIOS.entries()) {
      const backends = await startBackends({ requestsPerMinute: 6_000, burst: 100 });
      const variables = { REDIS_URL: redis.url, REDIS_KEY_PREFIX: `${redis.prefix}:${index}` };
      const bot = startBotProcess({ ...backends.env, ...(scenario.mode === 'redis' && variables) });
      const result = bot.wrote('gateway ready').then(() => play(scenario, { ...backends, bot }));
      result.catch(() => {}); // its test fails with it
      results.set(scenario, result);
    }
  });

  it.each(SCENARIOS.map((scenario) => [nameOf(scenario), scenario] as const))(
    '%s',
    { timeout: 240_000 },
    async (_, scenario) => {
      await results.get(scenario);
    },
  );
});

async function play({ faults, end }: Scenario, running: RunningBot): Promise<void> {
  const { discord, cardService, bot } = running;
  for (const [fault, activity] of faults) await survives(running, fault, activity);
  const { identifies } = discord.gateway;
  cardService.set({ latencyMs: 500 });
  const pending = end.activity === 'waiting' ? lookUp(running) : undefined;
  await pending?.typed.until(({ state }) => state === 'thinking');
  discord.gateway.drop(end.code);
  if (pending) expect(await finalAnswer(pending.typed)).toBe(pending.title);
  expect(await bot.ended, bot.output()).toBe(1);
  expect(bot.output()).toContain(end.sentence);
  expect(discord.gateway.identifies).toBe(identifies);
}

function nameOf({ mode, faults, end }: Scenario): string {
  const faultNames = [...new Set(faults.map(([{ name }]) => name))].join(', ');
  return `${mode}: answers after ${faultNames}; prints what to do and exits 1 after ${end.code}`;
}

function close(code: number): GatewayFault {
  return { name: String(code), inject: ({ discord }) => discord.gateway.drop(code) };
}

function interleaved(ends: readonly GatewayFault[], survived: readonly GatewayFault[]): GatewayFault[] {
  return ends.flatMap((end, index) => [end, ...survived.slice(index, index + 1).flatMap((fault) => [fault, fault])]);
}
