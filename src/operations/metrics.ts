import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from '@prometheus-io/client';
import packageJson from '../../package.json' with { type: 'json' };
import type { Events } from '../model/events.ts';
import { STOP_REASONS, WINDOWS } from '../model/quota.ts';
import type { LimiterView } from '../quota/limiter.ts';
import { leastOf } from '../quota/windows.ts';

/** An answer from the cache takes milliseconds; one that waited for a permit, minutes. */
const ANSWER_SECONDS = [0.05, 0.1, 0.25, 0.5, 1, 2, 3, 5, 10, 30, 60, 300, 900];
/** For names that are no command of this version: no label takes a value that a member can choose. */
const OTHER = 'other';

/** What of it is shown. */
export type KnownOfLimiter = Pick<LimiterView, 'stop' | 'windows'>;

/** An answer over HTTP. */
export interface Page {
  status: number;
  type?: string;
  body: string;
}

/**
 * What Prometheus reads: what is counted from the events of one bot, what its limiter and its lookup queue know, and
 * the library's own metrics of the process.
 */
export function openMetrics(events: Events, commandNames: readonly string[], usesRedis: boolean) {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const family = (name: string, help: string, labelNames: string[] = []) => {
    return { name: `cardbot_${name}`, help, labelNames, registers: [registry] };
  };
  const gauge = (...described: Parameters<typeof family>) => new Gauge(family(...described));
  const counter = (name: string, help: string, labels: Labels) => {
    const made = new Counter(family(name, help, Object.keys(labels)));
    for (const each of combinations(labels)) made.inc(each, 0);
    return made;
  };

  const commands = counter('commands_total', 'Commands by how they ended.', {
    command: commandNames,
    outcome: ['answered', 'not answered', 'too late', 'broken'],
  });
  const help = 'From the receipt of a command to its final answer, by where the answer came from.';
  const seconds = new Histogram({ ...family('command_seconds', help, ['source']), buckets: ANSWER_SECONDS });
  for (const source of ['cache', 'stale', 'service', 'bot']) seconds.zero({ source });
  events.subscribe('command', ({ command, outcome, source, tookMs }) => {
    commands.inc({ command: commandNames.includes(command) ? command : OTHER, outcome });
    seconds.observe({ source }, tookMs / 1000);
  });

  const open = gauge('deferred_replies_open', 'Replies that show "thinking…" and that this process will complete.');
  const thinking = new Set<string>();
  events.subscribe('reply', ({ step, interactionId }) => {
    if (step === 'deferred' || step === 'taken over') thinking.add(interactionId);
    else thinking.delete(interactionId);
    open.set(thinking.size);
  });
  const queued = gauge('queue_length', 'Cards that wait for a permit.');

  const requests = counter('service_requests_total', 'Requests to the card service by how they ended.', {
    endpoint: ['card', 'cards', 'usage'],
    outcome: ['answered', 'RateLimited', 'KeyRefused', 'PlanRefused', 'ServiceDown', 'UnexpectedAnswer'],
  });
  events.subscribe('request', ({ endpoint, outcome }) => requests.inc({ endpoint, outcome }));
  const rateLimits = counter('rate_limits_total', '429 answers: a pause, or the window of which nothing remains.', {
    kind: ['pause', ...WINDOWS],
  });
  events.subscribe('rateLimit', ({ kind }) => rateLimits.inc({ kind }));
  const held = gauge('breaker_open', '1 while requests are held back for that reason.', ['reason']);
  const limit = gauge('quota_limit', 'Requests of the day, or of the month where that leaves less; NaN: unknown.');
  const remaining = gauge('quota_remaining', 'What remains of them; NaN while unknown.');
  const reset = gauge('quota_reset_seconds', 'Seconds until they reset; NaN while unknown.');

  const store = ['cards', usesRedis ? 'redis' : 'state'];
  const errors = counter('store_errors_total', 'Failures of a store; of Redis, its outages.', { store });
  const works = gauge('store_works', '1 while a store works, 0 after a failure.', ['store']);
  for (const each of store) works.set({ store: each }, each === 'redis' ? 0 : 1); // Redis is reached later
  events.subscribe('store', ({ store, works: isWorking }) => {
    works.set({ store }, isWorking ? 1 : 0);
    if (!isWorking) errors.inc({ store });
  });

  const ready = gauge('gateway_ready', '1 while the shard receives commands.', ['shard']);
  events.subscribe('gateway', ({ shard, state }) => ready.set({ shard: String(shard) }, state === 'ready' ? 1 : 0));
  const about = { version: packageJson.version, node: process.version, state: usesRedis ? 'redis' : 'files' };
  gauge('build_info', 'The version that runs, its Node, and where its state is.', Object.keys(about)).set(about, 1);

  return async ({ stop, windows }: KnownOfLimiter, queueLength: number): Promise<Page> => {
    queued.set(queueLength);
    for (const reason of STOP_REASONS) held.set({ reason }, reason === stop?.reason ? 1 : 0);
    const least = leastOf(windows.filter(({ per }) => per !== 'hour'));
    limit.set(least?.limit ?? NaN);
    remaining.set(least?.remaining ?? NaN);
    reset.set(((least?.resetsAtMs ?? NaN) - Date.now()) / 1000);
    return { status: 200, type: registry.contentType, body: await registry.metrics() };
  };
}

/**
 * The values of each label for which there are figures from the start: Prometheus sees no increase in a counter that
 * begins at 1.
 */
type Labels = Readonly<Record<string, readonly string[]>>;

function combinations(labels: Labels) {
  return Object.entries(labels).reduce<Record<string, string>[]>(
    (known, [name, values]) => known.flatMap((each) => values.map((value) => ({ ...each, [name]: value }))),
    [{}],
  );
}
