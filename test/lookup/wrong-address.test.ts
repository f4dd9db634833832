import { describe, expect, it } from 'vitest';
import { WrongAddressWarning } from '../../src/lookup/wrong-address.ts';
import { logLines, WARN } from '../support/log-lines.ts';

describe('an address under which no card is found', () => {
  it.each<[string, string[], boolean | undefined, number]>([
    ['is suspected at the third id, once', ['a', 'b', 'c', 'd', 'e'], false, 1],
    ['is not suspected for two ids', ['a', 'b'], false, 0],
    ['is not suspected for one id that is looked up again', ['a', 'a', 'a', 'a'], false, 0],
    ['is not suspected when a card was found before', ['a', 'b', 'c', 'd'], true, 0],
    ['is not suspected when the store cannot be read', ['a', 'b', 'c', 'd'], undefined, 0],
  ])('%s', async (_, ids, holdsCards, times) => {
    const { log, lines } = logLines();
    const warning = new WrongAddressWarning({ holdsCards: async () => holdsCards }, log);
    for (const id of ids) await warning.noSuchCard(id, 'NotFound');
    expect(lines).toHaveLength(times);
    for (const line of lines) {
      expect(line).toMatchObject({ level: WARN, tag: 'NotFound', cardIds: ['a', 'b', 'c'] });
      expect(line.msg).toMatch(/CARD_SERVICE_URL or CARD_SERVICE_CARD_PATH may be wrong$/);
    }
  });
});
