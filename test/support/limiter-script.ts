import { AsyncLocalStorage } from 'node:async_hooks';
import { expect, onTestFinished, vi } from 'vitest';
import type { RequestOutcome } from '../../src/model/errors.ts';
import type { WindowName, WindowQuota } from '../../src/model/quota.ts';
import { LANES, type Lane, type Permit, type PermitLane } from '../../src/quota/decision.ts';
import { Limiter } from '../../src/quota/limiter.ts';
import type { LimiterDocument } from '../../src/quota/limiter-document.ts';
import { type Planned, settingOf } from './described.ts';
import { logLines } from './log-lines.ts';
import { LONGEST_WAIT_MS, limiterInMemory, rowsInMemory } from './lookup-queue.ts';
import { type SharedQuota, type SharingProcess, sharedQuota } from './processes-over-redis.ts';
import type { TestRedis } from './redis.ts';

/** When a script begins: eleven days are left of the month, this one included. */
export const START_MS = Date.UTC(2026, 10, 20, 12);

/** Simulated, as all times of the script are. */
const BEAT_MS = 1_000;

const UNITS = { d: 86_400_000, h: 3_600_000, min: 60_000, s: 1_000, ms: 1 };

const ENDS: Record<string, RequestOutcome['kind']> = {
  answered: 'answered',
  429: 'rateLimited',
  down: 'serviceDown',
  'key refused': 'keyRefused',
  'plan refused': 'planRefused',
  abandoned: 'abandoned',
};

/** One of those that share the quota; where no step has a name there is one. */
interface Process {
  name: string;
  limiter: Limiter;
  document: LimiterDocument;
  /** Requests under way, the one last that left last. */
  held: Permit[];
  /** How often its listeners were called. */
  told: number;
  /** By how much its clock is ahead of those of the others, and of Redis. */
  aheadMs: number;
  /** Absent where the process shares the quota with no other. */
  shared?: SharingProcess;
}

/**
 * Scenarios of when a request may leave, in a line: steps with `; ` between them, and what they told with ` | `. Those
 * with ` & ` between them begin in the same moment. At every step no later place is forecast sooner; and where a process
 * shares its state with no other, the forecast is now exactly when a permit is given.
 *
 * - `+5 s`: time passes; `wait`: until a member's request may leave; `clock -1 h`: the clock is set
 * - `ask`, `ask 3`, `ask 2 renewals`: so many requests leave, if they may, and are under way
 * - `send 3`: so many leave, as many at once as may, and all are answered in this moment
 * - `answered`, `429`, `429 5 s`, `429 a month`, `down`, `down again`, `down 2 min`, `key refused`, `plan refused`,
 *   `abandoned`: so ends the request that left last, and with `first` before it the one that left first. Where none is
 *   under way, one leaves for it as soon as it may. `counted`, `uncounted`: by the service, if that is not what follows
 * - `states 500 of 1000 for 2 h`, `states 9 a month`, `… after 1 s`: headers of an answer to a request that left now, or
 *   so long ago; `plan pro`: a usage report names it
 * - `restart`, `restart as pro`: the process begins again, with another plan
 * - `why`, `why renewals`: why all of the lane are refused; `next 3`: when the next places are free; `pace`: what one
 *   more costs
 * - `left`: all windows, with `?` where they are counted here; `least`: the one that leaves least
 * - `breaker`, `learned`: as seen from outside; `log`: how new lines begin; `told`: whether listeners were called
 * - `3 x down`: a step so many times, without a word
 * - `b: ask`, `b dies`, `b leaves Redis`, `b loses an answer` (to what it writes next, and leaves), `b is back`,
 *   `b is 5 min ahead`: of another process, which begins when it is named first; `Redis forgets`; `Redis's clock -1 h`;
 *   `Redis is kept`, `Redis goes back`: to what it was then, as in a failover
 */
