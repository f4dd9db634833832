import { describe, expect, it } from 'vitest';
import card from '../../commands/card.ts';
import type { Services } from '../../commands/services.ts';
import type { Message, SlashInvocation } from '../../src/discord/interactions/command.ts';
import { InvalidCardId, KeyRefused, QuotaSpent } from '../../src/model/errors.ts';
import { invocation, startServices } from './commands.ts';

const TITLE = 'Emberwing Drake';
const RENEWING = /\nShowing a saved copy while I fetch the latest\.$/;
const DAY_SPENT = {
  status: 429,
  headers: { 'x-ratelimit-limit': '1000', 'x-ratelimit-remaining': '0', 'retry-after': '3600' },
  body: '',
};
const STALE_AT_ONCE = { FACTS_FRESH_SECONDS: '0' };

/** The message in the end, as the journal's process shows it. */
async function complete(services: Services, typed: SlashInvocation): Promise<Message> {
  const response = await card.run(typed, services);
  if (response.kind === 'reply') return response.message;
  const outcome = await response.reservation.start().then(
    (answer) => ({ answer }),
    (error) => ({ error }),
  );
  const { query, private: isPrivate } = response;
  return card.complete({ ...typed, command: 'card', query, private: isPrivate }, outcome as never, services);
}

describe('/card', () => {
  it('defers a missing card, with a reservation that has sent nothing yet', async () => {
    const { services, cardService } = await startServices();
    const response = await card.run(invocation({ id: ' base1-4 ', private: true }), services);
    expect(response).toMatchObject({ kind: 'defer', private: true, query: { cardId: 'base1-4', showPrices: true } });
    expect(cardService.requests).toEqual([]);
    expect(services.lookupQueue.length).toBe(1);
  });

  it('completes a deferred reply with the card', async () => {
    const { services } = await startServices();
    expect(await complete(services, invocation({ id: 'base1-4' }))).toMatchObject({ embeds: [{ title: TITLE }] });
  });

  it('completes a deferred reply with a sentence when there is no such card', async () => {
    const { services } = await startServices();
    expect(await complete(services, invocation({ id: 'nothing-here' }))).toEqual({
      content: 'No card has the id **nothing\\-here**.',
    });
  });

  it('completes a deferred reply with the reason when the lookup failed', async () => {
    const { services } = await startServices();
    const typed = invocation({ id: 'base1-4' });
    const reply = { ...typed, command: 'card', query: { cardId: 'base1-4', showPrices: true }, private: false };
    expect(card.complete(reply, { error: new KeyRefused({ status: 401 }) }, services).content).toBe(
      "The bot can't reach its card service. Please tell whoever runs it.",
    );
  });

  it('shows a fresh card at once and without a request, and counts it as saved', async () => {
    const { services, cardService } = await startServices();
    await complete(services, invocation({ id: 'base1-4' }));
    const response = await card.run(invocation({ id: 'base1-4' }), services);
    expect(response).toMatchObject({ kind: 'reply', private: false, source: 'cache', message: { embeds: [{}] } });
    expect(response).not.toHaveProperty('correction');
    expect(cardService.requests).toHaveLength(1);
    expect(await services.ledger.today()).toMatchObject({ requests: 1, saved: 1 });
  });

  it('leaves prices out on request', async () => {
    const { services } = await startServices();
    const { embeds } = await complete(services, invocation({ id: 'base1-4', prices: false }));
    expect(JSON.stringify(embeds)).not.toMatch(/price|market/i);
  });

  it('shows a stale card at once, and the renewed one as a correction', async () => {
    const { services, cardService } = await startServices(STALE_AT_ONCE);
    await complete(services, invocation({ id: 'base1-4' }));
    const response = await card.run(invocation({ id: 'base1-4' }), services);
    expect(response).toMatchObject({
      kind: 'reply',
      source: 'stale',
      message: { embeds: [{ description: expect.stringMatching(RENEWING) }] },
    });
    const renewed = response.kind === 'reply' && (await response.correction);
    expect(renewed).toMatchObject({ embeds: [{ title: TITLE }] });
    expect(JSON.stringify(renewed)).not.toContain('saved copy');
    expect(cardService.requests).toHaveLength(2);
  });

  it('shows why a stale card was not renewed as a correction', async () => {
    const { services, cardService } = await startServices(STALE_AT_ONCE);
    await complete(services, invocation({ id: 'base1-4' }));
    cardService.script({ status: 401 });
    const response = await card.run(invocation({ id: 'base1-4' }), services);
    expect(response.kind === 'reply' && (await response.correction)).toMatchObject({
      embeds: [
        {
          title: TITLE,
          description: expect.stringMatching(/\nShowing a saved copy: the bot can't reach its card service\.$/),
        },
      ],
    });
  });

  it('shows at once why a stale card cannot be renewed', async () => {
    const { services, cardService } = await startServices(STALE_AT_ONCE);
    await complete(services, invocation({ id: 'base1-4' }));
    cardService.script(DAY_SPENT);
    await complete(services, invocation({ id: 'base1-5' }));
    const response = await card.run(invocation({ id: 'base1-4' }), services);
    expect(response).toMatchObject({
      source: 'stale',
      message: { embeds: [{ description: expect.stringMatching(/\nPrices can be refreshed again at <t:\d+:t>\.$/) }] },
    });
    expect(response).not.toHaveProperty('correction');
  });

  it('refuses what is not a card id, and a lookup that is not admitted', async () => {
    const { services, cardService } = await startServices();
    await expect(card.run(invocation({ id: '..' }), services)).rejects.toThrow(InvalidCardId);
    cardService.script(DAY_SPENT);
    await complete(services, invocation({ id: 'base1-4' }));
    await expect(card.run(invocation({ id: 'base1-5' }), services)).rejects.toThrow(QuotaSpent);
  });
});
