import { expect } from 'vitest';
import { seededRandom } from '../../sandbox/seeded-random.ts';
import { begin, install, isInstalled, pause, run } from '../simulate/fake-time.ts';
import { hosts } from './hosts.ts';

/** Private in discord.js 14: what its gateway calls with each interaction. */
interface Gateway {
  actions: { InteractionCreate: { handle(payload: object): void } };
}

async function installOnce() {
  install();
  // What the app loads when it needs it would take real time.
  await import('../../src/cli/commands.ts');
  await import('../../src/discord/self-registration.ts');
  await import('../../src/operations/alerts.ts');
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

async function untilHolds(look: () => unknown, matcher: string, isNot: boolean, expected: unknown[]) {
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
