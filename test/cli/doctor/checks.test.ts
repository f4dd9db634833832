import { describe, expect, it } from 'vitest';
import { answerFinding, bulkFinding, planFinding } from '../../../src/cli/doctor/card-service-checks.ts';
import {
  applicationFaults,
  clockFinding,
  failureFinding,
  gatewayFaults,
  inviteFinding,
  policyNotes,
} from '../../../src/cli/doctor/discord-checks.ts';
import { described } from '../../support/described.ts';

const ERROR = { _tag: 'CardNotFound', message: 'no' };
const CARD = { id: 'a', name: 'A', tcg: 'T', set: { id: 's', name: 'S' } };
const SERVICE = { baseUrl: 'https://cards.test', description: described(), apiKey: 'key', timeoutMs: 1 };

describe('an answer of the card service', () => {
  it.each([
    ['a card', 200, CARD, true, ''],
    ['no such card', 404, ERROR, true, ''],
    ['a request to wait', 429, undefined, null, 'could not be checked'],
    ['something else', 200, { hello: 1 }, false, 'CARD_SERVICE_URL'],
    ['a page', 200, undefined, false, 'CARD_SERVICE_URL'],
    ['no such path', 404, undefined, false, 'has no path /cards/{id}'],
    ['no such path, in words', 404, { _tag: 'NotFound', message: 'no such route' }, false, 'CARD_SERVICE_CARD_PATH'],
    ['nothing, whatever that means', 404, { _tag: 'NotFound', message: 'no' }, true, ''],
    ['a refused key', 401, undefined, false, 'CARD_SERVICE_API_KEY'],
    ['a key without rights', 403, ERROR, false, 'CARD_SERVICE_API_KEY'],
    ['a firewall', 403, undefined, false, 'firewall'],
    ['an outage', 503, undefined, false, 'try again later'],
    ['a redirect', 302, undefined, false, 'https://elsewhere.test/'],
    ['a refusal', 400, ERROR, false, 'status 400'],
  ])('that is %s (%s)', (_, status, body, ok, cure) => {
    const headers = new Headers({ location: 'https://elsewhere.test/' });
    const finding = answerFinding({ status, headers, body }, SERVICE);
    expect(finding.ok).toBe(ok);
    expect(finding.cure.toLowerCase()).toContain(cure.toLowerCase());
  });

  it('that wants a key says so when there is none', () => {
    const answer = { status: 401, headers: new Headers(), body: ERROR };
    expect(answerFinding(answer, { ...SERVICE, apiKey: undefined }).cure).toContain('needs a key');
  });
});

describe('a list of one card, at CARD_SERVICE_BULK_PATH,', () => {
  const others = [{ ...CARD, id: 'b' }];
  const exists = true;
  it.each([
    ['the card', 200, [CARD], true, ''],
    ['the card under its id', 200, { a: CARD }, true, ''],
    ['the first page', 200, [CARD, ...others], false, 'was not asked for'],
    ['other cards', 200, others, false, 'was not asked for'],
    ['nothing', 200, [], false, 'no card, though'],
    ['nothing, with an error', 200, { data: [], error: 'no' }, false, 'no card, though'],
    ['a page', 200, undefined, false, 'no list of cards'],
    ['no such path', 404, undefined, false, 'status 404'],
    ['no such path, in words', 404, ERROR, false, 'status 404'],
    ['a method that is not allowed', 405, ERROR, false, 'status 405'],
    ['a refused key', 401, ERROR, false, 'does not accept the key'],
    ['a firewall', 403, undefined, false, 'status 403'],
    ['a request to wait', 429, ERROR, null, 'Try again later'],
    ['an outage', 503, undefined, null, 'Try again later'],
    ['nothing, of a card that there is not', 200, [], null, 'could not be found out', !exists],
    ['an error, of a card that there is not', 404, ERROR, null, 'could not be found out', !exists],
    ['other cards, of a card that there is not', 200, others, false, 'was not asked for', !exists],
  ])('that is answered with %s (%s)', (_, status, body, ok, cure, isThere = exists) => {
    const answer = { status, headers: new Headers(), body, receivedAtMs: 0 };
    const finding = bulkFinding(answer, { id: 'a', exists: isThere, description: SERVICE.description });
    expect(finding.ok).toBe(ok);
    expect(finding.cure).toContain(cure);
    if (ok === false) expect(finding.cure).toContain('CARD_SERVICE_BULK_PATH');
  });
});

