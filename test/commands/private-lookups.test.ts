import { expect, it } from 'vitest';
import card from '../../commands/card.ts';
import cards from '../../commands/cards.ts';
import { shown, startServices, typed } from './commands.ts';

it('a private lookup is suggested to the member who made it alone', async () => {
  const { services } = await startServices();
  const lookUp = (
    command: typeof card | typeof cards,
    options: Record<string, string | boolean>,
    guildId = 'guild',
  ) => {
    const use = typed(options, { guildId, command: command.data.name });
    return shown(use, command.ask(use, services), services);
  };
  const suggested = async (memberId: string) => {
    const found = await services.catalog.search('', { memberId, guildId: 'guild' }, Date.now() + 50_000);
    return found.map(({ id }) => id);
  };
  await lookUp(card, { id: 'base1-4', private: true });
  await lookUp(card, { id: 'base1-4', private: true }); // kept now
  await lookUp(card, { id: 'base1-1', private: true }, 'elsewhere');
  await lookUp(cards, { ids: 'base1-1', private: true });
  expect(await suggested('alice')).toEqual(['base1-1', 'base1-4']);
  expect(await suggested('bob')).toEqual([]);

  await lookUp(cards, { ids: 'base1-1' });
  expect(await suggested('bob')).toEqual(['base1-1']);
});
