import { describe, expect, it } from 'vitest';
import type { DictatedAnswer } from '../../sandbox/service/service.ts';
import { startWebhookServer } from '../operations/webhook-server.ts';
import { WARN } from '../support/log-lines.ts';
import { scenes } from '../support/scene-script.ts';
import {
  cardRequests,
  IDS,
  inWorld,
  isFinal,
  startWorld,
  statuses,
  storedCardIds,
  type World,
} from '../support/world.ts';

const [, OTHER = '', THIRD = '', FOURTH = ''] = IDS.filter((id) => id !== 'base1-4');
const CARD = { id: 'base1-4', name: 'Emberwing Drake', tcg: 'Lanternfolk', set: { id: 'base1', name: 'Set' } };
const HTML = '<!doctype html><html><body><h1>502 Bad Gateway</h1></body></html>';
/** Copies that are stale at once. */
const STALE = { env: { CARD_SERVICE_TIMEOUT_MS: '1000', PRICES_FRESH_SECONDS: '0' } };

const DOWN_UNTIL = /The card service isn't answering right now\. Try again after <t:\d+:T>\.$/;
const NO_KEY = "shows I can't reach the card service right now.";

function loggedWith(world: World, level: number): unknown[] {
  return world.lines.filter((line) => line.level === level).map(({ msg }) => msg);
}

/** Seconds from now until the time in a sentence, which is rounded up to a full minute. */
function secondsLeft(text: string): number {
  return Number(/<t:(\d+):[Ttf]>/.exec(text)?.[1]) - Date.now() / 1000;
}

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
  expect(loggedWith(world, WARN)[0]).toMatch(/^the card service is failing: .*check CARD_SERVICE_URL/);
});

describe('a service that is down', () => {
  /** After three failures in a row, of different cards and with time between them, and that of the first probe. */
  async function brokenWorld() {
    const world = await startWorld(STALE);
    await world.card('base1-4').settled();
    world.cardService.set({ down: true });
    const waiting = await Promise.all(IDS.slice(10, 16).map((id) => world.card(id).until(isFinal)));
    return { world, waiting, before: cardRequests(world).length };
  }

  it('gets no request after three failures in a row, not even for /usage: lookups show the time of the next, and known cards their age', async () => {
    const { world, waiting, before } = await brokenWorld();

    // All at once, because the next request is only seconds away.
    const [next, known, usage] = await Promise.all([
      world.card('base1-40').settled(),
      world.card('base1-4').settled(),
      world.usage().settled(),
    ]);

    for (const { content } of [...waiting, next]) {
      expect(content).toMatch(DOWN_UNTIL);
      expect(secondsLeft(content)).toBeLessThan(68);
    }
    expect(next.ephemeral).toBe(true);
    expect(known.embeds[0]?.title).toBe('Emberwing Drake');
    expect(known.embeds[0]?.description).toMatch(/\nShowing a saved copy: the card service isn't answering\.$/);
    expect(usage.embeds[0]?.description?.split('\n')[0]).toMatch(
      /^The card service has been down since <t:\d+:t>\. Next try at <t:\d+:T>\.$/,
    );
    expect(statuses(world)).toHaveLength(before);
    expect(before).toBeLessThan(12);
    expect(storedCardIds(world.config.dataDir)).toEqual(['base1-4']);
  });

  it('is probed by the next lookup alone; a failure opens the breaker for longer, an answer closes it', async () => {
    const { world, before } = await brokenWorld();
    world.cardService.set({ latencyMs: 50 });

    await world.pass(13_000);
    const probes = await Promise.all(IDS.slice(20, 23).map((id) => world.card(id).until(isFinal)));
    const requestsAfterFailure = cardRequests(world).length;
    world.cardService.set({ down: false });
    await world.pass(25_000);
    const answered = await Promise.all(IDS.slice(20, 23).map((id) => world.card(id).until(isFinal)));

    expect(requestsAfterFailure).toBe(before + 1);
    for (const { content } of probes) expect(secondsLeft(content)).toBeLessThan(82); // 20 to 22 s, rounded up to a full minute
    expect(answered.map(({ embeds }) => embeds.length)).toEqual([1, 1, 1]);
    expect(cardRequests(world)).toHaveLength(before + 4);
    expect(loggedWith(world, WARN)).toEqual([expect.stringContaining('the card service is failing')]);
    const end = { msg: 'the card service answers again', failures: before, lastedMs: expect.any(Number) };
    expect(world.lines.filter(({ failures }) => failures !== undefined)).toEqual([expect.objectContaining(end)]);
  });
});

scenes([
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
