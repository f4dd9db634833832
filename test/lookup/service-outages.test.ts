import { describe, expect, it, vi } from 'vitest';
import { EmbeddedCardService } from '../../sandbox/card-service.ts';
import type { CardServiceError } from '../../src/model/errors.ts';
import { by, fakeTime, lookup, lookupQueueOver, NOON_MS } from '../support/lookup-queue.ts';

const PRO = { plan: 'pro' } as const;
const FREE = { plan: 'free' } as const;

interface Told {
  atMs: number;
  error?: CardServiceError;
}

type Answer = (id: string, atMs: number) => 'ok' | 'refused' | 'hangs';

/** A queue over a service that answers as it is told, with everything that was requested, and when. */
function startQueue(setting: typeof PRO | typeof FREE, answer: Answer) {
  fakeTime();
  const requests: { id: string; atMs: number }[] = [];
  const service = new EmbeddedCardService();
  const over = lookupQueueOver(
    {
      async fetch(url, init) {
        const id = new URL(String(url)).pathname.split('/').at(-1) ?? '';
        const atMs = Date.now() - NOON_MS;
        requests.push({ id, atMs });
        const how = answer(id, atMs);
        if (how === 'hangs')
          return new Promise((_, reject) =>
            init?.signal?.addEventListener('abort', () => reject(new Error('aborted'))),
          );
        await new Promise((resolve) => setTimeout(resolve, 10));
        if (how === 'refused') return new Response('{}', { status: 503 });
        const card = { id, name: id, tcg: 'trial', set: { id: 'all', name: 'All' } };
        return new Response(JSON.stringify(card), { status: 200 });
      },
    } as Pick<typeof service, 'fetch'>,
    setting,
  );
  /** What a member is told, and when. */
  const ask = async (id: string, memberId: string): Promise<Told> => {
    const ended = over.queue.enqueue(lookup(id, by(memberId, `server of ${memberId}`)));
    const error = await ended.then(
      () => undefined,
      (failure: CardServiceError) => failure,
    );
    return { atMs: Date.now() - NOON_MS, ...(error && { error }) };
  };
  /** @param everyMs between two members */
  const members = async (count: number, everyMs: number) => {
    const told: Promise<Told>[] = [];
    for (let member = 0; member < count; member++) {
      told.push(ask(`card-${member}`, `member-${member}`));
      await vi.advanceTimersByTimeAsync(everyMs);
    }
    const all = Promise.all(told);
    await vi.advanceTimersByTimeAsync(10 * 60_000);
    return all;
  };
  return { ...over, requests, ask, members };
}

const shownOf = (told: readonly Told[]) => told.filter(({ error }) => !error).length;
const latestOf = (told: readonly Told[]) => Math.max(...told.map(({ atMs }) => atMs));

describe('a hiccup of the service', () => {
  it.each([
    ['of 1.5 s', 1_500, 60],
    ['of 2.9 s', 2_900, 60],
    // The first opening is sat out, but none of the three cards that opened it may be the probe.
    ['of 6 s', 6_000, 57],
  ])('%s dismisses nobody who may be served after it', async (_, downMs, shown) => {
    const { members } = startQueue(PRO, (_id, atMs) => (atMs < downMs ? 'refused' : 'ok'));
    expect(shownOf(await members(60, 23))).toBeGreaterThanOrEqual(shown);
  });

  it('that begins while many requests are under way dismisses nobody either', async () => {
    const { members, requests } = startQueue(PRO, (_id, atMs) => (atMs >= 500 && atMs < 2_000 ? 'refused' : 'ok'));
    expect(shownOf(await members(60, 23))).toBe(60);
    expect(requests.length).toBeLessThan(75);
  });
});

