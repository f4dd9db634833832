import { expect, it } from 'vitest';
import { remember } from '../../sandbox/known-cards.ts';
import { SAMPLE_CATALOG } from '../../sandbox/sample-cards.ts';
import { logLines, WARN } from '../support/log-lines.ts';
import { DRAKE, pricedCards, watchedWorld } from '../support/watched-prices.ts';
import { cardRequests, inWorld, isFinal, startWorld } from '../support/world.ts';

const HOUR_MS = 3_600_000;

inWorld('a copy that is old here costs no request where another process has renewed it', async (world) => {
  await world.card(DRAKE).settled();
  await world.pass(7 * HOUR_MS);
  await remember(world.config, [{ id: DRAKE, ageMs: HOUR_MS }], logLines().log);
  expect((await world.card(DRAKE).settled()).embeds[0]?.description).not.toContain('saved copy');
  expect(cardRequests(world)).toHaveLength(1);
});

inWorld(
  'a card that the service denies is kept as another process has stored it last, and is no longer listed',
  async (world) => {
    const { cardService } = world;
    cardService.script({ path: DRAKE, body: { ...pricedCards().find(({ id }) => id === DRAKE), name: 'Older Drake' } });
    await world.card(DRAKE).until(isFinal);
    await world.pass(8 * HOUR_MS);
    await remember(world.config, [{ id: DRAKE, ageMs: 7 * HOUR_MS }], logLines().log);
    cardService.script({ path: DRAKE, status: 404, body: { _tag: 'CardNotFound', message: 'gone' } });
    const typed = world.card(DRAKE);
    const [denied] = (await typed.until(({ embeds }) => /No longer/.test(embeds[0]?.description ?? ''))).embeds;
    await world.restartBot();
    const [kept] = (await world.card(DRAKE).settled()).embeds;
    expect([denied?.title, kept?.description]).toEqual(['Emberwing Drake', denied?.description]);
    expect(cardRequests(world)).toHaveLength(2);
  },
);

inWorld('a card that the service has just failed to bring is waited for by who asks meanwhile', async (world) => {
  world.cardService.script({ path: DRAKE, status: 503 });
  const typed = [world.card(DRAKE)];
  await world.pass(500);
  typed.push(world.card(DRAKE));
  const shown = await Promise.all(typed.map((one) => one.until(isFinal)));
  expect(shown.map(({ embeds }) => embeds.length)).toEqual([1, 1]);
});

it('what the service brings is offered to who types its name; what it denies is not, unless a copy is kept', async () => {
  const catalog = SAMPLE_CATALOG.filter(({ id }) => id !== 'base1-2');
  const world = await startWorld({ catalog, known: [{ id: DRAKE, ageMs: 7 * HOUR_MS }] });
  await world.pass(1_000); // what was kept before has been read
  const body = { _tag: 'CardNotFound', message: 'gone' };
  for (const path of [DRAKE, 'base1-1']) world.cardService.script({ path: `/${path}?`, status: 404, body });
  for (const id of [DRAKE, 'base1-1', 'base1-2']) await world.card(id).until(isFinal);
  const other = { memberId: world.bob, guildId: null };
  const values = (id: string) => world.suggested(id, other);
  await world.pass(2_000);
  expect(await values('wick who')).not.toContain('base1-1');
  expect(await values('moth carto')).toContain('base1-2');
  expect((await values('emberwing dr')).indexOf(DRAKE)).toBe(2); // behind its other printings
});

it('a price that comes under another id of its card is told to who watches that', async () => {
  const world = await watchedWorld();
  world.cardService.script({
    path: 'old-id',
    body: { ...world.drake, prices: { market: 20 } },
  });
  await world.card('old-id').until(isFinal);
  await expect.poll(world.told).toHaveLength(1);
});

it.each([
  ['two ids are not known', 'no-1 no-2'],
  ['one id is denied every hour', 'no-1 no-1 no-1 no-1'],
  ['a card was found before', 'base1-1 no-1 no-2 no-3'],
  ['a card was found between', 'no-1 no-2 base1-1 no-3'],
  ['a card was known before', `${DRAKE} no-1 no-2 no-3`],
])('an address is not suspected where %s', async (_, ids) => {
  const world = await startWorld({ known: [{ id: DRAKE, ageMs: 0 }] });
  for (const id of ids.split(' ')) {
    await world.card(id).until(isFinal);
    await world.pass(HOUR_MS);
  }
  expect(world.lines.filter(({ level }) => level === WARN)).toEqual([]);
});
