import { onTestFinished, vi } from 'vitest';
import { errorAnswer, jsonAnswer, type Listing } from '../../sandbox/service/rules.ts';
import { type DictatedAnswer, EmbeddedCardService } from '../../sandbox/service/service.ts';
import type { Reservation } from '../../src/lookup/lookup-queue.ts';
import type { KnownError } from '../../src/model/errors.ts';
import { type Bookings, guildKey, WATCHES, WATCHES_REQUESTER } from '../../src/model/quota.ts';
import { type ClaimOptions, Claims } from '../../src/model/store/claims.ts';
import type { Acquired } from '../../src/quota/limiter.ts';
import { DAY_MS, utcDay } from '../../src/time.ts';
import { fakeTimers } from './fake-timers.ts';
import { isTold, msOf, play, type Steps } from './limiter-script.ts';
import { INFO } from './log-lines.ts';
import {
  type LookupQueueSetting,
  lookup,
  lookupQueueOver,
  NOON_MS,
  requesterOf,
  rowsInMemory,
} from './lookup-queue.ts';

/** The real one: it runs once everything is done that waits for no time. */
const macrotask = setImmediate;

/** Fewer fire in any script. */
const MOST_TIMERS = 3_000;

/** What the first steps of a script decide, unless they are left out. */
interface Setting extends Omit<LookupQueueSetting, 'claims' | 'otherQueues'> {
  /** Of the service, which the bot knows; `auto`: that of the free plan, of which it has to learn. */
  planned: { plan: 'auto' | 'free' | 'pro' | 'business'; requestsPerMinute?: number; burst?: number };
  /** Of the service; the bot learns of it. */
  day: { requestsPerDay: number; usedToday: number };
  /** There and back, to what processes share: claims, permits and books. Absent: nothing is shared. */
  linkMs?: number;
  /** The limiter is shared. */
  isOverRedis?: true;
}

/** Somebody's wish for one card. */
interface Asked {
  who: string;
  card: string;
  reservation?: Reservation;
  /** What they were told of their wait, and when. */
  news: string[];
  /** What they were told in the end; absent before that. */
  how?: string;
}

interface Departure {
  ids: readonly string[];
  atMs: number;
}

/**
 * The lookup queue with all that is below it, in simulated time, played by a line of steps: who asks for which card,
 * how the service does, how much time passes. Of the cards of one step each member gets every so many-th. Members are
 * in the server `guild`; `alice@far` in another, `alice@` writes direct messages, and `alice@far!` is where the bot is
 * not installed. Unless it is said, the plan allows one request a second, and one that the others find ready.
 *
 * At the end of each script the books agree with the requests that left, no card was requested twice at a time, nobody
 * was told of a request that had not left, and nothing that has ended holds a permit or a claim.
 *
 * @param own steps of a test about what stands beside the queue
 * @returns plays steps, and resolves with what those tell that ask for something, separated by ` | `
 */
export function queueScript(own: Steps<World> = []): (script: string) => Promise<string> {
  fakeTimers({ now: NOON_MS });
  const setting: Setting = {
    planned: { plan: 'free', requestsPerMinute: 60, burst: 2 },
    day: { requestsPerDay: 100_000, usedToday: 0 },
    budgets: { guildDaily: undefined, memberDaily: 0, foreignDaily: undefined },
  };
  let world: World | undefined;
  return async (script) => {
    const told: unknown[] = [];
    for (const step of script.split(/;\s*/)) {
      if (world || !SETTINGS.some(([pattern]) => pattern.test(step))) {
        world ??= begin(setting);
        told.push(await play(world, [...own, ...STEPS], step));
        await settled();
      } else await play(setting, SETTINGS, step);
    }
    if (world) await checkLaws(world);
    return told.filter(isTold).join(' | ');
  };
}

