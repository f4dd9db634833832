import { expect, it } from 'vitest';
import card from '../../commands/card.ts';
import cards from '../../commands/cards.ts';
import { invocation, startServices } from './commands.ts';

it('a private lookup is suggested to the member who made it alone', async () => {
  const { services } = await startServices();
  const lookUp = async (id: string, guildId: string) => {
    const asked = invocation({ id, private: true }, { guildId });
    const response = await card.run(asked, services);
    if (response.kind === 'reply') return;
    const { query, private: isPrivate, reservation } = response;
    const answer = await reservation.start();
    card.complete({ ...asked, command: 'card', query, private: isPrivate }, { answer }, services);
  };
  const suggested = async (memberId: string) => {
    const found = await services.catalog.search('', { memberId, guildId: 'guild' }, Date.now() + 50_000);
    return found.map(({ id }) => id);
  };
  await lookUp('base1-4', 'guild');
  await lookUp('base1-4', 'guild'); // kept now
  await lookUp('base1-1', 'elsewhere');
  await cards.run(invocation({ ids: 'base1-1', private: true }), services);
  expect(await suggested('alice')).toEqual(['base1-1', 'base1-4']);
  expect(await suggested('bob')).toEqual([]);

  await cards.run(invocation({ ids: 'base1-1' }), services);
  expect(await suggested('bob')).toEqual(['base1-1']);
});
