import { expect } from 'vitest';
import { startApp } from '../../src/app.ts';
import { atOnce } from '../support/at-once.ts';
import { logLines } from '../support/log-lines.ts';
import { finalAnswer, startWorld, type World } from '../support/world.ts';

const CARD = 'Emberwing Drake';

function messages({ lines }: World): unknown[] {
  return lines.map(({ msg }) => msg);
}

/** What a stop comes in the middle of. */
const STATES: Readonly<Record<string, (world: World) => unknown>> = {
  'while all works': () => {},
  'while Discord refuses connections': async (world) => {
    await world.discord.refuseConnections(true);
    await expect.poll(() => messages(world)).toContainEqual(expect.stringContaining('gateway cannot be reached'));
  },
  'just after the connection broke': ({ discord }) => discord.gateway.drop(1_006),
  'while heartbeats are not acknowledged': ({ discord }) => discord.setGatewayFaults({ heartbeatsIgnored: true }),
};

async function closesAll(prepare: (world: World) => unknown): Promise<void> {
  const world = await startWorld();
  const { gateway } = world.discord;
  await prepare(world);
  const before = messages(world);
  const { identifies, resumes } = gateway;

  await world.stopBot();
  await world.discord.refuseConnections(false);

  await expect.poll(() => gateway.sessions).toBe(0); // the bot sees the close before Discord does
  expect([gateway.identifies, gateway.resumes]).toEqual([identifies, resumes]);
  const logged = messages(world).slice(before.length);
  expect(logged).not.toContain('stopped before everything was done');
  expect(logged).not.toContain('gateway connection lost, reconnecting');
}

atOnce({
  ...Object.fromEntries(
    Object.entries(STATES).map(([when, prepare]) => [
      `a stop ${when} closes all connections, opens none, and logs no failure`,
      () => closesAll(prepare),
    ]),
  ),

  'a gateway connection whose heartbeats are not acknowledged is closed and resumed': async () => {
    // Long enough for a busy machine to acknowledge, otherwise the connection would be closed again and again.
    const world = await startWorld({ discord: { heartbeatIntervalMs: 2_000 } });
    const { gateway } = world.discord;

    world.discord.setGatewayFaults({ heartbeatsIgnored: true });
    await gateway.whenUp(2);
    expect(gateway.resumes).toBeGreaterThan(0);
    world.discord.setGatewayFaults({ heartbeatsIgnored: false });

    expect(await finalAnswer(world.card('base1-4'))).toBe(CARD);
  },

  'a stop while the bot waits for READY is complete in time': async () => {
    const world = await startWorld();
    await world.stopBot();
    world.discord.setGatewayFaults({ readyWithheld: true });
    const { log, lines } = logLines();
    const bot = await startApp(world.config, log);
    await expect.poll(() => world.discord.gateway.identifies).toBe(2);

    await bot.stop();

    expect(lines.map(({ msg }) => msg)).not.toContain('stopped before everything was done');
    expect(world.discord.gateway.identifies).toBe(2);
  },

  'a stop just after the connection broke leaves no timer that would connect later': async () => {
    const world = await startWorld();
    const { gateway } = world.discord;
    gateway.drop(1_006);
    await world.restartBot();

    // discord.js waits half a second before it reconnects; that has passed for both bots when the second is back.
    gateway.drop(1_006);
    expect(await finalAnswer(world.card('base1-4'))).toBe(CARD);

    expect([gateway.identifies, gateway.resumes, gateway.sessions]).toEqual([2, 1, 1]);
  },
});
