import { onTestFinished, vi } from 'vitest';
import { errorAnswer, jsonAnswer, type Listing } from '../../sandbox/service/rules.ts';
import { type DictatedAnswer, EmbeddedCardService } from '../../sandbox/service/service.ts';
import { LimiterDocument } from '../../src/limiter/document.ts';
import type { Acquired, Limiter } from '../../src/limiter/limiter.ts';
import { INITIAL_STATE, type Terms } from '../../src/limiter/state.ts';
import type { Lookup } from '../../src/lookup/fair-queue.ts';
import type { Reservation } from '../../src/lookup/lookup-queue.ts';
import type { CardRecord } from '../../src/model/card.ts';
import { type Claims, LocalClaims } from '../../src/model/claims.ts';
import type { KnownError } from '../../src/model/errors.ts';
import type { BudgetSetting } from '../../src/model/plan.ts';
import { type Bookings, guildKey, type Requester, WATCHES_REQUESTER } from '../../src/model/quota.ts';
import { settingOf } from './described.ts';
import { msOf, type Parts, stepIn } from './limiter-script.ts';
import { INFO, type LogLine, logLines } from './log-lines.ts';
import { fakeTime, LONGEST_WAIT_MS, lookup, lookupQueueOver, NOON_MS, rowsInMemory } from './lookup-queue.ts';

/** The real one: it runs once everything is done that waits for no time. */
const macrotask = setImmediate;

/** Fewer fire in any script. */
const MOST_TIMERS = 3_000;

const seconds = (ms: number) => `${ms / 1_000} s`;

/** `a b1-3@far` names a, b1@far, b2@far and b3@far. */
function namesIn(text: string): string[] {
  return text.split(' ').flatMap((name) => {
    const [, stem = '', first, last, rest = ''] = /^([a-z]+)(\d+)-(\d+)(@.*)?$/.exec(name) ?? [];
    if (first === undefined) return name;
    return Array.from({ length: Number(last) - Number(first) + 1 }, (_, at) => `${stem}${Number(first) + at}${rest}`);
  });
}

/** All that there are: a letter, or a letter with a number. */
const CARDS = [...'abcdefghijklmnopqrstuvwxyz']
  .flatMap((letter) => namesIn(`${letter} ${letter}1-100`))
  .map((id) => ({ id, name: id, tcg: 'Lanternfolk', set: { id: 'all', name: 'All' }, prices: { market: 6 } }));

function recordOf(id: string, fetchedAtMs: number, market: number): CardRecord {
  const card = { id, name: id, game: 'Lanternfolk', set: { id: 'all', name: 'All' }, prices: { market } };
  return { card, fetchedAtMs, history: [[fetchedAtMs, market]] };
}

const refused = (status: number) => errorAnswer(status, 'NotListed', 'These are not listed.');

