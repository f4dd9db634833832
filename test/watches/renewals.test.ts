import { setImmediate as nextLoopIteration } from 'node:timers/promises';
import { expect, it, onTestFinished, vi } from 'vitest';
import { type CardServiceOptions, EmbeddedCardService } from '../../sandbox/service/service.ts';
import { viewOf as viewOfLimiter } from '../../src/limiter/limiter.ts';
import { at, INITIAL_STATE, type Trouble } from '../../src/limiter/state.ts';
import { type Claims, LocalClaims } from '../../src/model/claims.ts';
import { KeyRefused } from '../../src/model/errors.ts';
import type { QuotaState, WindowQuota } from '../../src/model/quota.ts';
import { renewalPlan, WatchRenewals } from '../../src/watches/renewals.ts';
import { settingOf } from '../support/described.ts';
import { fakeTimers } from '../support/fake-timers.ts';
import { by, lookup, lookupQueueOver } from '../support/lookup-queue.ts';

const UNITS = { h: 3_600_000, min: 60_000, s: 1_000, ms: 1 };
const RESET_MS = Date.UTC(2026, 10, 22);
const RENEWALS = 'watch renewals';

const IDS = Array.from({ length: 60 }, (_, index) => String(index + 1));
const OF_ALL = { game: 'Lanternfolk', set: { id: 'watched', name: 'Watched' } };
const CARDS = IDS.map((id) => ({ id, name: `Card ${id}`, tcg: OF_ALL.game, ...OF_ALL, prices: { market: 1 } }));

interface Evening extends CardServiceOptions {
  hoursLeft?: number;
  bulkPath?: string;
  hasWindow?: boolean;
}

const LISTS = { bulkPath: '/cards?ids={ids}' };
/** A service that states no figures, and of whose day no plan tells either. */
const WITHOUT_DAY = { hasWindow: false, hoursLeft: 20 };

/** Some hours before the reset; bob's lookup of card 60 has just told what remains of the day. */
async function evening(watched: readonly string[], { hoursLeft = 1, bulkPath, hasWindow = true, ...more }: Evening) {
  fakeTimers({ now: RESET_MS - hoursLeft * UNITS.h });
  const service = new EmbeddedCardService({ plan: 'free', cards: CARDS, latencyMs: 200, ...more });
  if (!hasWindow) {
    service.inFront = (ruled) => {
      const answer = ruled();
      return { ...answer, headers: { ...answer.headers, 'x-ratelimit-limit': '0', 'x-ratelimit-remaining': '0' } };
    };
  }
  const elsewhere = { waiting: 0, isUnknown: false, asked: 0 };
  const local = new LocalClaims();
  const claims: Claims = {
    isShared: false,
    async claim(name, wish) {
      if (name === RENEWALS) elsewhere.asked += 1;
      return name === RENEWALS && elsewhere.isUnknown ? 'unavailable' : local.claim(name, wish);
    },
    release: (name) => local.release(name),
  };
  const { queue, cards, limiter, ledger, storedCards } = lookupQueueOver(
    service,
    { plan: 'free' },
    {
      claims,
      otherQueues: { tell: () => {}, lengths: () => [0, elsewhere.waiting] },
      ...(bulkPath && { bulk: { bulkPath, most: 20 } }),
    },
  );
  const error = vi.fn();
  const find = vi.fn(async () => watched.map((cardId) => ({ cardId })));
  const log = { error } as never;
  const renewals = new WatchRenewals({ watches: { find }, cards, lookupQueue: queue, limiter, claims, hasWindow, log });
  onTestFinished(() => renewals.close());
  const known = queue.enqueue(lookup('60', by('bob')));
  await vi.advanceTimersByTimeAsync(200);
  await known;
  return {
    service,
    queue,
    ledger,
    renewals,
    storedCards,
    find,
    error,
    local,
    elsewhere,
    before: service.requests.length,
  };
}

type World = Awaited<ReturnType<typeof evening>>;

/** Second by second: reading what is watched lets others run, in real time. */
async function pass(ms: number): Promise<void> {
  for (let leftMs = ms; leftMs > 0; leftMs -= 1_000) {
    await vi.advanceTimersByTimeAsync(Math.min(leftMs, 1_000));
    await nextLoopIteration();
  }
}

const msOf = (number: string, unit: string) => Number(number) * UNITS[unit as keyof typeof UNITS];

/** What was requested for watches and others since the evening began, a list as one. */
function requested({ service, before }: World): string[][] {
  return service.requests.slice(before).map(({ path, cardIds }) => [...(cardIds ?? [path.split(/[/?]/)[2] ?? ''])]);
}

