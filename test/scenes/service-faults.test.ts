import { expect, it } from 'vitest';
import type { DictatedAnswer } from '../../sandbox/service/service.ts';
import { startWebhookServer } from '../operations/webhook-server.ts';
import { WARN } from '../support/log-lines.ts';
import { scenes } from '../support/scene-script.ts';
import { cardRequests, IDS, inWorld, isFinal, startWorld, statuses } from '../support/world.ts';

const [, OTHER = '', THIRD = '', FOURTH = ''] = IDS.filter((id) => id !== 'base1-4');
const CARD = { id: 'base1-4', name: 'Emberwing Drake', tcg: 'Lanternfolk', set: { id: 'base1', name: 'Set' } };
const HTML = '<!doctype html><html><body><h1>502 Bad Gateway</h1></body></html>';
/** Copies that are stale at once. */
const STALE = { env: { CARD_SERVICE_TIMEOUT_MS: '1000', PRICES_FRESH_SECONDS: '0' } };

const NO_KEY = "shows I can't reach the card service right now.";

const BRIEFLY: Record<string, DictatedAnswer> = {
  'a refusal of the proxy': { status: 502, body: HTML },
  silence: { fault: 'hang' },
  'a head without a body': { body: CARD, fault: 'stall' },
  'a broken connection': { fault: 'reset' },
};
const FAILS_BRIEFLY =
  'a service that fails briefly gets a second request after a second, and at most three: then the stored copy is shown with the reason';

it.each(Object.entries(BRIEFLY))(`${FAILS_BRIEFLY}: %s`, async (_, fault) => {
  const world = await startWorld(STALE);
  world.cardService.script(fault);
  const first = await world.card('base1-4').until(isFinal);
  expect([first.embeds[0]?.title, cardRequests(world).length]).toEqual(['Emberwing Drake', 2]);
  world.cardService.script({ ...fault, times: 3 });
  const { embeds } = await world.card('base1-4').until(({ edited }) => edited);
  expect(cardRequests(world)).toHaveLength(5);
  expect(embeds[0]?.description).toMatch(/\nShowing a saved copy: the card service isn't answering\.$/);
  const { msg } = world.lines.find(({ level }) => level === WARN) ?? {};
  expect(msg).toMatch(/^the card service is failing: .*check CARD_SERVICE_URL/);
});

const AWAY = "The card service isn't answering right now. Try again after <t:";
const typed = (from: number, to: number) =>
  IDS.slice(from, to)
    .map((id) => `card ${id}`)
    .join('; ');
const each = (what: string, from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, at) => `until ${what} of ${from + at}`).join('; ');
/** After three failures in a row, of different cards and with time between them, and that of the first probe. */
const IS_DOWN = `card base1-4; until its end; service is down; ${typed(10, 16)};
  ${each(AWAY, 2, 7)}; seconds left of 2 below 68; seconds left below 68; so far`;

