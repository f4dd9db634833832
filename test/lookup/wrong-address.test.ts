import { describe, expect, it } from 'vitest';
import { WrongAddressWarning } from '../../src/lookup/wrong-address.ts';
import { logLines, WARN } from '../support/log-lines.ts';

describe('an address under which no card is found', () => {
  it.each<[string, string[], number]>([
    ['is suspected at the third id, once', ['a', 'b', 'c', 'd', 'e'], 1],
    ['is not suspected for two ids', ['a', 'b'], 0],
    ['is not suspected for one id that is looked up again', ['a', 'a', 'a', 'a'], 0],
  ])('%s', (_, ids, times) => {
    const { log, lines } = logLines();
    const warning = new WrongAddressWarning(log);
    for (const id of ids) warning.noSuchCard(id);
    expect(lines).toHaveLength(times);
    for (const line of lines) {
      expect(line).toMatchObject({ level: WARN, cardIds: ['a', 'b', 'c'] });
      expect(line.msg).toMatch(/CARD_SERVICE_URL or CARD_SERVICE_CARD_PATH may be wrong$/);
    }
  });
});
