import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect } from 'vitest';
import type { GatewayFaults } from '../../sandbox/discord/gateway.ts';
import { SAMPLE_CARDS } from '../../sandbox/sample-cards.ts';
import { atOnce } from '../support/at-once.ts';
import { type AppBot, type Backends, startAppBot, startBackends } from '../support/backends.ts';
import { finalAnswer, isThinking } from '../support/world.ts';

/** A bot and the servers that it talks to. */
interface RunningBot extends Backends {
  bot: AppBot;
}

/** A fault of the gateway from which Discord recovers. */
interface GatewayFault {
  name: string;
  /** Resolves when Discord works again. */
  inject(running: RunningBot): unknown;
}

/** Long enough for a lookup to be in progress when the fault begins. */
const SLOW_MS = 1_000;
const CANNOT_CONNECT = 'gateway cannot be reached';
/** A failed identify and the wait for the next one, on a busy machine. */
const RETURN_MS = 120_000;

const SESSION_SURVIVES: GatewayFault[] = [
  ...[1_006, 4_000, 4_001, 4_002, 4_009].map(close),
  { name: 'op 7', inject: ({ discord }) => discord.gateway.requestReconnect() },
  { name: 'op 9, resumable', inject: ({ discord }) => discord.gateway.invalidate(true) },
];

const SESSION_ENDS: GatewayFault[] = [
  { name: 'a TCP reset', inject: ({ discord }) => discord.gateway.reset() },
  ...[1_000, 4_003, 4_005, 4_007, 4_008].map(close),
  { name: 'op 9, not resumable', inject: ({ discord }) => discord.gateway.invalidate(false) },
  {
    name: 'a refused resume',
    inject({ discord }) {
      discord.setGatewayFaults({ refusedResumes: 1 });
      discord.gateway.drop();
    },
  },
];

/** Each lasts until the bot has given up a connection, or waited long for one. */
const GATEWAY_UNAVAILABLE: GatewayFault[] = [
  dropped('a READY that does not come', 4_003, 'readyWithheld', 'identify refused'),
  dropped('no HELLO', undefined, 'helloWithheld', CANNOT_CONNECT),
  dropped('a RESUME that is not answered', 4_000, 'resumesIgnored', 'resume was not answered'),
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
  {
    name: 'refused connections',
    async inject({ discord, bot }) {
      await discord.refuseConnections(true);
      await logs(bot, CANNOT_CONNECT, 3);
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
      await logs(bot, CANNOT_CONNECT, 3);
      discord.setGatewayFaults({ closesAtOnce: undefined });
    },
  },
];

/** Few for each bot: a new session waits 5.5 s for its identify, and repeated failures are retried with growing waits. */
const SEQUENCES: GatewayFault[][] = [
  ...GATEWAY_UNAVAILABLE.map((fault, index) => [...SESSION_SURVIVES.slice(index, index + 1), fault]),
  ...[0, 2, 4, 6].map((first) => SESSION_ENDS.slice(first, first + 2)),
];

/** The code with which Discord shuts a bot out at the end, and what it says then. */
const SHUT_OUT: [code: number, sentence: string][] = [
  [4_004, 'Discord refuses the bot token. Make a new one'],
  [4_010, 'Discord refuses the shard: check DISCORD_SHARDS and DISCORD_SHARD_COUNT.'],
  [4_011, 'The bot is in too many servers for one shard'],
  [4_012, 'Discord no longer supports this gateway version: update the bot.'],
  [4_013, 'Discord refuses the intents: update the bot.'],
  [4_014, 'Discord refuses the intents: update the bot.'],
];

describe('a bot with a lookup in progress', () => {
  atOnce(
    Object.fromEntries(
      SEQUENCES.map((faults, index) => {
        const [code, sentence] = SHUT_OUT[index % SHUT_OUT.length] ?? expect.fail('no close codes');
        const names = faults.map(({ name }) => name).join(', ');
        const rule = `answers after ${names}; can be used no longer after ${code}, and says what to do`;
        return [rule, () => play(faults, code, sentence)];
      }),
    ),
  );
});

async function play(faults: readonly GatewayFault[], code: number, sentence: string): Promise<void> {
  const backends = await startBackends({ requestsPerMinute: 6_000, burst: 100 });
  const bot = await startAppBot(backends.env);
  await bot.wrote('gateway ready');
  const running = { ...backends, bot };
  for (const fault of faults) await survives(running, fault);
  const { gateway } = running.discord;
  const { identifies } = gateway;
  const pending = await lookUpSlowly(running);
  gateway.drop(code);
  expect((await bot.refused).message).toContain(sentence);
  expect(await finalAnswer(pending.typed)).toBe(pending.title);
  await bot.stop();
  expect(gateway.identifies).toBe(identifies);
}

/** A lookup is in progress during the fault. Afterwards the bot is connected and answers. */
async function survives(running: RunningBot, fault: GatewayFault): Promise<void> {
  const { gateway } = running.discord;
  const before = gateway.identifies + gateway.resumes;
  const pending = await lookUpSlowly(running);

  await fault.inject(running);

  expect(await finalAnswer(pending.typed, RETURN_MS), `during ${fault.name}`).toBe(pending.title);
  await unlessItEnds(running, gateway.whenUp(before + 1), fault.name);
  const { typed, title } = lookUp(running);
  expect(await finalAnswer(typed, RETURN_MS), `after ${fault.name}`).toBe(title);
}

/** Types `/card` for a card that this bot has not requested yet. */
function lookUp({ card, cardService }: RunningBot) {
  const seen = cardService.requests.length;
  const { id, name: title } = SAMPLE_CARDS[seen] ?? expect.fail('more lookups than cards');
  return { typed: card(id), title };
}

async function lookUpSlowly(running: RunningBot) {
  running.cardService.set({ latencyMs: SLOW_MS });
  const pending = lookUp(running);
  await pending.typed.until(isThinking);
  running.cardService.set({ latencyMs: 0 });
  return pending;
}

async function unlessItEnds({ bot }: RunningBot, event: Promise<void>, fault: string): Promise<void> {
  const end = await Promise.race([event, bot.refused, sleep(RETURN_MS, 'not reconnected in time', { ref: false })]);
  if (end !== undefined) expect.fail(`${fault}: ${end}\n${bot.output()}`);
}

/** Resolves when the bot has logged it so many times more. */
async function logs(bot: AppBot, words: string, times: number): Promise<void> {
  for (let time = 0; time < times; time++) await bot.wrote(words, bot.output().length);
}

/** A fault that lasts from a drop until the bot has logged what came of it. */
function dropped(name: string, code: number | undefined, fault: keyof GatewayFaults, words: string): GatewayFault {
  return {
    name,
    async inject({ discord, bot }) {
      discord.setGatewayFaults({ [fault]: true });
      discord.gateway.drop(code);
      await logs(bot, words, 1);
      discord.setGatewayFaults({ [fault]: false });
    },
  };
}

function close(code: number): GatewayFault {
  return { name: String(code), inject: ({ discord }) => discord.gateway.drop(code) };
}