scenes([
  [
    'a service that is down gets no request after three failures in a row, not even for /usage: lookups show the time of the next, and known cards their age',
    STALE,
    `${IS_DOWN}; card base1-40; until ${AWAY}; reads Only you can see this; seconds left below 68; card base1-4;
      until an answer; reads Emberwing Drake; reads Showing a saved copy: the card service isn't answering.; usage; until an answer;
      reads The card service has been down since; reads Next try at; +1 s; done; requests below 12; kept cards`,
    'yes | yes | yes | yes | yes | yes | yes | yes | 0, 0: ServiceDown from bot, answered from stale, answered from bot | yes | base1-4',
  ],
  [
    'it is probed by the next lookup alone; a failure opens the breaker for longer, an answer closes it',
    STALE,
    // 20 to 22 s, rounded up to a full minute
    `${IS_DOWN}; requests; service takes 50 ms; +13 s; ${typed(20, 23)}; ${each(AWAY, 8, 10)};
      seconds left of 8 below 82; seconds left below 82; +1 s; done; service works; +24 s;
      ${typed(20, 23)}; ${each('a card', 11, 13)}; +1 s; done; warnings;
      log the card service answers again with failures 8; log the card service answers again with lastedMs`,
    [
      'yes | yes | 8 | yes | yes',
      '1, 3: ServiceDown from bot, ServiceDown from bot, ServiceDown from service',
      ...[`3, 3: ${Array(3).fill('answered from service').join(', ')}`, '1', '1', '1'],
    ].join(' | '),
  ],
  [
    'a key that is refused during the day is reported and logged as an error, and costs one request a minute; known cards are shown',
    STALE,
    `card base1-4; until its end; service says 401 to /cards/ x 2; card ${OTHER}; until its end; ${NO_KEY};
      card ${OTHER}; until its end; ${NO_KEY}; card ${THIRD}; until its end; ${NO_KEY}; card ${FOURTH}; until its end; ${NO_KEY};
      card base1-4; until its end; reads Showing a saved copy: I can't reach the card service.; requests; +61 s;
      card ${FOURTH}; until a card; errors; log card request failed; errors about check CARD_SERVICE_API_KEY; kept cards`,
    `yes | yes | yes | yes | yes | 3 | 3 | 2 | 1 | base1-4 ${FOURTH}`,
  ],
]);

inWorld(
  'a wrong card path is logged once while no card was ever found',
  { env: { CARD_SERVICE_CARD_PATH: '/v2/cards/{id}' } },
  async (world) => {
    const replies = await Promise.all(IDS.slice(0, 5).map((id) => world.card(id).until(isFinal)));
    for (const { content } of replies) expect(content).toMatch(/^No card has the id/);
    const warned = world.lines.filter(({ level }) => level === WARN);
    expect(warned).toMatchObject([{ msg: expect.stringContaining('CARD_SERVICE_CARD_PATH'), cardIds: { length: 3 } }]);
  },
);

inWorld(
  'all cards are shown in the end though a proxy limits requests with its default status',
  { service: { requestsPerMinute: 10, burst: 20, requestsPerDay: 1_000 } },
  async (world) => {
    await world.card('base1-4').until(isFinal);
    world.cardService.script({ status: 503, body: HTML, times: 4 });
    const shown = await Promise.all(IDS.slice(10, 16).map((id) => world.card(id).until(isFinal)));
    expect(shown.map(({ embeds }) => embeds.length)).toEqual([1, 1, 1, 1, 1, 1]);
  },
);

const FORMS: Record<string, DictatedAnswer> = {
  'nothing at all': { body: '' },
  'half a body': { body: { retryAfter: 900 }, fault: 'stall' },
  'a body of 5 MB': { headers: { 'retry-after': '1' }, body: 'x'.repeat(5_000_000) },
};

it.each(Object.entries(FORMS))(
  'a 429 in any form is a short pause, and then the card is shown: %s',
  async (_, form) => {
    const world = await startWorld({ env: { CARD_SERVICE_TIMEOUT_MS: '2000' } });
    world.cardService.script({ ...form, status: 429 });
    const { embeds } = await world.card('base1-4').until(isFinal);
    expect([embeds[0]?.title, statuses(world)]).toEqual(['Emberwing Drake', [429, 200]]);
  },
);

it('a bot tells its operator in the words of its log that the key is refused, and once it is not; no id leaves it', async () => {
  const { url, messages } = await startWebhookServer();
  const world = await startWorld({ env: { ALERT_WEBHOOK_URL: url } });
  world.cardService.script({ status: 401, body: { _tag: 'Unauthorized', message: 'unknown key' } });
  await world.card('base1-4').settled();
  await world.pass(61_000);
  await world.card('base1-5').settled();
  await expect.poll(() => messages.at(-1)).toBe('requests are sent again');
  expect(messages).toContainEqual(expect.stringMatching(/refuses the API key.+CARD_SERVICE_API_KEY/));
  expect(messages.join()).not.toMatch(/base1|\d{17}/);
  expect(JSON.stringify(world.lines)).not.toContain(url.split('/').at(-1)); // nor does its address stand in the log
});
