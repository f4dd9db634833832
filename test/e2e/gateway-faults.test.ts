import { describe, expect, it } from 'vitest';
import { finalAnswer } from '../support/final-answers.ts';
import { identified } from '../support/identified.ts';
import { cardRequests, startWorld, type World } from '../support/world.ts';

const CARD = 'Emberwing Drake';

describe('the gateway connection', () => {
  it('is taken up again after every close that allows it, and nothing typed meanwhile is lost', async () => {
    await Promise.all(
      [1_006, 4_000, 4_001, 4_002, 4_009].map(async (code) => {
        const world = await startWorld();
        const { gateway } = world.discord;
        gateway.drop(code);
        expect(await finalAnswer(world.card('base1-4')), `after ${code}`).toBe(CARD);
        expect([gateway.identifies, gateway.resumes], `after ${code}`).toEqual([1, 1]);
        expect(cardRequests(world)).toHaveLength(1);
      }),
    );
  });

  it('is taken up again when Discord asks for it or takes the session back for a moment (op 7, op 9)', async () => {
    const world = await startWorld();
    const { gateway } = world.discord;

    gateway.requestReconnect();
    await expect.poll(() => gateway.resumes).toBe(1);
    expect(await finalAnswer(world.card('base1-4'))).toBe(CARD);
    gateway.invalidate(true);
    expect(await finalAnswer(world.card('base1-4'))).toBe(CARD);

    expect([gateway.identifies, gateway.resumes]).toEqual([1, 2]);
  });

  it('is made anew after whatever ends the session, and then answers', async () => {
    const endings: ((world: World) => void)[] = [
      ({ discord }) => discord.gateway.drop(1_000),
      ({ discord }) => discord.gateway.drop(4_003),
      ({ discord }) => discord.gateway.drop(4_007),
      ({ discord }) => discord.gateway.drop(4_008),
      ({ discord }) => discord.gateway.invalidate(false),
      ({ discord }) => {
        discord.setGatewayFaults({ refusedResumes: 1 });
        discord.gateway.drop();
      },
    ];
    await Promise.all(
      endings.map(async (end) => {
        const world = await startWorld();
        end(world);
        await identified(world, 2);
        expect(await finalAnswer(world.card('base1-4'))).toBe(CARD);
      }),
    );
  });
});