const SETTINGS: Steps<Setting> = [
  [/^plan (auto|free|pro|business)$/, (setting, plan) => Object.assign(setting, { planned: { plan } })],
  [
    /^(\d+) a minute, burst (\d+)$/,
    ({ planned }, rate, burst) => Object.assign(planned, { requestsPerMinute: Number(rate), burst: Number(burst) }),
  ],
  [
    /^(\d+) of (\d+) left today$/,
    (setting, left, day) =>
      Object.assign(setting, { day: { requestsPerDay: Number(day), usedToday: Number(day) - Number(left) } }),
  ],
  [
    /^lists of (\d+)(?:, (\d+) a second)?( by POST)?$/,
    (setting, most, perSecond, post) => {
      const bulkPath = post ? 'POST /cards/batch' : '/cards?ids={ids}';
      setting.bulk = { bulkPath, most: Number(most), ...(perSecond && { perSecond: Number(perSecond) }) };
    },
  ],
  [/^(.+) left of the day$/, (_, span) => void vi.setSystemTime(NOON_MS + DAY_MS / 2 - msOf(span))],
  [/^wait at most (.+)$/, (setting, span) => Object.assign(setting, { longestWaitMs: msOf(span) })],
  [
    /^(guild|member|foreign)Daily (\d+)$/,
    ({ budgets = {} }, whose, cap) => Object.assign(budgets, { [`${whose}Daily`]: Number(cap) }),
  ],
  [/^link of (.+)$/, (setting, span) => Object.assign(setting, { linkMs: msOf(span) })],
  [/^over Redis$/, (setting) => Object.assign(setting, { isOverRedis: true })],
];

/** All that there are: a letter, or a letter with a number. */
const CARDS = [...'abcdefghijklmnopqrstuvwxyz']
  .flatMap((letter) => namesIn(`${letter} ${letter}1-100`))
  .map((id) => ({ id, name: id, tcg: 'Lanternfolk', set: { id: 'all', name: 'All' }, prices: { market: 6 } }));

export type World = ReturnType<typeof begin>;

function begin({ planned, day, linkMs, isOverRedis, ...more }: Setting) {
  const { plan, ...rate } = planned;
  const service = new EmbeddedCardService({ ...rate, ...(plan !== 'auto' && { plan }), ...day, cards: CARDS });
  /** Laws that were broken. */
  const broken: string[] = [];
  const departures: Departure[] = [];
  const underWay: string[] = [];
  const fetch: typeof globalThis.fetch = async (url, init) => {
    const { pathname, searchParams } = new URL(String(url));
    const ids: string[] = init?.body
      ? JSON.parse(String(init.body)).ids
      : (searchParams.get('ids')?.split(',') ?? [decodeURIComponent(pathname.split('/').at(-1) ?? '')]);
    broken.push(...ids.filter((id) => underWay.includes(id)).map((id) => `${id} is requested twice`));
    departures.push({ ids, atMs: Date.now() - NOON_MS });
    underWay.push(...ids);
    try {
      return await service.fetch(url, init);
    } finally {
      for (const id of ids) underWay.splice(underWay.indexOf(id), 1);
    }
  };

  /** @param part of the way there and back */
  const way = async (part = 1) => {
    if (linkMs) await new Promise((resolve) => setTimeout(resolve, part * linkMs));
  };
  /** Claims and permits. */
  const held = new Set<unknown>();
  const claimedElsewhere = new Set<string>();
  const local = new Claims();
  const claims = Object.assign(new Claims(), {
    isShared: linkMs !== undefined,
    async claim(name: string, terms: ClaimOptions) {
      await way(0.5);
      const claimed = claimedElsewhere.has(name) ? { heldForMs: 1 } : await local.claim(name, terms);
      if (claimed === 'mine' && terms.endsWithOwner) held.add(name);
      await way(0.5);
      return claimed;
    },
    async release(name: string) {
      held.delete(name);
      await local.release(name);
    },
  });
  const redis: ((health: string) => void)[] = [];
  const link = { onHealth: (listener: (health: string) => void) => void redis.push(listener) };
  const elsewhere: { lengths: readonly number[] } = { lengths: [] };
  let lengthNow = () => 0;
  const over = lookupQueueOver({ fetch }, planned, {
    ...more,
    claims,
    otherQueues: {
      tell: (told) => {
        lengthNow = told;
      },
      lengths: () => elsewhere.lengths,
    },
    ...(isOverRedis && { shared: { rows: rowsInMemory(true), link } }),
  });

  // Limiter and ledger are as far away as the claims.
  const { limiter, ledger, events } = over;
  const [acquire, release] = [limiter.acquire.bind(limiter), limiter.release.bind(limiter)];
  const memberToday = ledger.memberToday.bind(ledger);
  /** What the limiter says when it is asked next. */
  const dictated: (() => Acquired)[] = [];
  const acquired: string[] = [];
  limiter.acquire = async (lane) => {
    await way(0.5);
    const got = dictated.shift()?.() ?? (await acquire(lane));
    acquired.push(got.kind);
    if (got.kind === 'permit') held.add(got.permit);
    await way(0.5);
    return got;
  };
  limiter.release = async (permit, outcome) => {
    held.delete(permit);
    await release(permit, outcome);
    await way();
  };
  ledger.memberToday = async (memberId) => {
    const today = await memberToday(memberId);
    await way();
    return today;
  };

  const happened: string[] = [];
  events.subscribe('request', ({ endpoint, outcome }) => void happened.push(`${endpoint} ${outcome}`));
  events.subscribe('rateLimit', ({ kind }) => void happened.push(`429 ${kind}`));
  return {
    ...{ ...over, service, departures, underWay, broken, held, claimedElsewhere, elsewhere, redis, dictated },
    ...{ claims, acquired, happened, lengthNow },
    requesters: new Map([[WATCHES, WATCHES_REQUESTER]]),
    asked: [] as Asked[],
    told: [] as string[],
    /** What was told already. */
    shown: { departures: 0, lines: 0 },
    /** What was booked by the clock that was ahead is in no hour yet. */
    isSetBack: false,
  };
}

