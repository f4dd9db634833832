import { describe, expect, it } from 'vitest';
import type { Exchange } from '../../../sandbox/discord/observation.ts';
import { apiUser } from '../../../sandbox/discord/world.ts';
import { eventViolations, exchangeViolations } from '../../support/discord-spec/violations.ts';

const CALLBACK = { method: 'POST', route: '/interactions/:id/:token/callback' };
const GATEWAY = { method: 'GET', route: '/gateway/bot' };
const STARTS = { total: 1, remaining: 1, reset_after: 1, max_concurrency: 1 };
const NO_CONTENT = { status: 204, body: undefined };
const NO_URL = { status: 200, body: { shards: 1, session_start_limit: STARTS } };
const FAILED = { status: 500, body: {} };

// What happens in every other test is held to the same, in test/support/each-file.ts; it would show there if something
// valid were forbidden.
describe("Discord's specification", () => {
  const alt = { type: 4, data: { embeds: [{ image: { url: 'https://x.test/a.png', alt: 'A' } }] } };
  const refused = { status: 404, body: { code: 10_062, message: 'Unknown' } };
  it.each<[string, Exchange, string]>([
    [
      'an unknown field of a body, at any depth',
      { ...CALLBACK, sent: alt },
      'request data.embeds.0.image: unknown alt',
    ],
    [
      'an unknown field of a body that is refused for another reason',
      { ...CALLBACK, sent: { type: 5, more: 1 }, answered: refused },
      'request : unknown more',
    ],
    ['an answer without content', { ...GATEWAY, answered: NO_CONTENT }, '204 : invalid_type undefined'],
    ['an answer without a field', { ...GATEWAY, answered: NO_URL }, '200 url: invalid_type undefined'],
    ['that it fails', { method: 'GET', answered: FAILED }, '500 : invalid_type {}'],
  ])('forbids %s', (_rule, exchange, expected) => {
    expect(exchangeViolations(exchange)).toEqual([`${exchange.method} ${exchange.route} ${expected}`]);
  });

  it('knows every route', () => {
    const nowhere = { method: 'GET', route: '/nowhere' };
    expect(exchangeViolations(nowhere)).toEqual(['GET /nowhere: not in the table of routes']);
  });

  it('requires the fields of a user in an event', () => {
    const { flags: _, ...user } = apiUser({ id: '1180000000000000101', name: 'Alice' });
    expect(eventViolations({ type: 'INTERACTION_CREATE', json: JSON.stringify({ user }) })).toEqual([
      'INTERACTION_CREATE user flags: invalid_type undefined',
    ]);
  });
});