/** `2-4 x` → 2, 3, 4, x */
function idsIn(text: string): string[] {
  return text.split(' ').flatMap((part) => {
    const [from = '', to] = part.split('-');
    return to === undefined ? [from] : IDS.slice(Number(from) - 1, Number(to));
  });
}

/**
 * Scenarios in a line: steps with `; ` between them, and what they told with ` | `. Those that ask are members.
 */
const STEPS: [RegExp, (world: World, ...words: string[]) => unknown][] = [
  [/^start$/, ({ renewals }) => renewals.start()],
  [/^close$/, ({ renewals }) => renewals.close()],
  [/^\+([\d.]+) (\w+)$/, (_, number = '', unit = '') => pass(msOf(number, unit))],
  [/^clock (.\d+) h$/, (_, hours = '') => void vi.setSystemTime(RESET_MS + Number(hours) * UNITS.h)],
  [
    /^kept (\S+) (\d+) h$/,
    ({ storedCards }, ids = '', hours = '') => {
      const fetchedAtMs = Date.now() - Number(hours) * UNITS.h;
      for (const id of idsIn(ids)) storedCards.set(id, { card: { id, name: 'Card', ...OF_ALL }, fetchedAtMs });
    },
  ],
  [/^forgotten (\S+)$/, ({ storedCards }, id = '') => void storedCards.delete(id)],
  [
    /^asked (\S+)$/,
    ({ queue }, ids = '') => idsIn(ids).forEach((id) => void queue.enqueue(lookup(id, by('bob'))).catch(() => {})),
  ],
  [/^storm (\d+) (\w+)$/, ({ service }, number = '', unit = '') => service.storm(msOf(number, unit))],
  [/^nonsense for (\S+)$/, ({ service }, id = '') => service.script({ path: `/cards/${id}`, status: 200, body: {} })],
  [/^service (down|up)$/, ({ service }, state) => service.set({ down: state === 'down' })],
  [/^(\d) waits? elsewhere$/, ({ elsewhere }, waiting) => void Object.assign(elsewhere, { waiting: Number(waiting) })],
  [/^others unknown$/, ({ elsewhere }) => void Object.assign(elsewhere, { isUnknown: true })],
  [
    /^another renews$/,
    async ({ local }) => {
      const claimed = await local.claim(RENEWALS, { ttlMs: 5 * UNITS.min, endsWithOwner: true });
      return typeof claimed === 'object' ? `in ${claimed.heldForMs / 1_000} s` : undefined;
    },
  ],
  [
    /^not admitted$/,
    ({ queue }) => {
      const refused = async () => ({ refusal: new KeyRefused({ status: 401 }) });
      vi.spyOn(queue, 'admit').mockImplementation(refused);
    },
  ],
  [/^fault$/, ({ find }) => void find.mockRejectedValueOnce(new Error('fault'))],
  [/^sent$/, (world) => requested(world).flat().join(' ')],
  [/^sorted$/, (world) => requested(world).flat().toSorted().join(' ')],
  [
    /^sizes$/,
    (world) =>
      requested(world)
        .map(({ length }) => length)
        .join(' '),
  ],
  [/^count$/, (world) => String(requested(world).length)],
  [/^reads$/, ({ find }) => String(find.mock.calls.length)],
  [/^errors$/, ({ error }) => String(error.mock.calls.length)],
  [/^waiting$/, ({ queue }) => String(queue.length)],
  [/^claimed$/, ({ elsewhere }) => String(elsewhere.asked)],
  [/^admissions$/, ({ queue }) => String(vi.mocked(queue.admit).mock.calls.length)],
  [/^429s$/, ({ service }) => String(service.counts.byStatus[429] ?? 0)],
  [
    /^booked$/,
    async ({ ledger }) => {
      const [{ requests, saved }, bob] = [await ledger.watchesToday(), await ledger.memberToday('bob')];
      return `${requests}, ${saved} saved, ${bob.requests} by bob`;
    },
  ],
];

async function said(world: World, script: string): Promise<string> {
  const told: string[] = [];
  for (const step of script.split(/;\s+/)) {
    const [match, act] = STEPS.map(([form, act]) => [form.exec(step), act] as const).find(([found]) => found) ?? [];
    if (!match || !act) throw new Error(`no step: ${step}`);
    const word = await act(world, ...match.slice(1));
    if (typeof word === 'string') told.push(word);
  }
  return told.join(' | ');
}