const refused = (status: number) => errorAnswer(status, 'NotListed', 'These are not listed.');

/** How the service lists several cards. */
const LISTINGS: Readonly<Record<string, Listing>> = {
  'by id': (found) => jsonAnswer(200, Object.fromEntries(found.map((card) => [card.id, card]))),
  'without every third': (found) =>
    jsonAnswer(
      200,
      found.filter((_, index) => index % 3 !== 2),
    ),
  'with a broken card': ([first, ...others]) => jsonAnswer(200, [{ ...first, name: 7, set: null }, ...others]),
  'no card': () => jsonAnswer(200, []),
  'as it should': () => undefined,
  'no more than 5': (_, ids) => (ids.length > 5 ? refused(413) : undefined),
  'never: 405': () => refused(405),
  'never: 500': () => refused(500),
};

/** What the service answers in place of a card, besides a status. */
const ANSWERS: Readonly<Record<string, DictatedAnswer>> = {
  silence: { fault: 'hang' },
  'a reset': { fault: 'reset' },
  'a page': { status: 403, body: '<h1>blocked</h1>', headers: { 'content-type': 'text/html' } },
  'no such key': { status: 403, body: { _tag: 'Forbidden', message: 'no' } },
  'no such plan': { status: 402 },
  'a spent hour': { status: 429, body: { _tag: 'hour', message: 'spent' } },
  'a spent month': { status: 429, body: { _tag: 'month', message: 'spent' } },
  nonsense: { body: { id: 7 } },
  'card a': { body: CARDS[0] },
};

