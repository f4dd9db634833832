import { expect } from 'vitest';
import type { DictatedAnswer } from '../../sandbox/service/service.ts';
import { startService } from '../support/backends.ts';
import { WARN } from '../support/log-lines.ts';
import { cardRequests, inWorld, isFinal, storedCardIds } from '../support/world.ts';

const OTHER = 'base1-1';
const CARD = { id: 'base1-4', name: 'Emberwing Drake', tcg: 'Lanternfolk', set: { id: 'base1', name: 'Set' } };
const HTML = '<!doctype html><html><body><h1>502 Bad Gateway</h1></body></html>';
const NOT_UNDERSTOOD = /^The card service sent something unexpected\./;

// Which answers are invalid, which mean an outage, and how long a 429 asks to wait: card-service.test.ts and retry-after.test.ts.
inWorld(
  'an invalid answer is described in words, logged, not requested again before a restart and not stored; other cards are unaffected',
  async (world) => {
    const elsewhere = await startService();
    const invalid: DictatedAnswer[] = [
      { headers: { 'content-type': 'text/html' }, body: HTML },
      { body: { ...CARD, set: undefined } },
      { body: Buffer.alloc(20_000_000), gzip: true },
      { status: 307, headers: { location: `${elsewhere.url}/cards/base1-4` }, body: '' },
    ];
    const shown = [];
    for (const [index, answer] of invalid.entries()) {
      world.cardService.script({ path: `odd-${index}?`, ...answer });
      const { content } = await world.card(`odd-${index}`).until(isFinal);
      const again = await world.card(`odd-${index}`).settled();
      shown.push([content, again.content === content]);
    }
    const other = await world.card(OTHER).until(isFinal);

    expect(shown).toEqual(invalid.map(() => [expect.stringMatching(NOT_UNDERSTOOD), true]));
    expect(elsewhere.requests).toEqual([]); // which would get the key
    expect(other.embeds).toHaveLength(1);
    expect(cardRequests(world)).toHaveLength(invalid.length + 1);
    expect(storedCardIds(world.config.dataDir)).toEqual([OTHER]);
    expect(world.lines.filter(({ level }) => level === WARN).map(({ msg }) => msg)).toEqual(
      invalid.map(() => 'card request failed'),
    );
    expect(JSON.stringify(world.lines)).toContain('set: Invalid input');

    await world.restartBot();
    world.cardService.script({ path: 'odd-0?', headers: { 'content-type': 'text/html' }, body: CARD });
    expect((await world.card('odd-0').settled()).embeds[0]?.title).toBe('Emberwing Drake'); // of any content type
  },
);