it.each<[rule: string, watched: string, script: string, told: string, Evening?]>([
  [
    'renews what is not fresh, the oldest price first, one at a time, each from a full bucket',
    '1-4',
    'kept 1 58 h; kept 2 59 h; kept 3 1 h; start; +6 s; sent; +13 s; sent; +30 min; sent; booked; 429s',
    '4 | 4 2 1 | 4 2 1 | 3, 0 saved, 1 by bob | 0',
  ],
  ['leaves members twice the reserve', '1-40', 'start; +55 min; count', '15', { usedToday: 884 }],
  [
    'carries as many cards as a list may, with one request',
    '1-40',
    'start; +1 min; sizes; booked',
    '20 20 | 2, 38 saved, 1 by bob',
    LISTS,
  ],
  [
    'waits a minute after a list of which one card was not answered',
    'x 1-39',
    'nonsense for x; start; +1 min; sizes; +1 min; sizes',
    '20 1 | 20 1 20',
    LISTS,
  ],
  ['reads what is watched seven times in an hour', '1-50', 'kept 1-50 0 h; start; +1 h; reads', '7', WITHOUT_DAY],
  ['also where a card a minute is renewed', '1-50', 'kept 1-50 60 h; start; +1 h; reads', '7', WITHOUT_DAY],
  [
    'a member goes first, and lifts a renewal that waits',
    '1',
    'asked 2; +1 s; start; +100 ms; sent; asked 1; +300 ms; sent; booked',
    '2 | 2 1 | 0, 1 saved, 3 by bob',
  ],
  [
    'goes on at once after a card that another process has fetched meanwhile',
    '1 2',
    'start; +100 ms; kept 1 0 h; +30 s; sent',
    '2',
  ],
  [
    'a card that was refused without a request is renewed later',
    '1',
    'start; +100 ms; storm 10 min; asked 2; +11 min; sent; asked 3; +11 min; sent',
    '2 | 2 3 1',
  ],
  [
    'a card that the service denies, or answers with nonsense, rests for the hours of a window',
    'x 1',
    'nonsense for 1; start; +1.9 h; sorted',
    '1 x',
    { hoursLeft: 2 },
  ],
  [
    'renews again on the next day when its first request comes in the evening, too',
    '1 2',
    'start; +1 h; sent; clock +23 h; forgotten 60; asked 60; +30 min; sent',
    '1 2 | 1 2 60 1 2',
  ],
  [
    'a 429 stops it until a member has had an answer',
    '1-20',
    'start; +6 s; count; storm 10 s; +10 min; count; asked 50; +5 min; count',
    '1 | 2 | 21',
  ],
  [
    'plans anew every ten minutes: the reset or the clock may have moved',
    '1',
    'start; +1 min; clock -1 h; +10 min; sent',
    '1',
    { hoursLeft: 20 },
  ],
  [
    'sends nothing while another process renews, or a member waits there',
    '1',
    '1 waits elsewhere; another renews; start; +10 min; 0 waits elsewhere; another renews; +4 min; sent; +3 min; sent',
    ' | 1',
  ],
  [
    'keeps others from renewing for five minutes, unless it has ended before',
    '1',
    'start; +100 ms; another renews; +1 min; sent; another renews',
    'in 299.9 s | 1',
  ],
  ['plans nothing while a member waits', '1', 'asked 2-30; +1 s; waiting; start; +1 s; waiting', '11 | 11'],
  [
    'sends nothing while nobody can tell whether another process renews, and asks once a minute',
    '1',
    'others unknown; start; +9.5 min; sent; claimed',
    ' | 10',
  ],
  [
    'tries again a minute after a renewal was not admitted',
    '1-20',
    'not admitted; start; +299 s; admissions; errors',
    '5 | 0',
  ],
  [
    'goes on ten minutes after a fault, which is in the log once',
    '1',
    'fault; start; +9 min; errors; sent; +2 min; sent',
    '1 |  | 1',
  ],
  [
    'sends what waits for its permit, and plans nothing more, once it is closed',
    '1-20',
    'start; +20 s; count; close; +10 min; count',
    '3 | 4',
  ],
  [
    'without a day renews each card once while its price is not fresh, again when it is old again',
    '1 2 4',
    'start; +1 h; sorted; +6 h; sorted; 429s',
    '1 2 4 | 1 1 2 2 4 4 | 0',
    { ...WITHOUT_DAY, ...LISTS },
  ],
  [
    'without a day asks once only in five hours for a card that the service does not answer',
    '1',
    'service down; start; +4 h; count; service up; +2 h; count',
    '3 | 4',
    { ...WITHOUT_DAY, hoursLeft: 5 },
  ],
])('%s', async (_, watched, script, told, options = {}) => {
  expect(await said(await evening(idsIn(watched), options), script)).toBe(told);
});

