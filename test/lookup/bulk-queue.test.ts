import { describe, expect, it, vi } from 'vitest';
import type { BulkRefusal, BulkShape } from '../../sandbox/bulk-listing.ts';
import { EmbeddedCardService } from '../../sandbox/card-service.ts';
import type { CardRecord } from '../../src/model/card.ts';
import type { Claims } from '../../src/model/claims.ts';
import { WATCHES_REQUESTER } from '../../src/model/quota.ts';
import { INFO, WARN } from '../support/log-lines.ts';
import { admitAll, by, fakeTime, lookup, lookupQueueOver } from '../support/lookup-queue.ts';

const LATENCY_MS = 50;
/** Ten a second, with a burst of 20. */
const PACE = { requestsPerMinute: 600, burst: 20 };
const MINUTE_MS = 60_000;

function cardsOf(count: number, prefix = 'card') {
  return Array.from({ length: count }, (_, index) => ({
    id: `${prefix}-${index + 1}`,
    name: `Card ${index + 1}`,
    tcg: 'Lanternfolk',
    set: { id: 'bulk', name: 'Bulk' },
  }));
}

const CARDS = cardsOf(200);
const IDS = CARDS.map(({ id }) => id);

interface Setting {
  most?: number;
  bulkPath?: string;
  apiKey?: string;
  claims?: Claims;
  requestsPerDay?: number;
  perSecond?: number;
}

function bulkQueue({
  most = 20,
  bulkPath = '/cards?ids={ids}',
  requestsPerDay = 10_000,
  perSecond,
  ...more
}: Setting = {}) {
  fakeTime();
  const service = new EmbeddedCardService({ ...PACE, requestsPerDay, cards: CARDS, latencyMs: LATENCY_MS });
  const options = { bulk: { bulkPath, most, ...(perSecond && { perSecond }) }, ...more };
  return { service, ...lookupQueueOver(service, { plan: 'free', ...PACE }, options) };
}

/** The ids of each request, in order. */
function requestedIds({ requests }: EmbeddedCardService): string[][] {
  return requests.map(({ path, cardIds }) => [...(cardIds ?? [path.slice('/cards/'.length).split('?')[0] ?? ''])]);
}

it.each(['/cards?ids={ids}', 'POST /cards/batch'])(
  '60 members who ask for 60 different cards at once cost at most 6 requests, and wait at most 1.5 s (%s)',
  async (path) => {
    const { queue, service, ledger } = bulkQueue({ bulkPath: path });
    const answers = IDS.slice(0, 60).map((id, member) => queue.enqueue(lookup(id, by(`member ${member}`))));
    await vi.advanceTimersByTimeAsync(1_500);

    expect(service.requests.length).toBeLessThanOrEqual(6);
    expect((await settled(answers)).map((answer) => answer?.card?.id)).toEqual(IDS.slice(0, 60));
    const { requests, saved } = await ledger.today();
    expect([requests, requests + saved]).toEqual([service.requests.length, 60]);
  },
);

/** What is answered by now. */
async function settled(answers: Promise<CardRecord>[]): Promise<(CardRecord | undefined)[]> {
  return Promise.all(answers.map((answer) => Promise.race([answer, undefined])));
}

it('cards are asked for in the same order as without bulk requests', async () => {
  /** Members with many and with few cards, the greediest first. */
  const owners = [60, 30, 9, 3, 3, 1, 1, 1].flatMap((count, member) => Array.from({ length: count }, () => member));
  const order = async (most: number) => {
    const { queue, service } = bulkQueue({ most });
    for (const [index, member] of owners.entries()) {
      queue.enqueue(lookup(IDS[index] ?? '', by(`member ${member}`, `guild ${member % 3}`))).catch(() => {});
    }
    await vi.advanceTimersByTimeAsync(MINUTE_MS);
    return { ids: requestedIds(service).flat(), requests: service.requests.length };
  };
  const [singly, together] = [await order(1), await order(20)];

  expect(singly).toMatchObject({ requests: owners.length });
  expect(together.requests).toBeLessThan(owners.length / 10);
  expect(together.ids).toEqual(singly.ids);
});

/** The most of them within any second. */
const mostWithinASecond = (atMs: readonly number[]) =>
  Math.max(...atMs.map((fromMs) => atMs.filter((ms) => ms >= fromMs && ms < fromMs + 1_000).length));

