import { EventEmitter } from 'node:events';
import { expect } from 'vitest';
import { seededRandom } from '../../sandbox/seeded-random.ts';
import type { CatalogWorkerData, FromWorker, serveCatalog, ToWorker } from '../../src/storage/sqlite/catalog/worker.ts';
import { begin, install, isInstalled, type Owner, owners, pause, run } from '../simulate/fake-time.ts';
import { hosts } from './hosts.ts';

/** The catalogue's thread, within this one. */
class NearWorker extends EventEmitter {
  static serve: typeof serveCatalog;
  readonly #owner: Owner = {
    isAlive: true,
    clock: { skewMs: 0 },
    open: new Set(),
    deferred: new Set(),
    number: 0,
    slot: 0,
  };
  readonly #inside = new EventEmitter();

  constructor(_: URL, { workerData }: { workerData: CatalogWorkerData }) {
    super();
    const thread = {
      post: (message: FromWorker) => void setTimeout(() => this.emit('message', structuredClone(message)), 1),
      onMessages: (listener: (messages: readonly ToWorker[]) => void) => void this.#inside.on('message', listener),
      exit: () => void this.terminate(),
    };
    setTimeout(() => {
      try {
        owners.run(this.#owner, () => NearWorker.serve(workerData, thread));
      } catch (error) {
        this.emit('error', error);
        thread.exit();
      }
    }, 5);
  }

  postMessage(messages: readonly ToWorker[]): void {
    owners.run(this.#owner, () => setTimeout(() => this.#inside.emit('message', structuredClone(messages)), 1));
  }

  async terminate(): Promise<number> {
    owners.run(undefined as never, () => setTimeout(() => this.emit('exit', 0), 1));
    this.#owner.isAlive = false;
    return 0;
  }

  ref(): void {}
  unref(): void {}
}

/** Private in discord.js 14: what its gateway calls with each interaction. */
interface Gateway {
  actions: { InteractionCreate: { handle(payload: object): void } };
}

async function installOnce(): Promise<void> {
  install(NearWorker);
  // Loaded afterwards: what they keep of Node is simulated then.
  const { serveCatalog } = await import('../../src/storage/sqlite/catalog/worker.ts');
  NearWorker.serve = serveCatalog;
  // What the app loads when it needs it would take real time.
  await import('../../src/cli/commands.ts');
  await import('../../src/cli/registration.ts');
  await import('../../src/operations/alerts.ts');
  await import('../../src/storage/sqlite/catalog/last-changes.ts');
  const { Client, DefaultRestOptions } = await import('discord.js');
  const hostAt = (url: string) => {
    const host = hosts.get(new URL(url).origin);
    if (!host) throw new TypeError('fetch failed', { cause: new Error(`nobody answers at ${url}`) });
    return host;
  };
  globalThis.fetch = async (input, init) => {
    const request = new Request(input, init);
    init?.signal?.addEventListener('abort', () => request, { once: true }); // it is collected otherwise, and hears nothing
    await pause(1);
    return hostAt(request.url).answer(request);
  };
  Object.assign(DefaultRestOptions, {
    makeRequest: (url: string, { dispatcher, ...init }: RequestInit & { dispatcher?: unknown }) => fetch(url, init),
  });

  const { destroy } = Client.prototype;
  const leaving = new WeakMap<object, () => void>();
  Client.prototype.login = async function login(this: InstanceType<typeof Client>) {
    const { InteractionCreate } = (this as unknown as Gateway).actions;
    const send = (frame: string) => {
      const { t, d } = JSON.parse(frame);
      if (t === 'INTERACTION_CREATE') setTimeout(() => InteractionCreate.handle(d), 1);
    };
    const leave = hostAt(this.options.rest?.api ?? '').gateway?.join({ send, close() {} });
    leaving.set(this, () => leave?.());
    this.emit('shardReady', 0, undefined);
    return 'token';
  };
  Client.prototype.destroy = async function left(this: InstanceType<typeof Client>) {
    leaving.get(this)?.();
    return destroy.call(this);
  };
  Object.assign(expect, { poll });
}

const POLL_MS = 50;
const PATIENCE_MS = 600_000;

/** As vitest's own, in simulated time. */
function poll(look: () => unknown) {
  const judged = (isNot: boolean) =>
    new Proxy({} as Record<string, unknown>, {
      get: (_, matcher: string) =>
        matcher === 'not'
          ? judged(!isNot)
          : (...expected: unknown[]) => run(untilHolds(look, matcher, isNot, expected)),
    });
  return judged(false);
}

async function untilHolds(look: () => unknown, matcher: string, isNot: boolean, expected: unknown[]): Promise<void> {
  for (const endMs = Date.now() + PATIENCE_MS; ; await pause(POLL_MS)) {
    try {
      const expectation = isNot ? expect(await look()).not : expect(await look());
      (expectation as unknown as Record<string, (...given: unknown[]) => void>)[matcher]?.(...expected);
      return;
    } catch (error) {
      if (Date.now() >= endMs) throw error;
    }
  }
}

// vitest's `setupFiles` run for every test file, also where several share a worker and its modules.
if (!isInstalled) await installOnce();
begin(seededRandom('scenes'));
