import { expect } from 'vitest';
import { fetched, LIST, pasted, textOf } from '../support/pasted-list.ts';
import { cardRequests, inWorld, isFinal, isOnTheWay, isThinking, press, WITH_NAMES } from '../support/world.ts';

// What the bot keeps, in files or in Redis: over-redis.test.ts runs these again.

inWorld('lists are shown by /privacy and gone with it, also for what is under way', WITH_NAMES, async (world) => {
  const estimate = await pasted(world, LIST);
  const privacy = await world.type('privacy').settled();
  expect(privacy.content).toContain('At the moment: 1 list.');
  let another = estimate;
  for (let at = 0; at < 3; at++) another = await pasted(world, `${LIST}\n${at}1 base1-5`);
  expect((await world.type('privacy').settled()).content).toContain('At the moment: 3 lists.');
  expect((await fetched(world, estimate)).content).toContain('I no longer have that list');

  const newest = await pasted(world, LIST);
  world.cardService.set({ latencyMs: 60_000 });
  const underWay = press(world, newest, 'Fetch the prices');
  await underWay.until(isThinking);
  const sure = await press(world, privacy, 'Delete my data').settled();
  await press(world, sure, 'Delete my data').settled();
  expect((await fetched(world, another)).content).toContain('I no longer have that list');
  await world.stopBot();
  world.cardService.set({ latencyMs: 0 });
  await world.restartBot();
  expect((await underWay.until(isFinal)).content).toContain('I no longer have that list');
});

inWorld(
  'a list whose bot stops in the middle is completed by the next, at the cost that was said',
  WITH_NAMES,
  async (world) => {
    const estimate = await pasted(world, LIST);
    world.cardService.set({ latencyMs: 60_000 });
    const typed = press(world, estimate, 'Fetch the prices');
    await typed.until(({ content }) => isOnTheWay(content));
    await world.stopBot();
    world.cardService.set({ latencyMs: 0 });
    await world.restartBot();
    const answer = await typed.until(isFinal);
    expect(textOf(answer)).toContain('**164.07** at market (7 cards)');
    expect(new Set(cardRequests(world)).size).toBe(3);
  },
);