it('of lists with a rate of their own no more leave within a second, and the others wait for their turn', async () => {
  const { queue, service } = bulkQueue({ most: 3, perSecond: 2 });
  const answers = IDS.slice(0, 60).map((id, member) => queue.enqueue(lookup(id, by(`member ${member}`))));
  await vi.advanceTimersByTimeAsync(15_000);
  const sent = service.requests.map(({ cardIds = [], atMs }) => ({ isList: cardIds.length > 1, atMs }));
  const lists = sent.filter(({ isList }) => isList);
  expect((await settled(answers)).every(Boolean)).toBe(true);
  expect(mostWithinASecond(lists.map(({ atMs }) => atMs))).toBe(2);
  expect([lists.length, sent.length]).toEqual([20, 20]);
  expect(service.counts.byStatus[429]).toBeUndefined();
});

/** Ten cards, one of which does not exist. */
async function tenTogether(switches: { bulkShape?: BulkShape; bulkRefusal?: BulkRefusal }) {
  const world = bulkQueue();
  world.service.set(switches);
  const ids = [...IDS.slice(0, 9), 'missing'];
  const answers = ids.map((id) => world.queue.enqueue(lookup(id, by(`member of ${id}`))));
  await vi.advanceTimersByTimeAsync(10_000);
  const shown = await settled(answers);
  expect(shown.map((answer) => answer?.card?.id.toLowerCase())).toEqual([...IDS.slice(0, 9), undefined]);
  expect(shown.at(-1)).toMatchObject({ card: undefined });
  const sizes = requestedIds(world.service).map((together) => together.length);
  return { ...world, sizes };
}

describe('a list of ten cards', () => {
  it.each<[BulkShape, number]>([
    ['by id', 1],
    ['some left out', 4],
    ['one broken card', 2],
  ])(
    'in the form "%s" brings every card, and costs %i requests more: for what it leaves out',
    async (bulkShape, more) => {
      expect((await tenTogether({ bulkShape })).sizes).toEqual([10, ...Array(more).fill(1)]);
    },
  );

  it.each<[BulkRefusal, number[]]>([
    ['over 5 ids: 413', [10, 5, 5, 1]],
    ['every id: 405', [10, ...Array(10).fill(1)]],
  ])('that is refused, "%s", is asked for so many at once: %j', async (bulkRefusal, expected) => {
    expect((await tenTogether({ bulkRefusal })).sizes).toEqual(expected);
  });
});

/** So many cards at once; all are answered. */
async function together({ queue }: ReturnType<typeof bulkQueue>, ids: readonly string[], waitMs = 10_000) {
  const answers = ids.map((id) => queue.enqueue(lookup(id, by(`member of ${id}`))));
  await vi.advanceTimersByTimeAsync(waitMs);
  await Promise.all(answers);
}

it.each<[string, string[], number]>([
  ['as many as three lists take', IDS.slice(0, 45), 3],
  ['two that no list can name, among others', ['a,b', ...IDS.slice(0, 20), 'c,d'], 3],
])('the requests that cards are said to cost are those that leave: %s', async (_, ids, requests) => {
  const world = bulkQueue();
  expect(world.queue.costOf(ids).requests).toHaveLength(requests);
  await together(world, ids);
  expect(world.service.requests).toHaveLength(requests);
});

it('requests cards one by one for an hour where none are listed, and says so once', async () => {
  const world = bulkQueue();
  world.service.set({ bulkRefusal: 'every id: 405' });
  await together(world, IDS.slice(0, 10));
  world.service.set({ bulkRefusal: 'nothing' });
  await together(world, IDS.slice(10, 20));
  expect(
    requestedIds(world.service)
      .slice(1)
      .every(({ length }) => length === 1),
  ).toBe(true);
  expect(told(world)).toMatchObject([{ level: WARN, detail: 'status 405', minutes: 60 }]);

  await vi.advanceTimersByTimeAsync(60 * MINUTE_MS);
  await together(world, IDS.slice(20, 30));
  expect(requestedIds(world.service).at(-1)).toHaveLength(10);
});

it('asks for the next list where an odd answer follows one that worked, and says so', async () => {
  const world = bulkQueue();
  await together(world, IDS.slice(0, 10));
  world.service.script({ path: '/cards?', status: 405 });
  for (const from of [10, 20]) await together(world, IDS.slice(from, from + 10));
  expect(requestedIds(world.service).map(({ length }) => length)).toEqual([10, 10, ...Array(10).fill(1), 10]);
  expect(told(world)).toMatchObject([{ level: INFO, detail: 'status 405' }]);
});