const STEPS: Steps<World> = [
  // The service
  [
    new RegExp(`^service lists (${Object.keys(LISTINGS).join('|')})$`),
    ({ service }, how) => Object.assign(service, { listing: LISTINGS[how] }),
  ],
  [
    /^service (?!lists )(\w+) (.+)$/,
    ({ service }, name, value) => service.set({ [name]: /^(?:\d|true|false)/.test(value) ? JSON.parse(value) : value }),
  ],
  [
    /^answer (\d+|[a-z ]+?)(?: for ([\d.]+ \w+))?(?: to (\S+))?(?:, (\d+) times)?$/,
    ({ service }, what, span, card, times) => {
      const headers = span ? { 'retry-after': String(msOf(span) / 1_000) } : {};
      service.script({
        ...(ANSWERS[what] ?? { status: Number(what), headers }),
        times: Number(times || 1),
        ...(card && { path: card === 'lists' ? '/cards?' : new RegExp(`[/=,]${card}(?!\\w)`) }),
      });
    },
  ],
  [
    /^limiter in front of (\d+) a minute$/,
    ({ service }, most) => Object.assign(service, { inFront: windowOf(Number(most)) }),
  ],
  [/^spent day$/, ({ service }) => service.exhaustDay()],
  [/^plan becomes (\w+)$/, ({ limiter }, plan) => limiter.observePlan(plan)],
  [
    /^(.+) (?:is|are) known(?: at (\d+))?(?: since (.+))?$/,
    ({ storedCards }, cards, price, span) => {
      const [fetchedAtMs, market] = [Date.now() - msOf(span || '0 s'), Number(price || 6)];
      for (const id of namesIn(cards)) {
        const card = { id, name: id, game: 'Lanternfolk', set: { id: 'all', name: 'All' }, prices: { market } };
        storedCards.set(id, { card, fetchedAtMs, history: [[fetchedAtMs, market]] });
      }
    },
  ],

  // Other processes
  [
    /^elsewhere wait (.+)$/,
    ({ elsewhere }, lengths) => Object.assign(elsewhere, { lengths: lengths.split(' ').map(Number) }),
  ],
  [
    /^elsewhere has (no more )?(.+)$/,
    ({ claimedElsewhere }, not, cards) => {
      for (const id of namesIn(cards)) claimedElsewhere[not ? 'delete' : 'add'](`card:${id}`);
    },
  ],
  [/^Redis is (away|usable)$/, ({ redis }, health) => redis.map((listener) => listener(health))],
  [
    /^limiter says (wait|outage) for (.+)$/,
    ({ dictated }, what, span) => {
      const untilMs = Date.now() + msOf(span);
      const isOutage = what === 'outage';
      dictated.push(() => (isOutage ? { kind: 'blocked', reason: what, untilMs } : { kind: 'wait', untilMs }));
    },
  ],
  [
    /^limiter breaks$/,
    ({ dictated }) => {
      dictated.push(() => {
        throw new TypeError('a bug');
      });
    },
  ],

  // Time
  [/^\+(.+)$/, (_, span) => pass(msOf(span))],
  [/^in ([\d.]+ \w+) (.+)$/, (world, span, step) => setTimeout(() => void play(world, STEPS, step), msOf(span))],
  [
    /^clock (back|ahead) (.+)$/,
    (world, way, span) => {
      world.isSetBack ||= way === 'back';
      vi.setSystemTime(Date.now() + (way === 'back' ? -1 : 1) * msOf(span));
    },
  ],
  [
    /^clock ticks (.+)$/,
    (_, span) => {
      let nowMs = Date.now();
      const clock = vi.spyOn(Date, 'now').mockImplementation(() => {
        nowMs += msOf(span);
        return nowMs;
      });
      onTestFinished(() => void clock.mockRestore());
    },
  ],
  [/^clock stands$/, () => void vi.mocked(Date.now).mockRestore()],
  [/^close within (.+)$/, ({ queue, told }, span) => void queue.close(msOf(span)).then(() => told.push('closed'))],

  // Members
  [
    /^([^:]+?)(?: (renew|reserve|resume|start|cancel|skip prices))?: (.+?)(?: within ([\d.]+ \w+))?(?: every (.+))?$/,
    async (world, who, verb, cards, within, every) => {
      const members = namesIn(who);
      for (const [at, card] of namesIn(cards).entries()) {
        does(world, members[at % members.length] ?? '', verb, card, within || '14.5 min');
        if (every) await pass(msOf(every));
      }
    },
  ],
  [
    /^(\S+) may spend (\d+)$/,
    (world, who, left) => Object.assign(requesterIn(world, who), { ceiling: { left: Number(left) } }),
  ],

  // What is told of it: since the last time, where nothing else is said
  [/^sent$/, (world) => sent(world)],
  [/^next (\d+)$/, (world, count) => nextSent(world, count)],
  [
    /^(\S+) is among the next (\d+)$/,
    async (world, id, count) => {
      const next = await nextSent(world, count);
      return next.split(' ').includes(id) ? 'yes' : next;
    },
  ],
  [
    /^sizes$/,
    (world) =>
      sinceShown(world)
        .map(({ ids }) => ids.length)
        .join(' '),
  ],
  [
    /^(?:at most (\d+) )?requests$/,
    (world, most) => {
      const { length } = sinceShown(world);
      return most && length <= Number(most) ? 'yes' : length;
    },
  ],
  [
    /^when(?: (\S+))?$/,
    (world, id) => {
      const some = id ? world.departures.filter(({ ids }) => ids.includes(id)) : sinceShown(world);
      return some.map(({ atMs }) => seconds(atMs)).join(', ');
    },
  ],
  [/^told$/, ({ told }) => told.splice(0).join(', ')],
  [/^count$/, ({ told }) => tally(told.splice(0).map((each) => each.split(' ')[2] ?? 'shown'))],
  [
    /^news (\S+)$/,
    ({ asked }, id) =>
      asked
        .filter(({ card }) => card === id)
        .map(({ news }) => news.join(', ') || 'nothing')
        .join(' / '),
  ],
  [
    /^booked(?: (\S+))?$/,
    async (world, who) => {
      const { requests, saved, refused } = await (who ? world.ledger.memberToday(who) : allBooked(world));
      return `${requests}, ${saved} saved${refused > 0 ? `, ${refused} refused` : ''}`;
    },
  ],
  [
    /^cost of (\S+)$/,
    ({ asked }, whose) => {
      const places = asked.filter(({ who }) => who === whose);
      return new Set(places.flatMap(({ reservation }) => [...(reservation?.progress.requestNumbers ?? [])])).size;
    },
  ],
  [
    /^price of (.+)$/,
    ({ queue }, cards) => {
      const { requests, waitMs } = queue.costOf(namesIn(cards));
      return `${requests.length}, ${seconds(waitMs)}`;
    },
  ],
  [
    /^stored$/,
    ({ storedCards }) =>
      Array.from(storedCards, ([id, { history = [] }]) => [id, ...history.map(([, price]) => price)].join(' ')).join(),
  ],
  [/^(length|isWanted|mostTogether)$/, ({ queue }, what) => String(queue[what as 'length'])],
  [/^length told$/, ({ lengthNow }) => lengthNow()],
  [/^acquired$/, ({ acquired }) => tally(acquired.splice(0))],
  [/^unanswered$/, ({ asked }) => asked.filter(({ how }) => !how).length],
  [/^events$/, ({ happened }) => happened.splice(0).join(', ')],
  [
    /^log(?: (\w+))?$/,
    ({ lines, shown }, word) => {
      const news = lines.slice(shown.lines).filter(({ level, msg }) => level >= INFO && msg.includes(word));
      shown.lines = lines.length;
      return news.map(({ msg }) => msg.split(':')[0]).join(', ');
    },
  ],
];

