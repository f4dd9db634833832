import { expect, it } from 'vitest';
import { startWorld } from '../support/world.ts';

it('a member sees what is kept about them, and deletes it with the button', async () => {
  const world = await startWorld();
  await world.card('base1-4').settled();
  const shown = await world.discord.type({ command: 'privacy' }).settled();
  expect(shown).toMatchObject({ ephemeral: true, content: expect.stringContaining('So far: 1 lookup on one day.') });
  const done = await world.discord.click({ messageId: shown.messageId ?? '', customId: 'privacy:forget' }).settled();
  expect(done).toMatchObject({ ephemeral: true, content: expect.stringContaining("Done, that's deleted.") });
  expect(world.cardService.requests).toHaveLength(1);
});
