import { AsyncLocalStorage } from 'node:async_hooks';
import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import { DatabaseSync } from 'node:sqlite';
import timers from 'node:timers';
import timersPromises from 'node:timers/promises';
import zlib, { type ZlibOptions } from 'node:zlib';

/** A simulated process. What a killed one has waited for never comes. */
export interface Owner {
  isAlive: boolean;
  /** Of its machine: what one that was set shows beyond the time. */
  clock: { skewMs: number };
  /** Closed when it is killed. */
  open: Set<Disposable>;
  /** Deferred replies that are to be completed: one that shows all of its cards may wait for a renewal. */
  deferred: Set<string>;
  number: number;
  /** Which of the processes that run side by side it is. */
  slot: number;
}

export const owners = new AsyncLocalStorage<Owner>();

export const BEGIN_MS = Date.UTC(2026, 5, 1, 9);
const realSetImmediate = globalThis.setImmediate;
const RealDate = globalThis.Date;

let beganAtMs = BEGIN_MS;
let nowMs = 0;
let sequence = 0;
let random = () => 0;
let queue: FakeTimer[] = [];
let loading = 0;
/** Whether time is simulated in this process. */
export let isInstalled = false;

/** A timer of Node. Those of the same time fire in the order in which they were set. */
class FakeTimer {
  readonly #callback: () => void;
  readonly #delayMs: number;
  readonly #repeats: boolean;
  readonly #owner = owners.getStore();
  readonly #within = AsyncLocalStorage.snapshot();
  atMs = 0;
  order = 0;

  constructor(callback: () => void, delayMs: unknown, repeats = false) {
    this.#callback = callback;
    this.#delayMs = Math.max(1, Math.trunc(Number(delayMs)) || 0);
    this.#repeats = repeats;
    this.refresh();
  }

  fire(): void {
    if (this.#owner?.isAlive === false) return;
    if (this.#repeats) this.refresh();
    this.#within(this.#callback);
  }

  refresh(): this {
    this.close();
    this.atMs = nowMs + this.#delayMs;
    this.order = ++sequence;
    let [low, high] = [0, queue.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((queue[middle]?.atMs ?? 0) > this.atMs) low = middle + 1;
      else high = middle;
    }
    queue.splice(low, 0, this);
    return this;
  }

  close(): this {
    const at = this.order === 0 ? -1 : queue.lastIndexOf(this);
    if (at >= 0) queue.splice(at, 1);
    return this;
  }

  ref = () => this;
  unref = () => this;
  hasRef = () => true;
  [Symbol.dispose] = () => void this.close();
}

/** The process's clock; the simulation itself has one that nobody sets. */
const wallMs = () => beganAtMs + nowMs + (owners.getStore()?.clock.skewMs ?? 0);

class FakeDate extends RealDate {
  constructor(...given: []) {
    if (given.length === 0) super(wallMs());
    else super(...given);
  }
  static override now = wallMs;
}

function sleep<T>(delayMs?: number, value?: T, { signal }: { signal?: AbortSignal } = {}): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => {
      timer.close();
      reject(new DOMException('aborted', { name: 'AbortError', cause: signal?.reason } as never));
    };
    const timer = new FakeTimer(() => {
      signal?.removeEventListener('abort', abort);
      resolve(value as T);
    }, delayMs);
    if (signal?.aborted) abort();
    else signal?.addEventListener('abort', abort, { once: true });
  });
}

/** Waits in the simulation's time, in the name of nobody. */
export const pause = (delayMs: number): Promise<void> => owners.run(undefined as never, () => sleep(delayMs));

/** A process's files, which are closed when it is killed: what it still has to write is not written. */
function noteDatabases(): void {
  const { prepare } = DatabaseSync.prototype;
  DatabaseSync.prototype.prepare = function noted(this: DatabaseSync, ...given) {
    const owner = owners.getStore();
    owner?.open.add(this);
    if (owner?.isAlive === false) this[Symbol.dispose]();
    return prepare.apply(this, given);
  };
}

