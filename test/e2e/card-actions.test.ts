import { expect, it } from 'vitest';
import type { ChatMessage } from '../../src/sandbox/discord/chat.ts';
import { CatalogDatabase } from '../../src/storage/sqlite/catalog/database.ts';
import { offered } from '../support/confirmed-cards.ts';
import { logLines } from '../support/log-lines.ts';
import { cardRequests, startWorld, type World } from '../support/world.ts';

interface Button {
  label: string;
  custom_id: string;
}

function buttons({ components }: ChatMessage): Button[] {
  return (components as { components: Button[] }[]).flatMap((row) => row.components);
}

function press({ discord }: World, message: ChatMessage, label: string, memberId?: string) {
  const button = buttons(message).find((each) => each.label === label);
  if (!button || message.messageId === undefined) throw new Error(`no button "${label}"`);
  const { messageId } = message;
  return discord.click({ messageId, customId: button.custom_id, ...(memberId && { memberId }) });
}

const labels = (message: ChatMessage) => buttons(message).map(({ label }) => label);

it('the buttons under a card do what they say, after a restart too', async () => {
  const world = await startWorld();
  const [alice, bjorn] = world.discord.members.map(({ id }) => id);
  const shown = await world.card('base1-4').settled();
  expect(labels(shown)).toEqual(['Other printings', 'Delete']);
  const alone = await press(world, shown, 'Other printings').settled();
  expect(alone).toMatchObject({ ephemeral: true, content: "I don't know any other printings of this card." });

  const database = CatalogDatabase.open(world.config.dataDir, logLines().log);
  database.upsert([{ id: 'dusk2-1', name: 'emberwing drake', set: 'Dusk' }], undefined);
  database.close();
  await offered(world, 'dusk2-1');
  await world.restartBot();
  await offered(world, 'dusk2-1'); // its search has begun again

  const printings = await press(world, shown, 'Other printings', bjorn).settled();
  expect(printings).toMatchObject({ ephemeral: true, content: 'I know one other card with that name.' });
  const [menu] = buttons(printings);
  const chosen = world.discord.choose({
    messageId: printings.messageId ?? '',
    customId: menu?.custom_id ?? '',
    values: ['dusk2-1'],
  });
  expect(await chosen.settled()).toMatchObject({ ephemeral: false, embeds: [{}] });
  expect(cardRequests(world)).toHaveLength(2);

  const own = await world.card('base1-4', { private: true }).settled();
  expect(labels(own)).toEqual(['Other printings', 'Show to everyone']);
  const [first, second] = [press(world, own, 'Show to everyone'), press(world, own, 'Show to everyone')];
  const everyone = await first.settled();
  await expect.poll(() => world.lines.filter(({ outcome }) => outcome === 'pressed twice')).toHaveLength(1);
  expect(second.message).toMatchObject({ messageId: undefined, embeds: [] });
  expect(everyone).toMatchObject({ ephemeral: false, embeds: [{ title: 'Emberwing Drake' }] });
  expect(labels(everyone)).toEqual(['Other printings', 'Delete']);
  expect(cardRequests(world)).toHaveLength(2);

  const refused = await press(world, shown, 'Delete', bjorn).settled();
  expect(refused).toMatchObject({ ephemeral: true, content: expect.stringContaining('Only whoever asked') });
  const gone = () => world.discord.messages().find(({ messageId }) => messageId === shown.messageId)?.deleted;
  expect(gone()).toBeUndefined();
  press(world, shown, 'Delete', alice);
  await expect.poll(gone).toBe(true);
});