describe('an outage', () => {
  it.each([
    ['refuses', PRO, 60, 'refused', 15_000],
    ['refuses', FREE, 10, 'refused', 15_000],
    ['refuses', FREE, 25, 'refused', 15_000],
    ['hangs', PRO, 60, 'hangs', 45_000],
    ['hangs', FREE, 10, 'hangs', 45_000],
    ['hangs', FREE, 25, 'hangs', 45_000],
  ] as const)('in which the service %s is told in time (%o, %i members)', async (_, setting, count, how, withinMs) => {
    const { members, requests } = startQueue(setting, () => how);
    const told = await members(count, 0);
    expect([shownOf(told), latestOf(told) <= withinMs]).toEqual([0, true]);
    expect(requests.length).toBeLessThanOrEqual(12); // an outage is found out with few requests
  });

  it.each([3, 8, 15])(
    'of an hour costs few requests, although the same %i cards are asked for all the time',
    async (cards) => {
      const { ask, requests } = startQueue(PRO, () => 'refused');
      for (let at = 0; at < 720; at++) {
        for (let card = 0; card < cards; card += 4) void ask(`card-${(at + card) % cards}`, `member-${card}`);
        await vi.advanceTimersByTimeAsync(5_000);
      }
      expect(requests.length).toBeLessThan(180); // one a minute, but where too few have failed to tell an outage from bad cards
    },
  );

  it('that one member alone meets is told after the attempts at their card, also again', async () => {
    const { ask, requests } = startQueue(FREE, () => 'refused');
    const first = ask('card', 'alice');
    await vi.advanceTimersByTimeAsync(5_000);
    expect(await first).toMatchObject({ error: { name: 'ServiceDown' } });
    expect(requests).toHaveLength(3);
  });
});

describe('a service that fails for three cards alone', () => {
  const BAD = ['bad-1', 'bad-2', 'bad-3'];

  it('refuses nobody else, however often these are asked for', async () => {
    const { ask, requests } = startQueue(PRO, (id) => (BAD.includes(id) ? 'refused' : 'ok'));
    const told: Promise<Told>[] = [];
    for (let round = 0; round < 45; round++) {
      for (const id of BAD) void ask(id, 'alice').catch(() => {});
      told.push(ask(`good-${round}`, 'bob'));
      await vi.advanceTimersByTimeAsync(2_000);
    }
    await vi.advanceTimersByTimeAsync(60_000);
    expect(shownOf(await Promise.all(told))).toBe(45);
    // Three attempts each, and then they rest as after an odd answer.
    expect(requests.filter(({ id }) => BAD.includes(id))).toHaveLength(9);
  });

  it('is found well by the next other card, as none of the three is the probe', async () => {
    const { ask, requests, limiter } = startQueue(PRO, (id) => (BAD.includes(id) ? 'refused' : 'ok'));
    for (const id of BAD) {
      void ask(id, 'alice').catch(() => {});
      await vi.advanceTimersByTimeAsync(3_100);
    }
    expect(limiter.view().breaker).toMatchObject({ state: 'open', reason: 'outage' });
    const openedAtMs = Date.now() - NOON_MS;
    const again = Promise.all(BAD.map((id) => ask(id, 'alice')));
    await vi.advanceTimersByTimeAsync(20_000);
    // They are told when it is worth trying again: 15 s after the last failure.
    const failedAtMs = Math.max(...requests.map(({ atMs }) => atMs)) + 10;
    for (const { error } of await again) expect(error).toMatchObject({ untilMs: NOON_MS + failedAtMs + 15_000 });
    expect(requests.filter(({ atMs }) => atMs > openedAtMs)).toEqual([]);
    const good = ask('good', 'bob');
    await vi.advanceTimersByTimeAsync(1_000);
    expect(await good).not.toHaveProperty('error');
    expect(limiter.view().breaker.state).toBe('closed');
  });

  it('is found well by another card, also when one of the three may be the probe again and is asked for first', async () => {
    const { ask, members, requests, limiter } = startQueue(PRO, (id) => (BAD.includes(id) ? 'refused' : 'ok'));
    for (const id of BAD) {
      void ask(id, 'alice').catch(() => {});
      await vi.advanceTimersByTimeAsync(3_100);
    }
    await vi.advanceTimersByTimeAsync(60_000);
    expect(limiter.view().breaker).toMatchObject({ state: 'open', reason: 'outage' });
    const before = requests.length;
    void ask('bad-1', 'alice').catch(() => {});
    expect(shownOf(await members(1, 0))).toBe(1);
    expect(requests[before]).toMatchObject({ id: 'card-0' });
    expect(limiter.view().breaker.state).toBe('closed');
  });
});