it('halves a list with an id that a firewall blocks where lists were answered before', async () => {
  const world = bulkQueue();
  await together(world, IDS.slice(0, 10));
  world.service.script({ path: /ids=.*card-14/, status: 403, headers: { 'content-type': 'text/html' }, times: 99 });
  await together(world, IDS.slice(10, 20));
  expect(requestedIds(world.service).map(({ length }) => length)).toEqual([10, 10, 5, 5, 2, 2, 1, 1, 1]);
});

const told = ({ lines }: ReturnType<typeof bulkQueue>) =>
  lines.filter(({ msg }) => String(msg).includes('CARD_SERVICE_BULK_PATH'));

it('where lists come empty, two are asked for in an hour, and the log says so once', async () => {
  const world = bulkQueue();
  world.service.set({ bulkShape: 'empty' });
  for (let at = 20; at < 100; at += 10) await together(world, IDS.slice(at, at + 10));
  expect(requestedIds(world.service).filter(({ length }) => length > 1)).toHaveLength(2);
  expect(told(world)).toMatchObject([{ level: WARN, detail: 'it brings none of the cards', minutes: 60 }]);
});

describe('a service that may count each card of a list', () => {
  it('is sent no more cards at once than remain of the day', async () => {
    const { queue, service } = bulkQueue({ most: 8, requestsPerDay: 12 });
    service.set({ bulkCost: 'each' });
    const first = queue.enqueue(lookup('card-100'));
    await vi.advanceTimersByTimeAsync(100);
    await first; // which says how many remain
    for (const id of IDS.slice(0, 30)) queue.enqueue(lookup(id, by(`member of ${id}`))).catch(() => {});
    await vi.advanceTimersByTimeAsync(10_000);
    const sizes = requestedIds(service).map(({ length }) => length);
    expect(sizes.filter((size) => size > 1)).toEqual([8, 3]);
  });

  it('is sent one by one for a quarter of an hour after a 429 to a list, which the log says', async () => {
    const world = bulkQueue();
    const sizes = () => requestedIds(world.service).map(({ length }) => length);
    world.service.script({ path: '/cards?', status: 429, headers: { 'retry-after': '1' } });
    await together(world, IDS.slice(0, 10));
    await together(world, IDS.slice(10, 20));
    expect(sizes()).toEqual([10, ...Array(10 + 10).fill(1)]);
    expect(world.lines.filter(({ msg }) => String(msg).includes('a 429'))).toMatchObject([{ minutes: 15 }]);

    await vi.advanceTimersByTimeAsync(15 * MINUTE_MS);
    await together(world, IDS.slice(20, 30));
    expect(sizes().at(-1)).toBe(10);
  });
});

describe('a list of ten on the Free plan', () => {
  /** The service answers 503 to what `fails`. @returns how many cards each request carried, and what came of each card */
  async function tenOnFree(
    fails: (ids: readonly string[], atMs: number) => boolean,
    { isFirst = false, rounds = 1, count = 10 } = {},
  ) {
    fakeTime();
    const service = new EmbeddedCardService({ cards: CARDS, latencyMs: LATENCY_MS });
    const requested: string[][] = [];
    let fromMs = Number.POSITIVE_INFINITY;
    const fetch: typeof service.fetch = async (url, init) => {
      const { pathname, searchParams } = new URL(String(url));
      const ids = searchParams.get('ids')?.split(',') ?? [pathname.split('/').at(-1) ?? ''];
      requested.push(ids);
      return fails(ids, Date.now() - fromMs) ? new Response('{}', { status: 503 }) : service.fetch(url, init);
    };
    const bulk = { bulkPath: '/cards?ids={ids}', most: 20 };
    const { queue } = lookupQueueOver({ fetch }, { plan: 'free' }, { bulk });
    const ask = (from: number) =>
      IDS.slice(from, from + count).map((id) =>
        queue.enqueue(lookup(id)).then(
          ({ card }) => card?.id,
          () => 'refused',
        ),
      );
    if (!isFirst) await Promise.all([ask(100), vi.advanceTimersByTimeAsync(MINUTE_MS)]);
    requested.length = 0;
    fromMs = Date.now();
    let tookMs = 0;
    const shown: (string | undefined)[] = [];
    for (let round = 0; round < rounds; round++) {
      const answers = Promise.all(ask(10 * round));
      void answers.then(() => (tookMs = Date.now() - fromMs));
      await vi.advanceTimersByTimeAsync(5 * MINUTE_MS);
      shown.push(...(await answers));
    }
    return { sizes: requested.map(({ length }) => length), shown, tookMs };
  }

  it.each([
    [500, true, 3],
    [2_900, true, 4],
    [2_900, false, 4],
    [5_000, false, 5],
    [7_000, true, 5],
  ])(
    'during which the service fails for %i ms (the first list: %s) costs %i requests',
    async (downMs, isFirst, most) => {
      const { sizes, shown } = await tenOnFree((_, atMs) => atMs >= 0 && atMs < downMs, { isFirst });
      expect(shown).toEqual(IDS.slice(0, 10));
      expect(sizes.length).toBe(most);
    },
  );

  it.each([2, 10])('is refused within 15 s where nothing is answered, also with %i cards', async (count) => {
    const { sizes, shown, tookMs } = await tenOnFree((_, atMs) => atMs >= 0, { count });
    expect([shown, tookMs <= 15_000]).toEqual([Array(count).fill('refused'), true]);
    expect(sizes.length).toBeLessThanOrEqual(6);
  });

  it.each([true, false])(
    'comes singly where lists alone fail (the first: %s), the next list at once',
    async (isFirst) => {
      const { sizes, shown } = await tenOnFree(({ length }, atMs) => atMs >= 0 && length > 1, { isFirst, rounds: 2 });
      expect(shown).toEqual(IDS.slice(0, 20));
      expect(sizes.slice(0, 13)).toEqual([10, 9, 1, 9, ...Array(9).fill(1)]);
      expect(sizes.length).toBeLessThanOrEqual(isFirst ? 23 : 26);
    },
  );

  it('loses no card but the one that makes every list with it fail', async () => {
    const { sizes, shown } = await tenOnFree((ids) => ids.includes('card-4'));
    expect(shown).toEqual(IDS.slice(0, 10).map((id) => (id === 'card-4' ? 'refused' : id)));
    expect(sizes.length).toBeLessThanOrEqual(14);
  });
});