/** Replaces time and chance of this whole process. To be called before the app and discord.js are loaded. */
export function install(): void {
  isInstalled = true;
  const setTimer = (callback: (...given: unknown[]) => void, delayMs?: number, ...given: unknown[]) =>
    new FakeTimer(() => callback(...given), delayMs);
  const setRepeated = (callback: (...given: unknown[]) => void, delayMs?: number, ...given: unknown[]) =>
    new FakeTimer(() => callback(...given), delayMs, true);
  const soon = (callback: (...given: unknown[]) => void, ...given: unknown[]) => setTimer(callback, 0, ...given);
  const clear = (timer?: { close?: () => void }) => void timer?.close?.();
  const replaced = {
    ...{ setTimeout: setTimer, setInterval: setRepeated, setImmediate: soon },
    ...{ clearTimeout: clear, clearInterval: clear, clearImmediate: clear },
  };
  Object.assign(globalThis, replaced, { Date: FakeDate });
  Object.assign(timers, replaced);
  Object.assign(timersPromises, { setTimeout: sleep, setImmediate: (value: unknown) => sleep(0, value) });
  performance.now = () => nowMs;
  Math.random = () => random();
  const uuid = () => `00000000-0000-4000-8000-${String(Math.floor(random() * 1e12)).padStart(12, '0')}` as const;
  Object.assign(crypto, { randomUUID: uuid });
  globalThis.crypto.randomUUID = uuid;
  AbortSignal.timeout = (delayMs) => {
    const abort = new AbortController();
    new FakeTimer(() => abort.abort(new DOMException('no answer in time', 'TimeoutError')), delayMs);
    return abort.signal;
  };
  AbortSignal.any = (signals) => {
    const abort = new AbortController();
    for (const signal of signals) {
      if (signal.aborted) abort.abort(signal.reason);
      signal.addEventListener('abort', () => abort.abort(signal.reason), { once: true });
    }
    return abort.signal;
  };
  noteDatabases();
  const deflate = (data: Buffer, options: ZlibOptions, done: (error: null, packed: Buffer) => void) =>
    done(null, zlib.deflateSync(data, options));
  Object.assign(zlib, { deflate });
  syncBuiltinESMExports();
}

/** Another world begins: nothing of the one before is left. */
export function begin(drawn: () => number, atMs = BEGIN_MS): void {
  beganAtMs = atMs;
  nowMs = 0;
  sequence = 0;
  queue = [];
  random = drawn;
}

export const simulatedMs = (): number => nowMs;

const LONGEST_WAIT_MS = 172_800_000;
const waits = new Set<{ untilMs: number; fail(why: unknown): void }>();
let isPassing = false;

/** Time passes until the work is done, and all other work that is waited for. @throws when it waits for nothing, or for longer than two days */
export async function run<T>(work: Promise<T>): Promise<T> {
  const { promise, reject: fail } = Promise.withResolvers<never>();
  const wait = { untilMs: nowMs + LONGEST_WAIT_MS, fail };
  waits.add(wait);
  if (!isPassing) void pass();
  try {
    return await Promise.race([work, promise]);
  } finally {
    waits.delete(wait);
  }
}

async function pass(): Promise<void> {
  isPassing = true;
  let idle = 0;
  for (await settle(); waits.size > 0; await settle()) {
    if (loading > 0) continue;
    idle = queue.length > 0 ? 0 : idle + 1;
    fail(idle > 1_000 ? new Error('nothing is under way, and the end is not reached') : next());
  }
  isPassing = false;
}

/** Whoever waits, if there is a reason, or has waited for too long. */
function fail(why: unknown): void {
  const late = new Error('no end within two days');
  for (const wait of waits) if (why || nowMs > wait.untilMs) wait.fail(why ?? late);
}

/** The next timer fires. @returns what it throws */
function next(): unknown {
  const timer = queue.pop();
  nowMs = Math.max(nowMs, timer?.atMs ?? 0);
  try {
    timer?.fire();
    return undefined;
  } catch (error) {
    return error;
  }
}

/** Lets everything run that waits for no timer, and what reads or writes files. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 2 || isUsingFiles(); turn++)
    await new Promise<void>((resolve) => void realSetImmediate(resolve));
}

function isUsingFiles(): boolean {
  return process.getActiveResourcesInfo().some((kind) => kind.startsWith('FSReq'));
}

/** Waits in real time for what is loaded or read, while no time passes. */
export async function load<T>(work: Promise<T>): Promise<T> {
  let isDone = false;
  const end = () => {
    isDone = true;
  };
  work.then(end, end);
  loading++;
  while (!isDone) await new Promise<void>((resolve) => void realSetImmediate(resolve));
  loading--;
  return work;
}
