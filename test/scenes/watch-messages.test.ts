import { expect, it } from 'vitest';
import type { ScriptedFault } from '../../sandbox/discord/faults.ts';
import { rateLimited, refused, serverError } from '../support/fault-forms.ts';
import { OTHER, untoldIn, watchedWorld } from '../support/watched-prices.ts';
import { labels, press, said } from '../support/world.ts';

/** Who watches takes no messages, and has missed one. */
async function refusingWorld() {
  const world = await watchedWorld();
  world.discord.takesMessages(world.alice, false);
  await world.priced(29.5);
  await expect.poll(() => said(world, 'discord refuses a message to a member')).toBeGreaterThan(0);
  return world;
}

it('a member is told of each crossing by one message, whose buttons work', async () => {
  const world = await watchedWorld();
  await world.priced(29.5);
  await expect.poll(world.told).toHaveLength(1);
  for (const market of [29, 31, 30.004]) await world.priced(market); // the last is shown as 30.00
  await expect.poll(world.told).toHaveLength(2);
  await world.restartBot();
  await world.priced(28);
  await world.stopBot();

  const [first, ...others] = world.told();
  expect(others.map(({ content }) => content)).toEqual(['**Emberwing Drake** has reached your target of 30.00.']);
  if (!first) throw new Error('no message');
  const { content, member, guildId, context } = first;
  expect([content, member.id]).toEqual(['**Emberwing Drake** is at 29.50, below your target of 30.00.', world.alice]);
  expect([guildId, context, labels(first)]).toEqual([null, 1, ['Show Emberwing Drake', 'Stop watching']]);
  await world.restartBot();
  const shown = await press(world, first, 'Show Emberwing Drake').settled();
  expect(shown).toMatchObject({ ephemeral: true, embeds: [{ title: 'Emberwing Drake' }] });
  expect((await press(world, first, 'Stop watching').settled()).content).toContain('Done');
});

it('who takes no messages is told once below the answer to a command, deferred or not, once Discord accepts that', async () => {
  const world = await refusingWorld();
  const refusals = () => world.lines.filter(({ msg }) => String(msg).startsWith('a message below a reply'));
  world.discord.faults.script(refused('follow-up', 'invalidWebhookToken'));
  await world.usage().settled();
  await expect.poll(refusals).toHaveLength(1);

  world.cardService.set({ latencyMs: 2_500 });
  const deferred = world.card(OTHER);
  const { embeds, followUps = [] } = await deferred.until((message) => (message.followUps ?? []).length > 0);
  expect(deferred.history.map(({ state }) => state)).toContain('thinking');
  expect([embeds.length, followUps]).toMatchObject([1, [{ ephemeral: true, embeds: [] }]]);
  expect(followUps[0]?.content).toMatch(
    /^I couldn't DM .*\n\*\*Emberwing Drake\*\* was at 29\.50, below your target of 30\.00 · <t:/,
  );
  const last = world.usage();
  await last.settled();
  await world.stopBot();
  expect([last.message.followUps, world.told()]).toEqual([undefined, []]);
});

it('a message below a reply whose confirmation is lost is sent once, and once more by the next command, which says so', async () => {
  const world = await refusingWorld();
  world.discord.faults.script({ route: 'follow-up', answer: 'lose answer' });
  const [first, second, third] = [world.usage(), world.usage, world.usage];
  await expect.poll(() => first.message.followUps).toHaveLength(1);
  await expect.poll(() => said(world, 'a message below a reply cannot be sent')).toBeGreaterThan(0);
  const again = await second().until(({ followUps = [] }) => followUps.length > 0);
  const last = third();
  await last.settled();
  await world.stopBot();
  expect(first.message.followUps?.map(({ content }) => content)).toEqual([expect.stringMatching(/^I couldn't DM/)]);
  expect(again.followUps?.map(({ content }) => content)).toEqual([
    expect.stringMatching(/^You may have seen this already:\n\*\*Emberwing Drake\*\* was at 29\.50/),
  ]);
  expect(last.message.followUps).toBeUndefined();
});

it('a message is sent again until Discord takes it, and shown once', async () => {
  async function told(...faults: ScriptedFault[]): Promise<void> {
    const world = await watchedWorld();
    world.discord.faults.script(...faults);
    await world.priced(29.5);
    await expect.poll(() => [world.told().length, world.discord.faults.pending]).toEqual([1, 0]);
    await world.restartBot();
    await world.pass(60_000);
    await world.stopBot();
    expect([world.told().length, untoldIn(world.config.dataDir)]).toEqual([1, []]);
  }
  await Promise.all([
    told(refused('dm', 'openingTooFast'), serverError('dm', { times: 4 })), // discord.js itself tries four times
    told(refused('message', 'unauthorized')),
    told({ route: 'message', answer: 'lose answer' }, rateLimited({ route: 'message', retryAfterSeconds: 1 })),
  ]);
});
