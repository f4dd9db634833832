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

/** A fault of the gateway from which Discord recovers, and how it begins and ends: resolves when Discord works again. */
type GatewayFault = readonly [name: string, inject: (running: RunningBot) => unknown];

/** Long enough for a lookup to be in progress when the fault begins. */
const SLOW_MS = 1_000;
const CANNOT_CONNECT = 'gateway cannot be reached';
/** A failed identify and the wait for the next one, on a busy machine. */
const RETURN_MS = 120_000;

const SESSION_SURVIVES: GatewayFault[] = [
  ...[1_006, 4_000, 4_001, 4_002, 4_009].map(close),
  ['op 7', ({ discord }) => discord.gateway.requestReconnect()],
  ['op 9, resumable', ({ discord }) => discord.gateway.invalidate(true)],
];

const SESSION_ENDS: GatewayFault[] = [
  ['a TCP reset', ({ discord }) => discord.gateway.reset()],
  ...[1_000, 4_003, 4_005, 4_007, 4_008].map(close),
  ['op 9, not resumable', ({ discord }) => discord.gateway.invalidate(false)],
  begun('a refused resume', { refusedResumes: 1 }),
];

/** Each lasts until the bot has given up a connection, or waited long for one. */
const GATEWAY_UNAVAILABLE: GatewayFault[] = [
  dropped('a READY that does not come', { readyWithheld: true }, 4_003, 'identify refused'),
  dropped('no HELLO', { helloWithheld: true }, undefined, CANNOT_CONNECT),
  dropped('a RESUME that is not answered', { resumesIgnored: true }, 4_000, 'resume was not answered'),
  [
    'a dead resume address',
    async ({ discord }) => {
      const { gateway } = discord;
      discord.setGatewayFaults({ deadResumeAddress: true });
      gateway.drop(4_003);
      await gateway.whenUp(gateway.identifies + gateway.resumes + 1);
      discord.setGatewayFaults({ deadResumeAddress: false });
      gateway.drop();
    },
  ],
  [
    'refused connections',
    async ({ discord, bot }) => {
      await discord.refuseConnections(true);
      await logs(bot, CANNOT_CONNECT, 3);
      await discord.refuseConnections(false);
    },
  ],
  begun('a READY that is late', { readyDelayMs: 5_000 }, 4_003),
  dropped('closes with 1013', { closesAtOnce: 1_013 }, 1_013, CANNOT_CONNECT, 3),
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
        const names = faults.map(([name]) => name).join(', ');
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
async function survives(running: RunningBot, [name, inject]: GatewayFault): Promise<void> {
  const { gateway } = running.discord;
  const before = gateway.identifies + gateway.resumes;
  const pending = await lookUpSlowly(running);

  await inject(running);

  expect(await finalAnswer(pending.typed, RETURN_MS), `during ${name}`).toBe(pending.title);
  const late = sleep(RETURN_MS, 'not reconnected in time', { ref: false });
  const end = await Promise.race([gateway.whenUp(before + 1), running.bot.refused, late]);
  if (end !== undefined) expect.fail(`${name}: ${end}\n${running.bot.output()}`);
  const { typed, title } = lookUp(running);
  expect(await finalAnswer(typed, RETURN_MS), `after ${name}`).toBe(title);
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

/** Resolves when the bot has logged it so many times more. */
async function logs(bot: AppBot, words: string, times: number): Promise<void> {
  for (let time = 0; time < times; time++) await bot.wrote(words, bot.output().length);
}

/** A fault that begins with a drop, and ends by itself. */
function begun(name: string, faults: Partial<GatewayFaults>, code?: number): GatewayFault {
  return [
    name,
    ({ discord }) => {
      discord.setGatewayFaults(faults);
      discord.gateway.drop(code);
    },
  ];
}

/** One that lasts until the bot has logged so many times what came of it. */
function dropped(
  name: string,
  faults: Partial<GatewayFaults>,
  code: number | undefined,
  words: string,
  times = 1,
): GatewayFault {
  const [, begin] = begun(name, faults, code);
  const none = Object.fromEntries(Object.keys(faults).map((fault) => [fault, undefined]));
  return [
    name,
    async (running) => {
      begin(running);
      await logs(running.bot, words, times);
      running.discord.setGatewayFaults(none);
    },
  ];
}

function close(code: number): GatewayFault {
  return [String(code), ({ discord }) => discord.gateway.drop(code)];
}
