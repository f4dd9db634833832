import { describe, expect, it } from 'vitest';
import { field } from '../support/replies.ts';
import { startWorld, statuses } from '../support/world.ts';

/** No card of any id, in an answer that states so much of the day, or nothing. */
function noCard(remaining?: number, headers: Record<string, string> = {}) {
  const unstated = { 'x-ratelimit-limit': undefined, 'x-ratelimit-reset': undefined };
  return {
    status: 404,
    body: { _tag: 'CardNotFound', message: 'There is no such card.' },
    headers: { ...(remaining === undefined && unstated), 'x-ratelimit-remaining': remaining?.toString(), ...headers },
  };
}

describe('what the service has stated to remain', () => {
  const USED_UP = /^Today's new lookups are used up\./;

  it('goes down with each request until it is stated again; at 0 nothing leaves, which members and /usage say', async () => {
    const world = await startWorld({ env: { CARD_SERVICE_API_KEY: undefined } });
    world.cardService.script(noCard(3), { ...noCard(), times: 99 });
    for (const id of ['a-1', 'a-2']) await world.card(id).settled();
    expect(field(await world.usage().settled(), 'Today')).toContain('998 of 1,000 used, 2 left');
    for (const id of ['a-3', 'a-4']) expect((await world.card(id).settled()).content).toMatch(/^No card has the id/);

    expect((await world.card('a-5').settled()).content).toMatch(USED_UP);
    expect(statuses(world)).toHaveLength(4);
    const usage = await world.usage().settled();
    expect(usage.embeds[0]?.description).toMatch(/^Today's requests are used up until/);
    expect(field(usage, 'Today')).toContain('1,000 of 1,000 used, 0 left');
  });

  it('is what a usage report says, too', async () => {
    const world = await startWorld();
    const { 'x-ratelimit-remaining': _, ...unstated } = noCard().headers;
    const report = { plan: 'free', requests: { limit: 1_000, remaining: 1 } };
    world.cardService.script(
      { path: '/v1/usage', headers: { ...unstated, 'x-ratelimit-remaining': undefined }, body: report },
      { ...noCard(), times: 99 },
    );
    expect(field(await world.usage().settled(), 'Today')).toContain('999 of 1,000 used, 1 left');
    expect((await world.card('a-1').settled()).content).toMatch(/^No card has the id/);
    expect((await world.card('a-2').settled()).content).toMatch(USED_UP);
    expect(statuses(world)).toEqual([200, 404]);
  });
});