it('cards wait for one another while a request is under way, also after others that waited have left', async () => {
  fakeTime();
  const service = new EmbeddedCardService({ ...PACE, cards: CARDS, latencyMs: 5_000 });
  const bulk = { bulkPath: '/cards?ids={ids}', most: 20 };
  const { queue } = lookupQueueOver(service, { plan: 'free', ...PACE }, { bulk });
  const ask = (index: number) => void queue.enqueue(lookup(IDS[index] ?? '', by(`member ${index}`))).catch(() => {});
  ask(0);
  await vi.advanceTimersByTimeAsync(100);
  const left = queue.admitAgain(lookup(IDS[1] ?? '', by('another')));
  if ('reservation' in left) {
    void left.reservation.start().catch(() => {});
    await vi.advanceTimersByTimeAsync(100);
    left.reservation.cancel();
  }
  await vi.advanceTimersByTimeAsync(1_000);
  ask(2);
  await vi.advanceTimersByTimeAsync(100);
  ask(3);
  await vi.advanceTimersByTimeAsync(10_000);
  expect(requestedIds(service)).toEqual([[IDS[0]], [IDS[2], IDS[3]]]);
});

it('what is renewed with the card of a member is not refused by the forecast of its own lane', async () => {
  fakeTime();
  const pace = { requestsPerMinute: 10, burst: 20 };
  const service = new EmbeddedCardService({ ...pace, cards: CARDS, latencyMs: LATENCY_MS });
  const bulk = { bulkPath: '/cards?ids={ids}', most: 20 };
  const { queue } = lookupQueueOver(service, { plan: 'free', ...pace }, { bulk });
  for (const id of IDS.slice(0, 20)) {
    void queue.enqueue(lookup(id));
    await vi.advanceTimersByTimeAsync(100);
  }
  const deadlineMs = Date.now() + MINUTE_MS; // the bucket is full in two
  void queue.enqueue(lookup('card-40', { lane: 'watches', requester: WATCHES_REQUESTER, deadlineMs })).catch(() => {});
  await vi.advanceTimersByTimeAsync(10);
  void queue.enqueue(lookup('card-21'));
  await vi.advanceTimersByTimeAsync(10_000);
  expect(requestedIds(service).at(-1)).toEqual(['card-20', 'card-21', 'card-40']);
});

it('admits as many as lists reach in time', async () => {
  const { queue, service } = bulkQueue();
  service.script({ path: '/cards', status: 429, headers: { 'retry-after': '299' } });
  void queue.enqueue(lookup('card-200'));
  await vi.advanceTimersByTimeAsync(100);
  const lookups = IDS.slice(0, 100).map((id) => lookup(id, by(`member of ${id}`)));
  const { wereAdmitted } = await admitAll(queue, lookups);
  // One permit when the pause ends, at 299 s, and ten a second from then on: within the longest wait of 300 s, for 20 each.
  expect(wereAdmitted.filter((was) => was)).toHaveLength(100);
});
