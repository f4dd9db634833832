import { expect, it } from 'vitest';
import { LANGUAGES } from '../../src/render/languages.ts';
import { type WatchView, watchList, watchSet } from '../../src/render/watch-message.ts';
import { expectAccepted } from './discord-limits.ts';

const HIGH = 999_999_999.99;
const LONGEST: WatchView = {
  ...{ id: 'f'.repeat(16), cardName: '*'.repeat(500), crossed: ['below'], price: { market: HIGH, atMs: Date.now() } },
};

it.each(LANGUAGES)('Discord takes the longest watches in %s', (locale) => {
  const to = { locale, currency: 'USD' };
  for (const lines of [
    { above: HIGH, below: HIGH },
    { above: HIGH, percent: 99 },
    { below: HIGH, percent: 99 },
  ]) {
    const views = Array.from({ length: 25 }, (_, at) => ({ ...LONGEST, ...lines, id: `${at}` }));
    const { embeds, components } = watchList(views, to, 'watches:stop');
    expect(embeds[0]?.description).toContain('\n');
    expectAccepted({ embeds, components });
    const set = watchSet({ ...LONGEST, ...lines }, to, { isReplaced: true, stopId: `watches:stop:${LONGEST.id}` });
    expectAccepted(set);
  }
});
