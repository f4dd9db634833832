import { GatewayDispatchEvents, GatewayOpcodes } from 'discord.js';
import { expect, it } from 'vitest';
import type { EmulatedDiscord } from '../../sandbox/discord/emulated-discord.ts';
import { startAppBot } from '../support/app-bot.ts';
import { startBackends } from '../support/backends.ts';
import { finalAnswer } from '../support/final-answers.ts';
import { dial } from '../support/gateway-client.ts';
import { ODD, oddPayloads } from '../support/odd-payloads.ts';

const { Ready, InteractionCreate, TypingStart } = GatewayDispatchEvents;
const { Reconnect, InvalidSession, Hello, Dispatch } = GatewayOpcodes;
const MEGABYTE = 1_048_576;
const OTHERS = Object.values(GatewayDispatchEvents).filter((t) => t !== Ready && t !== InteractionCreate);
/** Invalid event names. */
const NAMES = ['', 'error', '__proto__', 'constructor', 'newListener', ...ODD];
const OPS = [...Array.from({ length: 60 }, (_, op) => op - 5), ...ODD].filter(
  (op) => op !== Reconnect && op !== InvalidSession,
);

type Round = [name: string, round: () => void, reconnects?: true];

/** Most odd interactions are answered: all at once are more than a busy machine answers within Discord's 3 s. */
function inGroups<T>(all: readonly T[]): T[][] {
  return Array.from({ length: Math.ceil(all.length / 40) }, (_, index) => all.slice(40 * index, 40 * (index + 1)));
}

it('no invalid frame ends the bot, and the next valid command is answered', async () => {
  const { discord, env } = await startBackends();
  const { gateway } = discord;
  const { ready, interaction } = await recordedEvents(discord);
  const bot = await startAppBot(env);
  await bot.wrote('gateway ready');
  const send = (frame: object) => gateway.send(JSON.stringify(frame));
  const event = (t: unknown, d: unknown, s: unknown = null) => send({ op: Dispatch, t, d, s });
  const each = <T>(of: Iterable<T>, act: (one: T) => void) => {
    for (const one of of) act(one);
  };
  const rounds: Round[] = [
    ...inGroups([...oddPayloads(interaction)]).map(
      (group): Round => ['interactions', () => each(group, (d) => event(InteractionCreate, d))],
    ),
    ['READY', () => each(oddPayloads(ready), (d) => event(Ready, d))],
    ['other events', () => each([...OTHERS, ...NAMES], (t) => each(ODD, (d) => event(t, d)))],
    ['sequence numbers', () => each(ODD, (s) => event(TypingStart, {}, s))],
    ['op codes', () => each(OPS, (op) => each(ODD, (d) => send({ op, d })))],
    ['a second HELLO', () => send({ op: Hello, d: { heartbeat_interval: 100 } })],
    [
      'no JSON',
      () => each(['', 'null', '[]', '{"op":0', '<html>', '\0', new Uint8Array(99)], (it) => gateway.send(it)),
    ],
    ['8 MB', () => each(['{', '{"op":0,"d":"'], (start) => gateway.send(`${start}${'x'.repeat(8 * MEGABYTE)}"}`))],
    ['op 7 three times', () => each([null, 7, {}], (d) => send({ op: Reconnect, d })), true],
    ['op 9 three times', () => each([null, 7, {}], (d) => send({ op: InvalidSession, d })), true],
    ['op 9 and op 7', () => each([InvalidSession, Reconnect], (op) => send({ op, d: true })), true],
  ];

  for (const [name, round, reconnects] of rounds) {
    const before = gateway.identifies + gateway.resumes;
    round();
    if (reconnects) await Promise.race([gateway.whenUp(before + 1), bot.refused]);
    const typed = discord.type({ command: 'card', options: { id: 'base1-4' }, memberId: discord.members[1]?.id ?? '' });
    expect(await finalAnswer(typed).catch(String), `after ${name}\n${bot.output()}`).toBe('Emberwing Drake');
  }
  await bot.stop();

  const warnings = bot.output().match(/odd gateway frame dropped/g);
  expect(warnings?.length, 'at most one a minute').toBeLessThan(4);
});

/** The `d` fields of READY and of an INTERACTION_CREATE for `/card` in a server, which stays unanswered. */
async function recordedEvents(discord: EmulatedDiscord) {
  const { next, send, socket, closed } = dial(discord);
  await next(); // HELLO
  send(GatewayOpcodes.Identify, { token: discord.botToken, intents: 0, properties: {}, shard: [0, 1] });
  const { d: ready } = await next();
  discord.type({ command: 'card', options: { id: 'base1-4' } });
  const { d: interaction } = await next();
  socket.close(1_000);
  await closed;
  return { ready, interaction };
}