describe('the plan', () => {
  const pace = { requestsPerMinute: undefined, burst: undefined };
  it.each([
    ['auto', '1000', pace, true, ''],
    ['pro', '50000', pace, true, ''],
    ['pro', '1000', pace, false, 'the service allows 1,000 requests a day, which is the plan free'],
    ['free', '70', pace, false, 'allows 70 requests a day. Write auto'],
    ['auto', '70', pace, false, 'matches no known plan'],
    ['auto', '70', { requestsPerMinute: 5, burst: 5 }, true, ''],
    ['enterprise', '70', { requestsPerMinute: 5, burst: 5 }, true, ''],
    ['auto', undefined, pace, false, 'does not say how many requests'],
    ['free', undefined, pace, true, ''],
  ] as const)('%s with a daily limit of %s', (plan, limit, more, ok, cure) => {
    const headers = new Headers(limit === undefined ? {} : { 'x-ratelimit-limit': limit });
    const finding = planFinding({ headers, body: undefined }, { plan, ...more }, SERVICE.description);
    expect(finding.ok).toBe(ok);
    expect(finding.cure).toContain(cure);
  });
});

describe('the clock', () => {
  const NOW_MS = 1_000_000_000;
  it.each([
    ['right', 0, 500, true, ''],
    ['right, as far as a slow answer tells', 40_000, 45_000, true, ''],
    ['fast', -120_000, 500, false, '119 s fast'],
    ['slow', 120_000, 0, false, '120 s slow'],
  ])('is %s', (_, otherAheadMs, tookMs, ok, cure) => {
    const finding = clockFinding(NOW_MS + otherAheadMs, NOW_MS, NOW_MS + tookMs);
    expect(finding.ok).toBe(ok);
    expect(finding.cure).toContain(cure);
  });
});

describe('Discord', () => {
  const application = { id: '1', name: 'Cards' };

  it('that sends commands elsewhere, or wants a code grant, is named', () => {
    expect(applicationFaults(application, true)).toEqual([]);
    const odd = { ...application, interactions_endpoint_url: 'https://old.test', bot_require_code_grant: true };
    expect(applicationFaults(odd, true).map(({ cure }) => cure)).toEqual([
      expect.stringContaining('https://old.test'),
      expect.stringContaining('Code Grant'),
    ]);
  });

  it.each([
    ['says nothing of it', true, undefined, 0],
    ['lets members install the bot', true, { 0: {}, 1: {} }, 0],
    ['lets servers alone install it', true, { 0: {} }, 1],
    ['lets servers alone install it, as it is to be', false, { 0: {} }, 0],
  ])('that %s', (_, hasUserInstall, integration_types_config, faults) => {
    expect(applicationFaults({ ...application, integration_types_config }, hasUserInstall)).toHaveLength(faults);
  });

  const terms_of_service_url = 'https://own.test/terms';
  const privacy_policy_url = 'https://own.test/privacy';
  it.each([
    ['no link', {}, /Terms of Service URL and its Privacy Policy URL first/],
    ['no terms', { privacy_policy_url }, /its Terms of Service URL first/],
    ['no privacy policy', { terms_of_service_url }, /its Privacy Policy URL first/],
    ['both links', { terms_of_service_url, privacy_policy_url }, undefined],
  ])('that has %s is noted before it matters, which is nothing wrong', (_, links, words) => {
    const notes = policyNotes({ ...application, ...links });
    expect(notes).toEqual(words ? [expect.objectContaining({ ok: true, cure: expect.stringMatching(words) })] : []);
  });

  it('where the bot is in no server gives the link that adds it to one', () => {
    expect(inviteFinding('1', [{ id: '2', name: 'Here' }]).ok).toBe(true);
    expect(inviteFinding('1', []).cure).toContain('client_id=1&scope=bot+applications.commands');
  });

  it.each([
    ['cannot be reached', 'nothing', false, false],
    ['fails after it was reached', 'nothing', true, null],
    ['asks to wait', 'wait', false, null],
    ['asks to wait later', 'wait', true, null],
    ['refuses', 'what is wrong', false, false],
    ['refuses later', 'what is wrong', true, false],
  ] as const)('that %s', (_, says, isReached, ok) => {
    expect(failureFinding('gateway', 'Because.', says, isReached)).toMatchObject({ ok, cure: 'Because.' });
  });

  it('whose logins are used up, or that wants more shards, is named', () => {
    const gateway = { url: 'wss://gateway.test', shards: 3, session_start_limit: { remaining: 9, reset_after: 1 } };
    const spent = { ...gateway, session_start_limit: { remaining: 2, reset_after: 60_000 } };
    expect(gatewayFaults(gateway, 'auto', 0)).toEqual([]);
    expect(gatewayFaults(gateway, { ids: [0], count: 3 }, 0)).toEqual([]);
    expect(gatewayFaults(spent, 'auto', 0)[0]?.cure).toContain('1970-01-01T00:01:00.000Z');
    expect(gatewayFaults(gateway, { ids: [0], count: 2 }, 0)[0]).toMatchObject({ check: 'DISCORD_SHARD_COUNT' });
  });
});