/** How the service lists several cards. */
const LISTINGS: Readonly<Record<string, Listing>> = {
  'bulkShape by id': (found) => jsonAnswer(200, Object.fromEntries(found.map((card) => [card.id, card]))),
  'bulkShape some left out': (found) =>
    jsonAnswer(
      200,
      found.filter((_, index) => index % 3 !== 2),
    ),
  'bulkShape one broken card': ([first, ...others]) => jsonAnswer(200, [{ ...first, name: 7, set: null }, ...others]),
  'bulkShape empty': () => jsonAnswer(200, []),
  'bulkRefusal nothing': () => undefined,
  'bulkRefusal over 5 ids: 413': (_, ids) => (ids.length > 5 ? refused(413) : undefined),
  'bulkRefusal every id: 405': () => refused(405),
  'bulkRefusal every id: 500': () => refused(500),
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

/** What the steps that come first decide; some may change later. */
interface Setting {
  /** Of the service, which the bot knows. */
  plan: 'free' | 'pro' | 'business';
  /** That of the plan unless given. */
  pace?: { requestsPerMinute: number; burst: number } | undefined;
  /** Of the service; the bot learns of it. */
  day: { requestsPerDay: number; usedToday: number };
  budgets: BudgetSetting;
  bulk?: { bulkPath: string; most: number; perSecond?: number };
  longestWaitMs: number;
  /** There and back, to what processes share: claims, permits and books. Absent: nothing is shared. */
  linkMs?: number;
  /** How many wait in other processes. */
  elsewhere: number[];
  /** Who listens to the link with Redis. Absent: the limiter is not shared. */
  redis?: ((health: string) => void)[];
}

interface Departure {
  ids: string[];
  atMs: number;
}

type World = ReturnType<typeof lookupQueueOver> & { service: EmbeddedCardService };

/**
 * The lookup queue with all that is below it, in simulated time, played by a line of steps: who asks for which card,
 * how the service does, how much time passes. Of the cards of one step each member gets every so many-th. Members are
 * in the server `guild`; `alice@far` in another, `alice@` writes direct messages, and `alice@far!` is where the bot is
 * not installed. Unless it is said, the plan allows one request a second, and one that the others find ready.
 *
 * At the end of each script the books agree with the requests that left, no card was requested twice at a time, nobody
 * was told of a request that had not left, and nothing that has ended holds a permit or a claim.
 */
export class QueueScript {
  #setting: Setting = {
    plan: 'free',
    pace: { requestsPerMinute: 60, burst: 2 },
    day: { requestsPerDay: 100_000, usedToday: 0 },
    budgets: { guildDaily: undefined, memberDaily: 0, foreignDaily: undefined },
    longestWaitMs: LONGEST_WAIT_MS,
    elsewhere: [],
  };
  #made: World | undefined;
  readonly #requesters = new Map<string, Requester>();
  readonly #asked: Asked[] = [];
  #told: string[] = [];
  readonly #departures: Departure[] = [];
  #shown = { departures: 0, lines: 0 };
  readonly #underWay: string[] = [];
  /** What was booked by the clock that was ahead is in no hour yet. */
  #isSetBack = false;
  readonly #broken: string[] = [];
  readonly #claimed = new Set<string>();
  readonly #claimedElsewhere = new Set<string>();
  readonly #permits = new Set<object>();
  /** What happens when the limiter is asked next. */
  readonly #limiterActs: ((limiter: Limiter) => Acquired | undefined)[] = [];
  #acquired: string[] = [];
  #events: string[] = [];
  readonly #lengths: number[] = [];
  readonly #lengthsTold: number[] = [];

  constructor() {
    fakeTime();
  }

  /** The log. */
  get lines(): readonly LogLine[] {
    return this.#world.lines;
  }

  /** @returns what the steps tell that ask for something, separated by ` | ` */
  async says(script: string): Promise<string> {
    const said: string[] = [];
    for (const step of script.split(/[;\n]/).map((one) => one.trim())) {
      const tells = step ? await this.#play(step) : undefined;
      if (typeof tells === 'string') said.push(tells);
    }
    if (this.#made) await this.#checkLaws(this.#made);
    return said.join(' | ');
  }

  async #play(step: string): Promise<unknown> {
    const [run, parts] = stepIn(this.#steps, step);
    const tells = await run(...parts);
    if (this.#made) await settled();
    return tells;
  }

  readonly #steps: readonly [RegExp, (...parts: Parts) => unknown][] = [
    // Settings
    [/^plan (free|pro|business)$/, (plan) => this.#set({ plan: plan as 'free', pace: undefined })],
    [
      /^(\d+) a minute, burst (\d+)$/,
      (rate, burst) => this.#set({ pace: { requestsPerMinute: Number(rate), burst: Number(burst) } }),
    ],
    [
      /^(\d+) of (\d+) left today$/,
      (left, day) => this.#set({ day: { requestsPerDay: Number(day), usedToday: Number(day) - Number(left) } }),
    ],
    [
      /^lists of (\d+)(?:, (\d+) a second)?( by POST)?$/,
      (most, perSecond, post) => {
        const bulkPath = post ? 'POST /cards/batch' : '/cards?ids={ids}';
        this.#set({ bulk: { bulkPath, most: Number(most), ...(perSecond && { perSecond: Number(perSecond) }) } });
      },
    ],
    [/^wait at most ([\d.]+ \w+)$/, (span) => this.#set({ longestWaitMs: msOf(span) })],
    [
      /^(guild|member|foreign)Daily (\d+)$/,
      (whose, cap) => this.#set({ budgets: { ...this.#setting.budgets, [`${whose}Daily`]: Number(cap) } }),
    ],
    [/^link of ([\d.]+ \w+)$/, (span) => this.#set({ linkMs: msOf(span) })],
    [
      /^over Redis$/,
      () => {
        this.#set({ redis: [] });
        this.#made = this.#make();
      },
    ],

    // The service
    [
      new RegExp(`^service (${Object.keys(LISTINGS).join('|')})$`),
      (name) => Object.assign(this.#world.service, { listing: LISTINGS[name] }),
    ],
    [
      /^service (\w+) (.+)$/,
      (name, value) => {
        const isText = Number.isNaN(Number(value)) && !/^(?:true|false)$/.test(value);
        this.#world.service.set({ [name]: isText ? value : JSON.parse(value) });
      },
    ],
    [
      /^answer (\d+|[a-z ]+?)(?: for ([\d.]+ \w+))?(?: to (\S+))?(?:, (\d+) times)?$/,
      (what, span, card, times) => {
        const headers = span ? { 'retry-after': String(msOf(span) / 1_000) } : {};
        this.#world.service.script({
          ...(ANSWERS[what] ?? { status: Number(what), headers }),
          times: Number(times || 1),
          ...(card && { path: card === 'lists' ? '/cards?' : new RegExp(`[/=,]${card}(?!\\w)`) }),
        });
      },
    ],
    [
      /^limiter in front of (\d+) a minute$/,
      (most) => {
        this.#world.service.inFront = windowOf(Number(most));
      },
    ],
    [/^spent day$/, () => this.#world.service.exhaustDay()],
    [/^plan becomes (\w+)$/, (plan) => this.#world.limiter.observePlan(plan)],
    [
      /^(\S+) is known(?: at (\d+) since ([\d.]+ \w+))?$/,
      (id, market, span) =>
        void this.#world.storedCards.set(id, recordOf(id, Date.now() - msOf(span || '0 s'), Number(market || 6))),
    ],

    // Other processes
    [/^elsewhere wait (.+)$/, (lengths) => this.#set({ elsewhere: lengths.split(' ').map(Number) })],
    [/^elsewhere has no more (.+)$/, (cards) => this.#haveElsewhere(cards, 'delete')],
    [/^elsewhere has (.+)$/, (cards) => this.#haveElsewhere(cards, 'add')],
    [/^Redis is (away|usable)$/, (health) => void this.#setting.redis?.map((listener) => listener(health))],
    [
      /^limiter says wait ([\d.]+ \w+)$/,
      (span) => {
        const untilMs = Date.now() + msOf(span);
        this.#limiterActs.push(() => ({ kind: 'wait', untilMs }));
      },
    ],
    [
      /^limiter says outage$/,
      () => this.#limiterActs.push(() => ({ kind: 'blocked', reason: 'outage', untilMs: Date.now() + 60_000 })),
    ],
    [
      /^limiter learns that (\d+) of (\d+) are left$/,
      (remaining, limit) =>
        this.#limiterActs.push((limiter) => {
          const answered = { sentAtMs: Date.now(), receivedAtMs: Date.now() };
          limiter.observe({ limit: Number(limit), remaining: Number(remaining), resetInMs: 43_200_000, ...answered });
          return undefined;
        }),
    ],
    [
      /^limiter breaks$/,
      () =>
        this.#limiterActs.push(() => {
          throw new TypeError('a bug');
        }),
    ],

    // Time
    [/^\+([\d.]+ \w+)$/, (span) => this.#pass(msOf(span))],
    [/^in ([\d.]+ \w+) (.+)$/, (span, step) => void setTimeout(() => void this.#play(step), msOf(span))],
    [
      /^clock back ([\d.]+ \w+)$/,
      (span) => {
        this.#isSetBack = true;
        vi.setSystemTime(Date.now() - msOf(span));
      },
    ],
    [
      /^clock ticks ([\d.]+ \w+)$/,
      (span) => {
        let nowMs = Date.now();
        const clock = vi.spyOn(Date, 'now').mockImplementation(() => {
          nowMs += msOf(span);
          return nowMs;
        });
        onTestFinished(() => void clock.mockRestore());
      },
    ],
    [/^clock stands$/, () => void vi.mocked(Date.now).mockRestore()],
    [
      /^close within ([\d.]+ \w+)$/,
      (span) => void this.#world.queue.close(msOf(span)).then(() => this.#told.push('closed')),
    ],

    // Members
    [
      /^([^:]+?)(?: (renew|reserve|resume|start|cancel|skip prices))?: (.+?)(?: within ([\d.]+ \w+))?(?: every ([\d.]+ \w+))?$/,
      async (who, verb, cards, within, every) => {
        const members = namesIn(who);
        for (const [at, card] of namesIn(cards).entries()) {
          this.#does(members[at % members.length] ?? '', verb, card, within || '14.5 min');
          if (every) await this.#pass(msOf(every));
        }
      },
    ],
    [
      /^(\S+) may spend (\d+)$/,
      (who, left) => void Object.assign(this.#requesterOf(who), { ceiling: { left: Number(left) } }),
    ],

    // What is told of it: since the last time, where nothing else is said
    [
      /^next (\d+)$/,
      async (count) => {
        await this.#until(() => this.#departures.length >= this.#shown.departures + Number(count));
        return this.#sent();
      },
    ],
    [
      /^(\S+) is among the next (\d+)$/,
      async (id, count) => {
        await this.#until(() => this.#departures.length >= this.#shown.departures + Number(count));
        const sent = this.#sent();
        return sent.split(' ').includes(id) ? 'yes' : sent;
      },
    ],
    [/^sent$/, () => this.#sent()],
    [
      /^sizes$/,
      () =>
        this.#sinceShown()
          .map(({ ids }) => ids.length)
          .join(' '),
    ],
    [/^requests$/, () => String(this.#sinceShown().length)],
    [
      /^at most (\d+) requests$/,
      (most) => {
        const { length } = this.#sinceShown();
        return length <= Number(most) ? 'yes' : `${length} requests`;
      },
    ],
    [
      /^when( \S+)?$/,
      (id) => {
        const some = id ? this.#departures.filter(({ ids }) => ids.includes(id.trim())) : this.#sinceShown();
        return some.map(({ atMs }) => seconds(atMs)).join(', ');
      },
    ],
    [/^told$/, () => this.#told.splice(0).join(', ')],
    [/^count$/, () => tally(this.#told.splice(0).map((told) => told.split(' ')[2] ?? 'shown'))],
    [
      /^news (\S+)$/,
      (card) => {
        const news = this.#asked.filter((asked) => asked.card === card).map((asked) => asked.news.join(', '));
        return news.join(' / ');
      },
    ],
    [
      /^booked(?: (\S+))?$/,
      async (who) => {
        const { requests, saved, refused } = await (who ? this.#world.ledger.memberToday(who) : this.#booked());
        return `${requests}, ${saved} saved${refused > 0 ? `, ${refused} refused` : ''}`;
      },
    ],
    [
      /^cost of (\S+)$/,
      (who) => {
        const places = this.#asked.filter((asked) => asked.who === who);
        return String(
          new Set(places.flatMap(({ reservation }) => [...(reservation?.progress.requestNumbers ?? [])])).size,
        );
      },
    ],
    [
      /^price of (.+)$/,
      (cards) => {
        const { requests, waitMs } = this.#world.queue.costOf(namesIn(cards));
        return `${requests.length}, ${seconds(waitMs)}`;
      },
    ],
    [/^past of (\S+)$/, (id) => (this.#world.storedCards.get(id)?.history ?? []).map(([, price]) => price).join(' ')],
    [/^stored$/, () => [...this.#world.storedCards.keys()].join(' ')],
    [/^waiting$/, () => String(this.#world.queue.length)],
    [/^is wanted$/, () => String(this.#world.queue.isWanted)],
    [/^most together$/, () => String(this.#world.queue.mostTogether)],
    [/^lengths$/, () => this.#lengths.join(' ')],
    [/^length told$/, () => String(this.#lengthsTold.at(-1))],
    [/^acquired$/, () => tally(this.#acquired.splice(0))],
    [/^unanswered$/, () => String(this.#asked.filter(({ how }) => !how).length)],
    [/^events$/, () => this.#events.splice(0).join(', ')],
    [
      /^log(?: (\w+))?$/,
      (word) => {
        const lines = this.lines.slice(this.#shown.lines);
        this.#shown.lines = this.lines.length;
        return lines
          .filter(({ level, msg }) => level >= INFO && msg.includes(word))
          .map(({ msg }) => msg.split(':')[0])
          .join(', ');
      },
    ],
  ];

  get #world(): World {
    this.#made ??= this.#make();
    return this.#made;
  }

  #set(setting: Partial<Setting>): void {
    Object.assign(this.#setting, setting);
  }

  #make(): World {
    const { plan, pace, day, redis, ...more } = this.#setting;
    const setting = { plan, ...pace };
    const service = new EmbeddedCardService({ ...setting, ...day, cards: CARDS });
    const world = lookupQueueOver({ fetch: (url, init) => this.#fetch(service, url, init) }, setting, {
      ...more,
      otherQueues: {
        tell: (length) => void this.#lengthsTold.push(length),
        lengths: () => this.#setting.elsewhere,
      },
      claims: this.#claims(),
      ...(redis && {
        document: sharedDocument(redis, { setting: settingOf(setting), longestWaitMs: this.#setting.longestWaitMs }),
      }),
    });
    world.events.subscribe('request', ({ endpoint, outcome }) => void this.#events.push(`${endpoint} ${outcome}`));
    world.events.subscribe('rateLimit', ({ kind }) => void this.#events.push(`429 ${kind}`));
    world.events.subscribe('queue', ({ length }) => void this.#lengths.push(length));
    this.#share(world);
    return { ...world, service };
  }

  #claims(): Claims {
    const local = new LocalClaims();
    return {
      isShared: this.#setting.linkMs !== undefined,
      claim: async (name, terms) => {
        await this.#way(0.5);
        const claimed = this.#claimedElsewhere.has(name) ? { heldForMs: 1 } : await local.claim(name, terms);
        if (claimed === 'mine' && terms.endsWithOwner) this.#claimed.add(name);
        await this.#way(0.5);
        return claimed;
      },
      release: async (name) => {
        this.#claimed.delete(name);
        await local.release(name);
      },
    };
  }

  #haveElsewhere(cards: string, change: 'add' | 'delete'): void {
    for (const id of namesIn(cards)) this.#claimedElsewhere[change](`card:${id}`);
  }

  /** Limiter and ledger are as far away as the claims. */
  #share({ limiter, ledger }: Pick<World, 'limiter' | 'ledger'>): void {
    const [acquire, release] = [limiter.acquire.bind(limiter), limiter.release.bind(limiter)];
    const memberToday = ledger.memberToday.bind(ledger);
    limiter.acquire = async (lane) => {
      await this.#way(0.5);
      const acquired = this.#limiterActs.shift()?.(limiter) ?? (await acquire(lane));
      this.#acquired.push(acquired.kind);
      if (acquired.kind === 'permit') this.#permits.add(acquired.permit);
      await this.#way(0.5);
      return acquired;
    };
    limiter.release = async (permit, outcome) => {
      this.#permits.delete(permit);
      await release(permit, outcome);
      await this.#way();
    };
    ledger.memberToday = async (memberId) => {
      const today = await memberToday(memberId);
      await this.#way();
      return today;
    };
  }

  /** @param part of the way there and back */
  async #way(part = 1): Promise<void> {
    const { linkMs = 0 } = this.#setting;
    if (linkMs > 0) await new Promise((resolve) => setTimeout(resolve, part * linkMs));
  }

  async #fetch(service: EmbeddedCardService, ...[url, init]: Parameters<typeof fetch>): Promise<Response> {
    const { pathname, searchParams } = new URL(String(url));
    const ids: string[] = init?.body
      ? JSON.parse(String(init.body)).ids
      : (searchParams.get('ids')?.split(',') ?? [decodeURIComponent(pathname.split('/').at(-1) ?? '')]);
    this.#broken.push(...ids.filter((id) => this.#underWay.includes(id)).map((id) => `${id} is requested twice`));
    this.#departures.push({ ids, atMs: Date.now() - NOON_MS });
    this.#underWay.push(...ids);
    try {
      return await service.fetch(url, init);
    } finally {
      for (const id of ids) this.#underWay.splice(this.#underWay.indexOf(id), 1);
    }
  }

  #requesterOf(who: string): Requester {
    const [memberId = '', server = 'guild'] = who.split('@');
    const isInstalled = !server.endsWith('!');
    const requester = this.#requesters.get(who) ?? {
      ...(who === 'watches' ? WATCHES_REQUESTER : { memberId, guildId: server || undefined }),
      ...(!isInstalled && { isInstalled }),
    };
    this.#requesters.set(who, requester);
    return requester;
  }

  #does(who: string, verb: string, card: string, within: string): void {
    const places = this.#asked.filter((asked) => asked.who === who && asked.card === card && !asked.how);
    if (verb === 'start') for (const place of places) this.#start(place);
    else if (verb === 'cancel') for (const place of places) cancel(place);
    else {
      const wish = lookup(card, {
        requester: this.#requesterOf(who),
        lane: who === 'watches' ? 'watches' : verb === 'renew' ? 'renewals' : 'members',
        showPrices: verb !== 'skip prices',
        deadlineMs: Date.now() + msOf(within),
      });
      void this.#admit(wish, { who, card, news: [] }, verb);
    }
  }

  async #admit(wish: Lookup, asked: Asked, verb: string): Promise<void> {
    const { queue } = this.#world;
    this.#asked.push(asked);
    const admission = verb === 'resume' ? queue.admitAgain(wish) : await queue.admit(wish);
    if ('refusal' in admission) return this.#tell(asked, refusalIn(admission.refusal as KnownError));
    asked.reservation = admission.reservation;
    if (verb !== 'reserve') this.#start(asked);
  }

  #start(asked: Asked): void {
    const { reservation, news } = asked;
    if (!reservation) return;
    const told = reservation.start(() => {
      const { requestedAtMs, permitAtMs } = reservation.progress;
      const isAnnounced = requestedAtMs === undefined && permitAtMs !== undefined;
      const waits = isAnnounced
        ? `in ${seconds(permitAtMs - Date.now())}`
        : requestedAtMs
          ? 'asked'
          : 'asked elsewhere';
      if (waits === 'asked elsewhere' && this.#setting.linkMs === undefined)
        this.#broken.push(`nobody asks for ${asked.card}`);
      news.push(`${seconds(Date.now() - NOON_MS)} ${waits}`);
    });
    void told.then(
      ({ card }) => this.#tell(asked, card ? 'shown' : 'missing'),
      (error: KnownError) => this.#tell(asked, refusalIn(error)),
    );
  }

  #tell(asked: Asked, how: string): void {
    asked.how = how;
    this.#told.push(`${asked.who} ${asked.card}${how === 'shown' ? '' : ` ${how}`}`);
  }

  #sinceShown(): Departure[] {
    const since = this.#departures.slice(this.#shown.departures);
    this.#shown.departures = this.#departures.length;
    return since;
  }

  #sent(): string {
    return this.#sinceShown()
      .map(({ ids }) => ids.join('+'))
      .join(' ');
  }

  async #pass(ms: number): Promise<void> {
    await settled();
    let isOver = false;
    setTimeout(() => {
      isOver = true;
    }, ms);
    await this.#until(() => isOver);
  }

  /** Time passes from one timer to the next. */
  async #until(isSo: () => boolean): Promise<void> {
    let timers = 0;
    for (await settled(); !isSo(); await settled()) {
      if (vi.getTimerCount() === 0 || timers++ > MOST_TIMERS) throw new Error('It does not happen.');
      vi.advanceTimersToNextTimer();
    }
  }

  /** In all places together. */
  async #booked(): Promise<Bookings> {
    const { ledger } = this.#world;
    const places = new Map([...this.#requesters.values()].map((requester) => [guildKey(requester), requester]));
    const booked = await Promise.all([...places.values()].map((requester) => ledger.guildToday(requester)));
    const sum = (kind: keyof Bookings) => booked.reduce((all, each) => all + each[kind], 0);
    return { requests: sum('requests'), refused: sum('refused'), saved: sum('saved') };
  }

  async #checkLaws({ queue }: World): Promise<void> {
    const { requests, refused } = await this.#booked();
    const byHour = (await this.#world.ledger.hours()).reduce((sum, hour) => sum + hour.requests, 0);
    const isByHour = byHour === requests || this.#isSetBack;
    if (requests + refused !== this.#departures.length || !isByHour)
      this.#broken.push(`${requests} booked (${byHour} by hour), ${refused} refused, ${this.#departures.length} sent`);
    if (queue.length + this.#underWay.length === 0 && this.#permits.size + this.#claimed.size > 0)
      this.#broken.push(`${this.#permits.size} permits and ${[...this.#claimed]} held for nothing`);
    if (this.#broken.length > 0) throw new Error(this.#broken.join('; '));
  }
}

/** How many there are of each, in the order in which they came first. */
function tally(words: readonly string[]): string {
  return [...Map.groupBy(words, (word) => word)].map(([word, { length }]) => `${length} ${word}`).join(', ');
}

function cancel(asked: Asked): void {
  asked.reservation?.cancel();
  asked.how = 'given up';
}

/** `Busy paused 6 s`, for instance: the kind of error, what it says, and how far away the time is that it names. */
function refusalIn(error: KnownError): string {
  const facts = Object.entries(error).flatMap(([name, value]) => {
    if (name === 'untilMs') return seconds(Number(value) - Date.now());
    if (name === 'paused') return value ? name : [];
    return ['per', 'whose', 'status'].includes(name) ? String(value) : [];
  });
  return [error.name, ...facts].join(' ');
}

/** A limiter that is shared over Redis. @param listeners to how the link is */
function sharedDocument(listeners: ((health: string) => void)[], terms: Terms): LimiterDocument {
  const rows = rowsInMemory(true);
  const value = JSON.stringify({ state: INITIAL_STATE, by: {}, version: 0 });
  void rows.write([{ part: 'limiter', key: 'account', value }], { keepMs: 1 });
  return new LimiterDocument({
    ...{ terms, rows, account: 'account', log: logLines().log },
    link: { onHealth: (listener) => void listeners.push(listener) },
    processes: { id: 'this', isDead: () => false, onLook() {} },
  });
}

/** Everything has happened that waits for no time. */
async function settled(): Promise<void> {
  for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => macrotask(resolve));
}

/** A limiter like @fastify/rate-limit by default: a window from the first request on, with figures of its own. */
function windowOf(most: number): EmbeddedCardService['inFront'] {
  let [used, endsAtMs] = [0, 0];
  return (ruled) => {
    if (Date.now() >= endsAtMs) [used, endsAtMs] = [0, Date.now() + 60_000];
    used += 1;
    const seconds = String(Math.ceil((endsAtMs - Date.now()) / 1_000));
    const refused = { status: 429, headers: { 'retry-after': seconds }, body: '{"error":"Too Many Requests"}' };
    const { headers, ...answer } = used > most ? refused : ruled();
    const figures = { limit: most, remaining: Math.max(0, most - used), reset: seconds };
    const own = Object.entries(figures).map(([name, figure]) => [`x-ratelimit-${name}`, String(figure)]);
    return { ...answer, headers: { ...headers, ...Object.fromEntries(own) } };
  };
}