/** `a b1-3@far` names a, b1@far, b2@far and b3@far. */
export function namesIn(text: string) {
  return text.split(' ').flatMap((name) => {
    const [, stem = '', first, last, rest = ''] = /^([a-z]+)(\d+)-(\d+)(@.*)?$/.exec(name) ?? [];
    if (first === undefined) return name;
    return Array.from({ length: Number(last) - Number(first) + 1 }, (_, at) => `${stem}${Number(first) + at}${rest}`);
  });
}

function does(world: World, who: string, verb: string, card: string, within: string) {
  const places = world.asked.filter((asked) => asked.who === who && asked.card === card && !asked.how);
  if (verb === 'start') for (const place of places) start(world, place);
  else if (verb === 'cancel') {
    for (const place of places) {
      place.reservation?.cancel();
      place.how = 'given up';
    }
  } else void admit(world, who, verb, card, within);
}

async function admit(world: World, who: string, verb: string, card: string, within: string) {
  const wish = lookup(card, {
    requester: requesterIn(world, who),
    lane: who === WATCHES ? 'watches' : verb === 'renew' ? 'renewals' : 'members',
    showPrices: verb !== 'skip prices',
    deadlineMs: Date.now() + msOf(within),
  });
  const asked: Asked = { who, card, news: [] };
  world.asked.push(asked);
  const admission = await world.queue.admit({ ...wish, wasAdmitted: verb === 'resume' });
  if ('refusal' in admission) return tell(world, asked, refusalIn(admission.refusal as KnownError));
  asked.reservation = admission.reservation;
  if (verb !== 'reserve') start(world, asked);
}

function requesterIn({ requesters }: World, who: string) {
  const requester = requesters.get(who) ?? requesterOf(who);
  requesters.set(who, requester);
  return requester;
}

function start(world: World, asked: Asked) {
  const { reservation, news, card } = asked;
  const told = reservation?.start(() => {
    const { requestedAtMs, permitAtMs } = reservation.progress;
    let waits = requestedAtMs ? 'asked' : 'asked elsewhere';
    if (requestedAtMs === undefined && permitAtMs !== undefined) waits = `in ${seconds(permitAtMs - Date.now())}`;
    else if (!requestedAtMs && !world.claims.isShared) world.broken.push(`nobody asks for ${card}`);
    news.push(`${seconds(Date.now() - NOON_MS)} ${waits}`);
  });
  void told?.then(
    (answer) => tell(world, asked, answer.card ? 'shown' : 'missing'),
    (error: KnownError) => tell(world, asked, refusalIn(error)),
  );
}

