import { expect, it } from 'vitest';
import { startWorld } from '../support/world.ts';

it('a member sees what is kept about them, and deletes it with the button that asks once more', async () => {
  const world = await startWorld();
  await world.card('base1-4').settled();
  const shown = await world.discord.type({ command: 'privacy' }).settled();
  expect(shown).toMatchObject({ ephemeral: true, content: expect.stringContaining('So far: 1 lookup on one day.') });
  const press = ({ messageId = '' }: typeof shown, customId: string) =>
    world.discord.click({ messageId, customId }).settled();
  const question = await press(shown, 'privacy:forget');
  expect(question).toMatchObject({ ephemeral: true, content: expect.stringContaining("can't be undone") });
  const done = await press(question, 'privacy:really-forget');
  expect(done).toMatchObject({ ephemeral: true, content: expect.stringContaining("Done, that's deleted.") });
  expect(world.cardService.requests).toHaveLength(1);
});
