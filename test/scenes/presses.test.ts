import { expect, it } from 'vitest';
import type { ChatMessage } from '../../sandbox/discord/chat.ts';
import { Stopping } from '../../src/model/errors.ts';
import { errorMessage } from '../../src/render/messages.ts';
import { refused } from '../support/fault-forms.ts';
import { press } from '../support/replies.ts';
import { startWorld } from '../support/world.ts';

/** Two replies with the same buttons. */
async function twoReplies() {
  const world = await startWorld();
  const first = await world.card('base1-4').settled();
  const second = await world.card('base1-4').settled();
  return { world, first, second, bob: world.discord.members[1]?.id ?? '' };
}

type Again = (replies: Awaited<ReturnType<typeof twoReplies>>) => [ChatMessage, label: string, by?: string];

it.each<[string, Again, laterMs: number, times: number]>([
  ['pressed twice', ({ first }) => [first, 'Other printings'], 0, 1],
  ['pressed again after three seconds', ({ first }) => [first, 'Other printings'], 3_001, 2],
  ['that two members press', ({ first, bob }) => [first, 'Other printings', bob], 0, 2],
  ['of another message', ({ second }) => [second, 'Other printings'], 0, 2],
])('a button %s is handled as often as it is meant', async (_, again, laterMs, times) => {
  const replies = await twoReplies();
  const { world, first } = replies;
  press(world, first, 'Other printings');
  await world.pass(laterMs);
  press(world, ...again(replies));
  await world.pass(1_000);
  const shown = world.discord.messages().filter(({ trigger, content }) => trigger === 'component' && content !== '');
  expect(shown).toHaveLength(times);
  const outcomes = (await world.commandLines(4)).slice(2).map(({ outcome }) => outcome);
  expect(outcomes.filter((outcome) => outcome === 'pressed twice')).toHaveLength(2 - times);
});

it('another button of the same message is handled at once', async () => {
  const { world, first } = await twoReplies();
  press(world, first, 'Other printings');
  press(world, first, 'Delete');
  await expect.poll(() => world.discord.message(first.interactionId)).toMatchObject({ deleted: true });
});

it.each(['Other printings', 'Show to everyone'])(
  'a button that is pressed again because its first answer was too late is handled: %s',
  async (label) => {
    const world = await startWorld();
    const first = await world.card('base1-4', { private: true }).settled();
    world.discord.faults.script(refused('callback', 'unknownInteraction'));
    press(world, first, label);
    await world.pass(100);
    await press(world, first, label).settled();
    expect((await world.commandLines(3)).slice(1)).toMatchObject([{ outcome: 'too late' }, { outcome: 'answered' }]);
  },
);

it('a form that was closed is opened again at once', async () => {
  const { world, first } = await twoReplies();
  for (let presses = 0; presses < 2; presses++) await press(world, first, 'Watch').settled();
  expect(await world.commandLines(4)).toMatchObject(Array(4).fill({ outcome: 'answered' }));
});

it('a menu that changes its message in place is handled each time', async () => {
  const world = await startWorld();
  const { messageId = '' } = await world.discord.type({ command: 'settings', manageGuild: true }).settled();
  for (const value of ['de', 'en', 'de'])
    await world.discord
      .choose({ messageId, customId: 'settings:language', values: [value], manageGuild: true })
      .settled();
  expect(await world.commandLines(4)).toMatchObject(Array(4).fill({ outcome: 'answered' }));
});

it('a button is not handled twice within three seconds of the press that was answered', async () => {
  const { world, first } = await twoReplies();
  world.discord.faults.script(refused('callback', 'unknownInteraction'));
  press(world, first, 'Other printings');
  await world.pass(2_500);
  press(world, first, 'Other printings');
  await world.pass(1_000);
  press(world, first, 'Other printings');
  await world.pass(1_000);
  const outcomes = (await world.commandLines(5)).slice(2).map(({ outcome }) => outcome);
  expect(outcomes).toEqual(['too late', 'answered', 'pressed twice']);
});

it('while the bot stops a command that came before is answered, and a new one refused in private', async () => {
  const world = await startWorld();
  world.cardService.set({ latencyMs: 1_000 });
  const before = world.card('base1-4');
  await world.pass(100);
  const stopped = world.stopBot();
  const after = world.card('base1-5');
  await stopped;
  expect(before.message.embeds).toHaveLength(1);
  const content = errorMessage('en-US', new Stopping());
  expect(after.message).toMatchObject({ ephemeral: true, content });
  expect(world.cardService.requests).toHaveLength(1);
});