function tell({ told }: World, asked: Asked, how: string) {
  asked.how = how;
  told.push(`${asked.who} ${asked.card}${how === 'shown' ? '' : ` ${how}`}`);
}

/** `Busy paused 6 s`, for instance: the kind of error, what it says, and how far away the time is that it names. */
function refusalIn(error: KnownError) {
  const facts = Object.entries(error).flatMap(([name, value]) => {
    if (name === 'untilMs') return seconds(Number(value) - Date.now());
    if (name === 'paused') return value ? name : [];
    return ['per', 'whose', 'status'].includes(name) ? String(value) : [];
  });
  return [error.name, ...facts].join(' ');
}

function seconds(ms: number) {
  return `${ms / 1_000} s`;
}

/** How many there are of each, in the order in which they came first. */
function tally(words: readonly string[]) {
  return [...Map.groupBy(words, (word) => word)].map(([word, { length }]) => `${length} ${word}`).join(', ');
}

async function nextSent(world: World, count: string) {
  await until(() => world.departures.length >= world.shown.departures + Number(count));
  return sent(world);
}

function sent(world: World) {
  return sinceShown(world)
    .map(({ ids }) => ids.join('+'))
    .join(' ');
}

function sinceShown({ departures, shown }: World) {
  const since = departures.slice(shown.departures);
  shown.departures = departures.length;
  return since;
}

async function pass(ms: number) {
  await settled();
  let isOver = false;
  setTimeout(() => {
    isOver = true;
  }, ms);
  await until(() => isOver);
}

/** Time passes from one timer to the next. */
async function until(isSo: () => boolean) {
  let timers = 0;
  for (await settled(); !isSo(); await settled()) {
    if (vi.getTimerCount() === 0 || timers++ > MOST_TIMERS) throw new Error('It does not happen.');
    vi.advanceTimersToNextTimer();
  }
}

/** Everything has happened that waits for no time. */
async function settled() {
  for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => macrotask(resolve));
}

/** In all places together. */
async function allBooked({ ledger, requesters }: World) {
  const places = new Map([...requesters.values()].map((requester) => [guildKey(requester), requester]));
  const booked = await Promise.all([...places.values()].map((requester) => ledger.guildToday(requester)));
  const sum = (kind: keyof Bookings) => booked.reduce((all, each) => all + each[kind], 0);
  return { requests: sum('requests'), refused: sum('refused'), saved: sum('saved') };
}

async function checkLaws(world: World) {
  const { broken, queue, ledger, departures, underWay, held } = world;
  const { requests, refused } = await allBooked(world);
  const byHour = (await ledger.hours()).reduce((sum, hour) => sum + hour.requests, 0);
  const today = departures.filter(({ atMs }) => utcDay(NOON_MS + atMs) === utcDay(Date.now()));
  if (requests + refused !== today.length || (byHour !== requests && !world.isSetBack))
    broken.push(`${requests} booked (${byHour} by hour), ${refused} refused, ${today.length} sent`);
  if (queue.length + underWay.length === 0 && held.size > 0) broken.push(`${held.size} held for nothing`);
  if (broken.length > 0) throw new Error(broken.join('; '));
}

/** A limiter like @fastify/rate-limit by default: a window from the first request on, with figures of its own. */
function windowOf(most: number): EmbeddedCardService['inFront'] {
  let [left, endsAtMs] = [0, 0];
  return (ruled) => {
    if (Date.now() >= endsAtMs) [left, endsAtMs] = [most, Date.now() + 60_000];
    const reset = String(Math.ceil((endsAtMs - Date.now()) / 1_000));
    const refusal = { status: 429, headers: { 'retry-after': reset }, body: '{"error":"Too Many Requests"}' };
    const { headers, ...answer } = left > 0 ? ruled() : refusal;
    left = Math.max(0, left - 1);
    const figures = { limit: String(most), remaining: String(left), reset };
    const own = Object.entries(figures).map(([name, figure]) => [`x-ratelimit-${name}`, figure]);
    return { ...answer, headers: { ...headers, ...Object.fromEntries(own) } };
  };
}