it('lets others run after fifty cards of which it reads whether they are fresh', async () => {
  const { renewals, storedCards } = await evening(IDS, WITHOUT_DAY);
  const { mock } = vi.spyOn(storedCards, 'get');
  const reads = [];
  renewals.start();
  for (let loops = 0; loops < 20; loops++) {
    await nextLoopIteration();
    reads.push(mock.calls.length);
  }
  expect(new Set(reads)).toEqual(new Set([0, 50, 60]));
});

const NOW_MS = RESET_MS - 20 * UNITS.min;
const QUOTA = { limit: 1_000, remaining: 400, resetsAtMs: RESET_MS, receivedAtMs: NOW_MS - UNITS.min };
/** What a plan is made of; one request carries more cards than a day spares. */
const FACTS = { view: viewOf(QUOTA), isWanted: false, mostTogether: 1_000, hasWindow: true, nowMs: NOW_MS };
const LOOK_AGAIN = { waitUntilMs: NOW_MS + UNITS.min };
const NOT_TODAY = { waitUntilMs: RESET_MS };
const PAUSE: Trouble = { kind: 'pause', beganMs: NOW_MS, untilMs: NOW_MS + 1, inARow: 1 };
const send = (cards: number) => ({ cards });
const known = (more: Partial<QuotaState>) => ({ view: viewOf({ ...QUOTA, ...more }) });
/** The day, and another window that ends in ten days, or with the day. */
function besides(window: Pick<WindowQuota, 'per' | 'limit' | 'remaining'>) {
  const resetsAtMs = window.per === 'month' ? NOW_MS + 240 * UNITS.h : RESET_MS;
  const view = viewOf(QUOTA);
  return { view: { ...view, windows: [...view.windows, { ...window, resetsAtMs, receivedAtMs: NOW_MS }] } };
}

function viewOf(
  stated: QuotaState | undefined,
  { trouble, awayForMs }: { trouble?: Trouble; awayForMs?: number } = {},
) {
  const state = { ...INITIAL_STATE, trouble, windows: { day: { stated, counted: undefined } } };
  const flow = { underWay: 0, isProbing: false, ahead: 0, answersTakeMs: 0 };
  const terms = { setting: settingOf(), longestWaitMs: 300_000 };
  return viewOfLimiter(at(state, terms, NOW_MS), flow, awayForMs && NOW_MS + awayForMs);
}

it.each<[string, Partial<typeof FACTS>, object]>([
  ['what remains beyond twice the reserve', {}, send(300)],
  ['nothing while no more remains', known({ remaining: 100 }), NOT_TODAY],
  ['nothing before the last two hours', { nowMs: RESET_MS - 3 * UNITS.h }, { waitUntilMs: RESET_MS - 2 * UNITS.h }],
  ['nothing that may leave after the reset', { nowMs: RESET_MS - 2 * UNITS.min + 1 }, NOT_TODAY],
  ['as much until two minutes before it', { nowMs: RESET_MS - 2 * UNITS.min }, send(300)],
  ['nothing of a spent day', known({ remaining: 0 }), NOT_TODAY],
  [
    'nothing that a month would not lose',
    besides({ per: 'month', limit: 3_000, remaining: 2_600 }),
    { waitUntilMs: NOW_MS + 240 * UNITS.h - 2 * UNITS.h },
  ],
  ['no more of an hour than it spares', besides({ per: 'hour', limit: 100, remaining: 60 }), send(40)],
  ['nothing of an unknown day', { view: viewOf(undefined) }, LOOK_AGAIN],
  ['one card where there is no day', { view: viewOf(undefined), hasWindow: false }, send(1)],
  ['none there while a member waits', { view: viewOf(undefined), hasWindow: false, isWanted: true }, LOOK_AGAIN],
  ['of a day that answers state, as of any other', { hasWindow: false }, send(300)],
  ['nothing when it is not known what remains', known({ remaining: undefined }), LOOK_AGAIN],
  ['nothing while the circuit breaker is open', { view: viewOf(QUOTA, { trouble: PAUSE }) }, LOOK_AGAIN],
  ['nothing while other processes cannot be reached', { view: viewOf(QUOTA, { awayForMs: 1 }) }, LOOK_AGAIN],
  ['nothing while a member waits', { isWanted: true }, LOOK_AGAIN],
  ['one where there are no lists', { mostTogether: 1 }, send(1)],
  ['as many as a list may carry', { mostTogether: 20 }, send(20)],
  ['without a stated reset until midnight UTC', known({ resetsAtMs: undefined }), send(300)],
])('spends %s', (_, facts, plan) => {
  const { view, hasWindow, nowMs, ...queue } = { ...FACTS, ...facts };
  expect(renewalPlan(view, queue, hasWindow, nowMs)).toEqual(plan);
});
