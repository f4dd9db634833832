import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, it } from 'vitest';
import { SAMPLE_CARDS, SAMPLE_CATALOG } from '../../src/sandbox/sample-cards.ts';
import { choose, press } from '../support/buttons.ts';
import { offered } from '../support/confirmed-cards.ts';
import { cardRequests, startWorld } from '../support/world.ts';

it('a price that another lookup brings crosses the line of a watch, which is listed and stopped', async () => {
  const world = await startWorld({ catalog: SAMPLE_CATALOG, known: [{ id: 'base1-4', ageMs: 86_400_000 }] });
  await offered(world, 'base1-4');
  const watch = (options: Record<string, string | number>) => world.discord.type({ command: 'watch', options });
  const set = await watch({ card: 'base1-4', below: 30 }).settled();
  expect(set).toMatchObject({
    ephemeral: true,
    content: expect.stringContaining('**Emberwing Drake** is at 30.00 or below.'),
  });
  const golem = await watch({ card: 'dusk2-33', percent: 10 }).settled();
  expect(cardRequests(world)).toEqual([]);

  const drake = SAMPLE_CARDS.find(({ id }) => id === 'base1-4');
  world.cardService.script({ path: 'base1-4', body: { ...drake, prices: { market: 12.34 } } });
  const bob = world.discord.members[1]?.id ?? '';
  await world.card('base1-4', {}, { memberId: bob }).until(({ embeds }) => /12[.,]34/.test(JSON.stringify(embeds)));

  const list = await world.discord.type({ command: 'watches' }).settled();
  expect(list.ephemeral).toBe(true);
  expect(JSON.stringify(list.embeds)).toMatch(/Emberwing Drake.*30\.00 or below · Last price 12\.34.*Wax Golem.*10%/);
  expect((await press(world, golem, 'Stop watching').settled()).content).toContain('Done');
  const kept = await world.discord.type({ command: 'watches' }).settled();
  expect(JSON.stringify(kept.embeds)).not.toContain('Wax Golem');

  await world.stopBot();
  const [watched] = storedWatches(world.config.dataDir);
  expect(watched).toMatchObject({ cardId: 'base1-4', crossings: 1 });
  await world.restartBot();
  await choose(world, kept, String(watched?.id)).settled();
  const none = { content: expect.stringContaining("You aren't watching any prices."), embeds: [], components: [] };
  await expect.poll(() => world.discord.message(kept.interactionId)).toMatchObject(none);
});

function storedWatches(dataDir: string): { id?: string }[] {
  using database = new DatabaseSync(join(dataDir, 'state.sqlite'));
  const rows = database.prepare('SELECT watch FROM watched_prices').all();
  return rows.map(({ watch }) => JSON.parse(String(watch)));
}