export class LimiterScript {
  /** When each request left, by the monotonic clock, and whether it was a probe. */
  readonly departures: { atMs: number; isProbe: boolean }[] = [];
  readonly #rows = rowsInMemory();
  readonly #logged = logLines();
  /** The log of all processes. */
  readonly lines = this.#logged.lines;
  readonly #random: number;
  readonly #quota: SharedQuota | undefined;
  readonly #processes = new Map<string, Process>();
  /** Of the processes that are started from now on. */
  setting: Planned;
  #seen = 0;

  /**
   * @param random 0 to 1: how much jitter there is
   * @param redis what processes share; absent: there is one process
   */
  constructor(setting?: Planned, random = 0, redis?: TestRedis) {
    vi.useFakeTimers({ now: START_MS - 1_000, toFake: ['Date', 'performance', 'setInterval', 'clearInterval'] });
    vi.advanceTimersByTime(1_000); // the monotonic clock is never 0
    onTestFinished(() => void vi.restoreAllMocks().useRealTimers());
    this.setting = setting ?? { plan: 'free' };
    this.#random = random;
    this.#quota = redis && sharedQuota(redis);
  }

  /** @throws `no step: …` */
  async says(script: string) {
    const said: unknown[] = [];
    for (const moment of script.split('; ')) {
      said.push(...(await Promise.all(moment.split(' & ').map((step) => this.#take(step)))));
      for (const process of this.#processes.values()) {
        if (!process.shared) await process.document.written();
        await keepsItsWord(process);
      }
    }
    return said.filter(isTold).join(' | ');
  }

  async #take(step: string) {
    const [, times, again = ''] = step.match(/^(\d+) x (.+)$/) ?? [];
    for (let left = Number(times); left > 0; left--) await this.#take(again);
    if (times) return undefined;
    const [, name = 'a', what = ''] = step.match(/^(?:([a-d]):? )?(.+)$/) ?? [];
    const process = this.#processes.get(name) ?? (await this.#start(name));
    return onMachineAhead(process.aheadMs, () => play(process, this.#steps, what));
  }

  readonly #steps: Steps<Process> = [
    [/^\+(.+)$/, (_, time) => this.#pass(msOf(time))],
    [/^wait$/, ({ limiter }) => this.#pass(limiter.view().forecast('members', 1) - Date.now())],
    [/^clock (.+)$/, (_, time) => void vi.setSystemTime(Date.now() + msOf(time))],
    [/^(ask|send)(?: (\d+))?(?: (\w+))?$/, (process, ...parts) => this.#leave(process, parts)],
    [
      /^(first )?(answered|429|down|key refused|plan refused|abandoned)(?: (again|(?:un)?counted))?(?: an? (\w+))?(?: (\d.+))?$/,
      (process, ...parts) => this.#end(process, parts),
    ],
    [/^states(?: (\d+))?(?: of (\d+))?(?: a (\w+))?(?: for (-?[\d.]+ \w+))?(?: after (.+))?$/, states],
    [/^plan (\w+)$/, ({ limiter }, plan) => limiter.observePlan(plan)],
    [/^restart(?: as (\w+))?$/, (process, plan) => this.#restart(process, plan)],
    [/^is (.+) ahead$/, (process, time) => void Object.assign(process, { aheadMs: msOf(time) })],
    [/^dies$/, ({ shared }) => shared?.link.close()],
    [/^(leaves Redis|is back)$/, (process, how) => this.#part(process, how === 'leaves Redis')],
    [/^loses an answer$/, ({ shared }) => shared?.link.loseAnswer()],
    [/^Redis forgets$/, () => this.#quota?.forget()],
    [/^Redis is kept$/, () => this.#quota?.keep()],
    [/^Redis goes back$/, () => this.#quota?.goBack()],
    [/^Redis's clock (.+)$/, (_, time) => this.#quota?.moveClock(msOf(time))],
    [/^why(?: (renewals|watches))?$/, ({ limiter }, lane) => why(limiter, (lane || 'members') as Lane)],
    [
      /^next (\d+)(?: (\w+))?$/,
      ({ limiter }, count, lane) => next(limiter, laneOf(lane), Number(count)).map(fromNow).join(', '),
    ],
    [/^pace$/, ({ limiter }) => pace(limiter)],
    [
      /^left$/,
      ({ limiter }) =>
        limiter
          .view()
          .windows.map((window) => left(window))
          .join(', ') || 'unknown',
    ],
    [/^least$/, ({ limiter }) => left(limiter.view().quota)],
    [/^breaker$/, ({ limiter }) => breaker(limiter)],
    [/^learned$/, ({ limiter }) => learned(limiter)],
    [/^log$/, () => this.#news()],
    [/^told$/, (process) => told(process)],
  ];

  async #start(name: string) {
    const { log } = this.#logged;
    if (this.#processes.size === 0) await this.#quota?.goBack();
    const terms = { setting: settingOf(this.setting), longestWaitMs: LONGEST_WAIT_MS };
    const options = { terms, log };
    const shared = this.#quota?.join(options);
    const document = shared?.document ?? limiterInMemory({ ...options, rows: this.#rows });
    await document.written();
    const limiter = new Limiter(document, { terms, random: () => this.#random });
    const process: Process = { name, limiter, document, held: [], told: 0, aheadMs: 0, ...(shared && { shared }) };
    limiter.onChange(() => process.told++);
    this.#processes.set(name, process);
    await shared?.link.opened;
    await this.#quota?.settled();
    return process;
  }

  async #restart({ shared, name }: Process, plan: string) {
    if (plan) this.setting = { ...this.setting, plan };
    await shared?.processes.leave();
    shared?.link.close();
    await this.#start(name);
  }

  /** Whether Redis is out of its reach. */
  async #part({ shared }: Process, isParted: boolean) {
    shared?.link.part(isParted);
    await this.#quota?.settled();
  }

  /** With heartbeats, as long as there are processes that have them. */
  async #pass(ms: number) {
    if (!this.#quota) return void vi.advanceTimersByTime(ms);
    for (let leftMs = ms; leftMs > 0; leftMs -= BEAT_MS) {
      vi.advanceTimersByTime(Math.min(leftMs, BEAT_MS));
      for (const { shared, aheadMs } of this.#processes.values())
        await onMachineAhead(aheadMs, () => shared?.processes.look());
      await this.#quota.settled();
    }
    // Who was not as quick as another tries again after some real milliseconds.
    for (const { document } of this.#processes.values()) await document.written();
  }

  /**
   * As many requests as may leave, each of which is answered in the same moment if they are `send`.
   *
   * @returns how many have left, and when the next may if fewer did than wanted
   */
  async #leave(process: Process, [verb, count, named]: Parts) {
    const { limiter, held } = process;
    const sent: Permit[] = [];
    const answer = () => limiter.release(sent.shift() as Permit, { kind: 'answered' });
    let [left, said] = [0, ''];
    while (left < Number(count || 1)) {
      const got = await this.#acquire(process, laneOf(named));
      if (got.kind === 'permit') {
        sent.push(got.permit);
        left++;
        if (got.permit.probe) said = ' probe';
      } else if (verb === 'send' && sent.length > 0) await answer();
      else {
        said = `, then ${until(got)}`;
        break;
      }
    }
    if (verb === 'ask') held.push(...sent);
    else while (sent.length > 0) await answer();
    return `${left}${said}`;
  }

  async #acquire({ limiter, shared }: Process, lane: PermitLane) {
    const [first = 0] = next(limiter, lane, 1);
    const isNow = first <= Date.now();
    const got = await limiter.acquire(lane);
    if (!shared) expect(got.kind === 'permit', `forecast for ${lane}: ${fromNow(first)}`).toBe(isNow);
    if (got.kind === 'permit') this.departures.push({ atMs: performance.now(), isProbe: got.permit.probe });
    return got;
  }

  /** Ends the request that left last, or first. If none is under way, one leaves for it as soon as it may. */
  async #end(process: Process, [which, kind, how, per, time]: Parts) {
    const { limiter, held } = process;
    while (held.length === 0) {
      const got = await this.#acquire(process, 'members');
      if (got.kind === 'permit') held.push(got.permit);
      else await this.#pass(Math.max(1, got.untilMs - Date.now()));
    }
    const permit = (which ? held.shift() : held.pop()) as Permit;
    await limiter.release(permit, {
      kind: ENDS[kind] ?? 'abandoned',
      isSuspect: how === 'again',
      ...(per && { spentWindow: per as WindowName }),
      ...(time && { statedMs: msOf(time) }),
      ...(how.endsWith('counted') && { isCounted: how === 'counted' }),
    });
  }

  #news() {
    const news = this.lines.slice(this.#seen);
    this.#seen = this.lines.length;
    return news.map(({ msg }) => msg.split(' ').slice(0, 4).join(' ')).join(', ') || 'nothing';
  }
}

/**
 * What a script says that may begin with a setting: `under auto: …`; `under free with burst 1: …`, a variable;
 * `under free of requestsPerDay 3: …`, as another service describes it.
 *
 * @param under the setting where the script names none
 */
export function saysUnder(row = '', under = 'free', random?: number, redis?: TestRedis) {
  const [, own = under, script = ''] = /^(?:under (.+?): )?(.*)$/.exec(row) ?? [];
  return new LimiterScript(settingIn(own), random, redis).says(script);
}

export function settingIn(text: string): Planned {
  const [, plan = '', variables, limits] = /^(\w+)(?: with (.+?))?(?: of (.+))?$/.exec(text) ?? [];
  const figures = (named = '') =>
    Object.fromEntries(
      named
        .split(', ')
        .map((each) => each.split(' '))
        .map(([name, figure]) => [name, Number(figure)]),
    );
  const plans = { free: { requestsPerMinute: 10, burst: 20, ...figures(limits) } };
  return { plan, ...(variables && figures(variables)), ...(limits && { plans }) };
}

async function keepsItsWord({ limiter, shared }: Process) {
  for (const lane of [...LANES, 'report'] as const) {
    const times = next(limiter, lane, 20);
    expect(times, `places of ${lane}`).toEqual(times.toSorted((a, b) => a - b));
    const [first = 0] = times;
    if (shared || first <= Date.now()) continue;
    expect((await limiter.acquire(lane)).kind, `for ${lane} before ${fromNow(first)}`).not.toBe('permit');
  }
}

function laneOf(named: string) {
  return (named || 'members') as PermitLane;
}

/** Headers of an answer to a request that left in this moment, or before. */
function states({ limiter }: Process, ...[remaining, limit, per, time, took]: Parts) {
  const receivedAtMs = Date.now();
  const [sentAtMs, resetInMs] = [receivedAtMs - (took ? msOf(took) : 0), time ? msOf(time) : undefined];
  const figure = (text: string) => (text ? Number(text) : undefined);
  const figures = { limit: figure(limit), remaining: figure(remaining), resetInMs };
  limiter.observe({ ...figures, sentAtMs, receivedAtMs, ...(per && { per: per as WindowName }) });
}

function next(limiter: Limiter, lane: PermitLane, count: number) {
  const view = limiter.view();
  return Array.from({ length: count }, (_, at) => view.forecast(lane, at + 1));
}

/** What a place more costs, far from any burst. */
function pace(limiter: Limiter) {
  const view = limiter.view();
  return shown(view.forecast('members', 9_002) - view.forecast('members', 9_001));
}

function why(limiter: Limiter, lane: Lane) {
  const view = limiter.view();
  const refused = view.blockedFor(lane);
  return refused ? until(refused) : view.paused ? 'paused' : 'nothing';
}

function until({ untilMs, ...rest }: { untilMs: number; reason?: string }) {
  return `${'reason' in rest ? `${rest.reason} ` : ''}${fromNow(untilMs)}`;
}

/** Such as `88 of 100 a day, 12 h`; with `?` where nobody states it. */
function left(window: Partial<WindowQuota> = {}) {
  const { per = 'day', limit, remaining, resetsAtMs, isOurCount } = window;
  return `${remaining ?? '-'} of ${limit ?? '-'} a ${per}${isOurCount ? '?' : ''} ${fromNow(resetsAtMs)}`;
}

function breaker(limiter: Limiter) {
  const { stop, trouble } = limiter.view();
  const { reason = 'closed', untilMs = trouble?.untilMs ?? 0 } = stop ?? {};
  const failures = stop && !stop.beganMs ? 1 : (trouble?.inARow ?? 0);
  return `${reason} ${fromNow(untilMs)}, ${failures} in a row`;
}

function learned(limiter: Limiter) {
  const { window, capacity } = limiter.view().learned;
  if (window !== undefined) return `${window} a minute`;
  return capacity === undefined ? 'nothing' : `burst ${capacity}`;
}

function told(process: Process) {
  const { told } = process;
  process.told = 0;
  return told > 0 ? 'told' : 'not told';
}

/** The parts of a step; one that is left out is `''`. */
type Parts = [string, string, string, string, string];

export type Steps<On> = readonly (readonly [RegExp, (on: On, ...parts: Parts) => unknown])[];

/** What one step tells, by the first pattern that fits. @throws `no step: …` */
export async function play<On>(on: On, steps: Steps<On>, step: string): Promise<unknown> {
  for (const [pattern, act] of steps) {
    const found = pattern.exec(step);
    if (!found) continue;
    const [, a = '', b = '', c = '', d = '', e = ''] = found;
    return act(on, a, b, c, d, e);
  }
  throw new Error(`no step: ${step}`);
}

export const isTold = (each: unknown) => typeof each === 'string' || typeof each === 'number';

/** Plays steps with `; ` between them. @returns what they told that is a text or a number, with ` | ` between */
export async function played<On>(on: On, script: string, steps: Steps<On>): Promise<string> {
  const told: unknown[] = [];
  for (const step of script.split(/;\s+/)) told.push(await play(on, steps, step));
  return told.filter(isTold).join(' | ');
}

/** Of `1.5 s`, for instance. @throws `no time: …` */
export function msOf(text = ''): number {
  const [figure, unit = ''] = text.split(' ');
  const ms = Number(figure) * (UNITS[unit as keyof typeof UNITS] ?? Number.NaN);
  if (Number.isNaN(ms)) throw new Error(`no time: ${text}`);
  return ms;
}

function fromNow(atMs: number | undefined) {
  if (atMs === undefined) return 'never';
  return atMs <= Date.now() ? 'now' : shown(atMs - Date.now());
}

/** In the largest unit of which it is a whole number. */
function shown(exactMs: number) {
  const ms = Math.round(exactMs);
  const [unit, ofUnit] = Object.entries(UNITS).find(([, each]) => ms % each === 0) ?? ['ms', 1];
  return `${ms / ofUnit} ${unit}`;
}

const aheadMs = new AsyncLocalStorage<number>();

/** Runs work, and everything asynchronous that it starts, with a clock that is ahead; until `vi.restoreAllMocks`. */
function onMachineAhead<T>(byMs: number, work: () => T) {
  if (!vi.isMockFunction(Date.now)) {
    const now = Date.now.bind(Date);
    vi.spyOn(Date, 'now').mockImplementation(() => now() + (aheadMs.getStore() ?? 0));
  }
  return aheadMs.run(byMs, work);
}
