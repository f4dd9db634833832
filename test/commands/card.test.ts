import { describe, expect, it } from 'vitest';
import card from '../../commands/card.ts';
import type { Services } from '../../commands/command.ts';
import { InvalidCardId, KeyRefused } from '../../src/model/errors.ts';
import { askedFor } from '../replies/replies-over.ts';
import { shown, startServices, typed } from './commands.ts';

const TITLE = 'Emberwing Drake';
const RENEWING = /\nShowing a saved copy while I fetch the latest\.$/;
const DAY_SPENT = {
  status: 429,
  headers: { 'x-ratelimit-limit': '1000', 'x-ratelimit-remaining': '0', 'retry-after': '3600' },
  body: '',
};
const NOTHING = { cards: [undefined], fromMemory: 0, requested: 0, requests: 0 };
const VIEW = { locale: 'en-US', quota: undefined, currency: undefined };
const STALE_AT_ONCE = { FACTS_FRESH_SECONDS: '0' };

function run(services: Services, options: Parameters<typeof typed>[0]) {
  const use = typed(options);
  return shown(use, card.ask(use, services), services);
}

describe('/card', () => {
  it('asks for a card without a request', async () => {
    const { services, cardService } = await startServices();
    const asked = await card.ask(typed({ id: ' base1-4 ', private: true }), services);
    expect(asked).toMatchObject({ isPrivate: true, queries: [{ cardId: 'base1-4', showPrices: true }] });
    expect([cardService.requests, services.lookupQueue.length]).toEqual([[], 0]);
  });

  it('shows a missing card once it is there', async () => {
    const { services } = await startServices();
    const { isDeferred, isPrivate, last } = await run(services, { id: 'base1-4', private: true });
    expect([isDeferred, isPrivate, last]).toMatchObject([true, true, { embeds: [{ title: TITLE }] }]);
  });

  it('says that there is no such card', async () => {
    const { services } = await startServices();
    const { isPrivate, last } = await run(services, { id: 'nothing-here' });
    expect([isPrivate, last]).toEqual([false, { content: 'No card has the id **nothing\\-here**.' }]);
    expect(await run(services, { id: 'nothing-here' })).toMatchObject({ isPrivate: true, source: 'cache', last });
  });

  it('says why a lookup failed', () => {
    const outcomes = { ...NOTHING, cards: [{ error: new KeyRefused({ status: 401 }) }] };
    expect(card.show(askedFor('base1-4'), outcomes, VIEW).content).toBe(
      "The bot can't reach its card service. Please tell whoever runs it.",
    );
  });

  it('says when a card is expected that waits', () => {
    const { content } = card.show(askedFor('base1-4'), { ...NOTHING, permitAtMs: 60_000 }, VIEW);
    expect(content).toBe("You're in line. Your card should be here around <t:60:t>.");
  });

  it('shows a fresh card at once and without a request, and counts it as saved', async () => {
    const { services, cardService } = await startServices();
    await run(services, { id: 'base1-4' });
    const { first, ...how } = await run(services, { id: 'base1-4' });
    expect(how).toEqual({ isDeferred: false, isPrivate: false, source: 'cache', last: first });
    expect(first).toMatchObject({ embeds: [{}] });
    expect(cardService.requests).toHaveLength(1);
    expect(await services.ledger.today()).toMatchObject({ requests: 1, saved: 1 });
  });

  it('leaves prices out on request', async () => {
    const { services } = await startServices();
    const { last } = await run(services, { id: 'base1-4', prices: false });
    expect(JSON.stringify(last.embeds)).not.toMatch(/price|market/i);
  });

  it('shows a stale card at once, and the renewed one as a correction', async () => {
    const { services, cardService } = await startServices(STALE_AT_ONCE);
    await run(services, { id: 'base1-4' });
    const { first, last, ...how } = await run(services, { id: 'base1-4' });
    expect(how).toMatchObject({ isDeferred: false, source: 'stale' });
    expect(first).toMatchObject({ embeds: [{ description: expect.stringMatching(RENEWING) }] });
    expect(last).toMatchObject({ embeds: [{ title: TITLE }] });
    expect(JSON.stringify(last)).not.toContain('saved copy');
    expect(cardService.requests).toHaveLength(2);
  });

  it('shows why a stale card was not renewed as a correction', async () => {
    const { services, cardService } = await startServices(STALE_AT_ONCE);
    await run(services, { id: 'base1-4' });
    cardService.script({ status: 401 });
    expect((await run(services, { id: 'base1-4' })).last).toMatchObject({
      embeds: [
        {
          title: TITLE,
          description: expect.stringMatching(/\nShowing a saved copy: the bot can't reach its card service\.$/),
        },
      ],
    });
  });

  it('shows at once why a stale card cannot be renewed, and why another is not looked up', async () => {
    const { services, cardService } = await startServices(STALE_AT_ONCE);
    await run(services, { id: 'base1-4' });
    cardService.script(DAY_SPENT);
    await run(services, { id: 'base1-5' });
    const { first, ...how } = await run(services, { id: 'base1-4' });
    expect(how).toEqual({ isDeferred: false, isPrivate: false, source: 'stale', last: first });
    expect(first).toMatchObject({
      embeds: [{ description: expect.stringMatching(/\nPrices can be refreshed again (at|on) <t:\d+:[tf]>\.$/) }],
    });
    const refused = await run(services, { id: 'base1-6' });
    expect(refused).toMatchObject({
      isDeferred: false,
      isPrivate: true,
      source: 'bot',
      first: { content: expect.stringContaining('Today') },
    });
  });

  it('refuses what is not a card id', async () => {
    const { services } = await startServices();
    await expect(card.ask(typed({ id: '..' }), services)).rejects.toThrow(InvalidCardId);
  });
});
