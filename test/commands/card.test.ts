import { expect, it } from 'vitest';
import command from '../../commands/card.ts';
import type { PricePoint } from '../../src/model/price-history.ts';
import { askedFor } from '../replies/replies-over.ts';
import { startServices, typed } from './commands.ts';

const CARD = {
  id: 'base1-4',
  name: 'Emberwing Drake',
  game: 'Lanternfolk',
  set: { id: 'base1', name: 'First Light' },
};
const DAY_MS = 86_400_000;

const TO = {
  ...{ locale: 'en-US', quota: undefined, currency: undefined },
  ...{ canReplyPublicly: true, isPrivate: false },
};

it.each([
  ['offers to show a private card to everyone', true, 2],
  ['offers nothing to everyone where Discord hides replies', false, 1],
])('%s', (_, canReplyPublicly, buttons) => {
  const outcomes = { cards: [{ answer: { card: CARD, fetchedAtMs: 0 } }], fromMemory: 1, requested: 0, requests: 0 };
  const shown = command.show({ ...askedFor('base1-4'), isPrivate: true }, outcomes, { ...TO, canReplyPublicly });
  expect(shown.components?.[0]).toMatchObject({ components: { length: buttons } });
});

it.each([
  ['as fresh as its facts without prices', false, 'fresh'],
  ['as stale as its prices with them', true, 'stale'],
])('a card is %s', async (_, prices, kind) => {
  const { services } = await startServices({ PRICES_FRESH_SECONDS: '0' });
  await services.cards.store(new Map([['base1-4', CARD]]), new Map());
  expect(await command.ask(typed({ id: 'base1-4', prices }), services)).toMatchObject({
    queries: [{ known: { kind } }],
  });
});

it.each([
  ['to everyone, where they can see it', true, { isPrivate: false, label: 'Löschen' }],
  ['to the member alone, in their language, where Discord hides replies', false, { isPrivate: true, label: undefined }],
])('the price of a card is shown %s, and is no lookup', async (_, canReplyPublicly, expected) => {
  const { services } = await startServices();
  const history = [3, 2, 1].map((days): PricePoint => [Date.now() - days * DAY_MS, days]);
  const kept = { card: CARD, fetchedAtMs: 0, history };
  await services.cards.store(new Map([['base1-4', CARD]]), new Map([['base1-4', kept]]));
  services.cards.known = () => Promise.reject(new Error('a lookup'));
  const use = { ...typed({}, { canReplyPublicly, guildLocale: 'de' }), values: [], content: '', manageMessages: false };
  const shown = await command.component({ ...use, argument: 'history::base1-4' }, services);
  if (!('message' in shown)) throw new Error('no message');
  const [button] = shown.message.components?.[0]?.components ?? [];
  const label = button && 'label' in button ? button.label : undefined;
  expect([shown.isPrivate, label]).toEqual([expected.isPrivate, expected.label]);
});
