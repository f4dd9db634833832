import { beforeAll, describe, expect, it } from 'vitest';
import { type AppBot, startAppBot } from '../support/app-bot.ts';
import { startBackends } from '../support/backends.ts';
import { finalAnswer } from '../support/final-answers.ts';
import { type GatewayFault, lookUp, type RunningBot, survives } from '../support/gateway-fault.ts';

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

/** Each lasts until the bot has failed to connect; the first takes longest, and meets the quickest of the others. */
const GATEWAY_UNAVAILABLE: GatewayFault[] = [
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
  {
    name: 'no HELLO',
    async inject({ discord, bot }) {
      discord.setGatewayFaults({ helloWithheld: true });
      discord.gateway.drop();
      await cannotConnect(bot, 1);
      discord.setGatewayFaults({ helloWithheld: false });
    },
  },
  {
    name: 'refused connections',
    async inject({ discord, bot }) {
      await discord.refuseConnections(true);
      await cannotConnect(bot, 3);
      await discord.refuseConnections(false);
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
    name: 'closes with 1013',
    async inject({ discord, bot }) {
      discord.setGatewayFaults({ closesAtOnce: 1_013 });
      discord.gateway.drop(1_013);
      await cannotConnect(bot, 3);
      discord.setGatewayFaults({ closesAtOnce: undefined });
    },
  },
];

const SHUT_OUT: [code: number, sentence: string][] = [
  [4_004, 'Discord refuses the bot token. Make a new one'],
  [4_010, 'Discord refuses the shard: check DISCORD_SHARDS and DISCORD_SHARD_COUNT.'],
  [4_011, 'The bot is in too many servers for one shard'],
  [4_012, 'Discord no longer supports this gateway version: update the bot.'],
  [4_013, 'Discord refuses the intents: update the bot.'],
  [4_014, 'Discord refuses the intents: update the bot.'],
];

type Activity = 'idle' | 'waiting';

/** The faults that one bot survives, and the close code with which Discord shuts it out at the end. */
interface Scenario {
  faults: readonly (readonly [GatewayFault, Activity])[];
  end: { code: number; sentence: string; activity: Activity };
}

/**
 * Faults that end the session alternate with faults that it survives: repeated failures are retried with growing waits,
 * and the next identify has to wait anyway.
 */
const FAULT_SEQUENCES: GatewayFault[][] = GATEWAY_UNAVAILABLE.map((unavailable, index) => [
  ...interleaved(eachFifth(SESSION_ENDS, index), eachFifth(SESSION_SURVIVES, index)),
  unavailable,
]);

/** Each sequence is played twice, so that each fault meets an idle bot and one with a lookup in progress. */
const SCENARIOS: Scenario[] = [...FAULT_SEQUENCES, ...FAULT_SEQUENCES].map((sequence, index) => {
  const [code, sentence] = SHUT_OUT[index % SHUT_OUT.length] ?? expect.fail('no close codes');
  const activity = (position: number): Activity => ((index + position) % 2 === 0 ? 'idle' : 'waiting');
  return {
    faults: sequence.map((fault, position) => [fault, activity(position)]),
    end: { code, sentence, activity: activity(0) },
  };
});

describe('a bot', () => {
  const results = new Map<Scenario, Promise<void>>();

  // All at once, because most of the time they wait.
  beforeAll(async () => {
    for (const scenario of SCENARIOS) {
      const backends = await startBackends({ requestsPerMinute: 6_000, burst: 100 });
      const bot = await startAppBot(backends.env);
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
  expect((await bot.refused).message).toContain(end.sentence);
  if (pending) expect(await finalAnswer(pending.typed)).toBe(pending.title);
  await bot.stop();
  expect(discord.gateway.identifies).toBe(identifies);
}

function nameOf({ faults, end }: Scenario): string {
  const faultNames = [...new Set(faults.map(([{ name }]) => name))].join(', ');
  return `answers after ${faultNames}; can be used no longer after ${end.code}, and says what to do`;
}

function close(code: number): GatewayFault {
  return { name: String(code), inject: ({ discord }) => discord.gateway.drop(code) };
}

/** Resolves when the bot has logged `times` more that it cannot connect. */
async function cannotConnect(bot: AppBot, times: number): Promise<void> {
  for (let time = 0; time < times; time++) await bot.wrote('gateway cannot be reached', bot.output().length);
}

function eachFifth<T>(all: readonly T[], first: number): T[] {
  return all.filter((_, index) => index % 5 === first);
}

function interleaved(ends: readonly GatewayFault[], survived: readonly GatewayFault[]): GatewayFault[] {
  return ends.flatMap((end, index) => [end, ...survived.slice(index, index + 1).flatMap((fault) => [fault, fault])]);
}
