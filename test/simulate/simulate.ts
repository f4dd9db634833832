import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { RESTOptions } from 'discord.js';
import { seededRandom } from '../../src/sandbox/seeded-random.ts';
import { BUG_MESSAGES } from '../chaos/alarms.ts';
import { type Limits, SimulatedService } from './card-service.ts';
import { isFinal, SimulatedDiscord, type Typed } from './discord.ts';
import { begin, install, load, type Owner, owners, pause, run, simulatedMs } from './fake-time.ts';
import { type Hit, Port } from './faults.ts';
import { DISRUPTIONS, type Outage } from './outages.ts';

install();
// Loaded afterwards: what they keep of Node is simulated then.
const { Client, DefaultRestOptions } = await import('discord.js');
const { startApp } = await import('../../src/app.ts');
const { readConfig } = await import('../../src/config/config.ts');
const { createLog } = await import('../../src/log.ts');
const { Events } = await import('../../src/model/events.ts');
const { redisPrefix } = await import('../../src/storage/redis/client.ts');
const { SimulatedRedis } = await import('./redis.ts');

export interface Options {
  seed: string;
  /** Only these faults by their numbers; all unless given. */
  only?: ReadonlySet<number> | undefined;
  isVerbose?: boolean;
  /** Two or three processes over one Redis, instead of one with its files. */
  isShared?: boolean;
}

export interface Outcome {
  hits: readonly Hit[];
  failures: string[];
  /** Of all that was sent, shown and counted. */
  hash: string;
  commands: number;
  requests: number;
  /** Commands that nobody had acknowledged when their process was killed. */
  forgotten: number;
  /** What became of Redis; none where it is not used. */
  outages: readonly Outage[];
}

interface World {
  discord: SimulatedDiscord;
  service: SimulatedService;
  port: Port;
  random: () => number;
}

/** Private in discord.js 14: what its gateway calls with each interaction. */
interface Gateway {
  actions: { InteractionCreate: { handle(payload: object): void } };
}

/** A process that runs the app. */
interface Running {
  owner: Owner;
  number: number;
  app: Awaited<ReturnType<typeof startApp>>;
  client: InstanceType<typeof Client>;
}

const APPLICATION = '1000000000000000001';
const FLUSHED_MS = 1_200;
/** A command to Redis that is not answered by then is given up. */
const ANSWERED_MS = 1_000;
/** A process is without Redis for so long after something went wrong between them. */
const SILENT_MS = 5_000;
/** Longer than a wait between two tries. */
const SILENCE_MS = 45_000;
/** After so long all processes know again what the others spend. */
const JOINED_MS = 30_000;
/** After a Redis that forgets there is less to check. */
const OFTEN = [
  ...DISRUPTIONS.filter((kind) => kind !== 'forget'),
  ...DISRUPTIONS,
  ...Array(3).fill('fail over' as const),
];
let world: World;
let loggedIn: InstanceType<typeof Client> | undefined;

// Its channels are global: they would keep what a killed process has subscribed.
const { subscribe } = Events.prototype;
Events.prototype.subscribe = function noted(this: InstanceType<typeof Events>, ...given) {
  const owner = owners.getStore();
  if (owner?.isAlive === false) return () => {};
  owner?.open.add({ [Symbol.dispose]: () => this.close() });
  return subscribe.apply(this, given as never);
} as typeof subscribe;
Client.prototype.login = async function login(this: InstanceType<typeof Client>) {
  loggedIn = this;
  return 'token';
};
const makeRequest: RESTOptions['makeRequest'] = async (url, { method, body, signal }) => {
  const owner = owners.getStore();
  if (!owner) throw new Error(`${url} is asked by no process`);
  const { pathname } = new URL(url);
  const json = body instanceof FormData ? body.get('payload_json') : body;
  const sent = typeof json === 'string' ? JSON.parse(json) : {};
  const answer = () => {
    const { status, body: text } = world.discord.answer(method ?? 'GET', pathname.replace(/^\/api\/v\d+/, ''), sent);
    const headers = { 'content-type': 'application/json' };
    return new Response(text ? JSON.stringify(text) : null, { status, headers });
  };
  const odd = () => {
    if (world.random() < 0.6) return new Response('<html></html>', { status: 502 });
    const limited = { message: 'You are being rate limited.', retry_after: 0.4, global: false };
    const headers = { 'content-type': 'application/json', 'retry-after': '1' };
    return new Response(JSON.stringify(limited), { status: 429, headers });
  };
  const name = pathname.endsWith('/callback') ? 'callback' : pathname.endsWith('bot') ? 'gateway' : 'edit';
  return world.port.call(owner, name, answer, odd, signal as AbortSignal | null) as never;
};
Object.assign(DefaultRestOptions, { makeRequest });
globalThis.fetch = async (input, { signal } = {}) => {
  const owner = owners.getStore();
  if (!owner) throw new Error(`${input} is asked by no process`);
  const { service, port, random } = world;
  const departure = service.leave(owner.number);
  const url = new URL(String(input));
  const heard = (status: number) => {
    departure.heard = { atMs: simulatedMs(), status };
  };
  try {
    const odd = () => service.odd(random());
    const answer = await port.call(owner, 'service', () => service.answer(url), odd, signal);
    heard(answer.status);
    return answer;
  } catch (error) {
    heard(0);
    throw error;
  }
};

/** The app from one seed: what members type, and what goes wrong. */
export async function simulate({ seed, only, isVerbose = false, isShared = false }: Options): Promise<Outcome> {
  const random = seededRandom(`members ${seed}`);
  // Of its own, so that members type the same with fewer faults.
  const chance = seededRandom(`faults ${seed}`);
  begin(seededRandom(`app ${seed}`));
  const hash = createHash('sha256');
  const trace = (line: string) => {
    hash.update(`${line}\n`);
    if (isVerbose) process.stdout.write(`${line}\n`);
  };
  const failures: string[] = [];
  const discord = new SimulatedDiscord();
  const limits = { requestsPerMinute: 10 + Math.floor(random() * 120), burst: 3 + Math.floor(random() * 20) };
  const service = new SimulatedService({ ...limits, requestsPerDay: 1_000 });
  const dataDir = foldersWithCopies();
  const kills: number[] = [];
  const running = new Map<number, Running>();
  const slots = Array.from({ length: isShared ? 2 + Math.floor(random() * 2) : 1 }, (_, slot) => slot);
  const clocks = slots.map(() => ({ skewMs: 0 }));
  let processes = 0;

  const kill = (owner: Owner) => {
    if (!owner.isAlive) return;
    owner.isAlive = false;
    redis?.left(owner);
    for (const each of owner.open) each[Symbol.dispose]();
    kills.push(simulatedMs());
    forgetOfKilled(owner, world, redis);
    void pause(100 + chance() * 3_000).then(() => start(owner.slot));
  };
  const share = 0.02 + random() * 0.2;
  const stormsFromMs = random() * 120_000;
  const stormsUntilMs = stormsFromMs + random() * 90_000;
  const isStorm = () => simulatedMs() > stormsFromMs && simulatedMs() < stormsUntilMs;
  const port = new Port({ random: chance, share: () => (isStorm() ? 0.6 : share), only, kill, trace });
  world = { discord, service, port, random: chance };
  const redis = isShared ? new SimulatedRedis(chance, port, 0.02 + random() ** 2 * 0.2) : undefined;

  const freshness = random();
  const write = (line: string) => {
    if (isVerbose) process.stdout.write(line);
    const bug = bugIn(line);
    // What a killed process cannot write, it would not have tried to.
    if (bug && owners.getStore()?.isAlive) failures.push(`logged: ${bug}`);
  };
  const envOf = (slot: number) => ({
    ...environment(limits, 20 + Math.floor(freshness * 200)),
    ...(isShared && shared(slot, slots.length)),
    DATA_DIR: join(dataDir, String(slot)),
    LOG_LEVEL: isVerbose ? 'debug' : 'info',
  });

  async function start(slot: number): Promise<void> {
    const clock = clocks[slot] ?? { skewMs: 0 };
    const owner: Owner = { isAlive: true, clock, open: new Set(), number: processes++, slot };
    const started = await owners.run(owner, async () => {
      const env = envOf(slot);
      const log = createLog({ level: env.LOG_LEVEL, secrets: [], destination: { write } });
      const app = await begun(startApp(readConfig(env), log));
      await app.ready;
      if (!loggedIn) throw new Error('no client has logged in');
      return { owner, number: owner.number, app, client: loggedIn };
    });
    running.set(slot, started);
    trace(`${simulatedMs()} started ${owner.number}`);
  }

  /** Reading files takes no simulated time, but connecting to Redis does. */
  const begun = <T>(work: Promise<T>): Promise<T> => (isShared ? work : load(work));

  async function areUp(): Promise<void> {
    while (slots.some((slot) => !running.get(slot)?.owner.isAlive)) await pause(100);
  }

  /** Until all show their last and nothing has been called for a while; at most as long as a reply can be edited. */
  async function isQuiet(): Promise<void> {
    const untilMs = simulatedMs() + 16 * 60_000;
    const isAwaited = (typed: Typed) => typed.first && !typed.isForgotten && !isFinal(typed);
    const isUnderWay = () =>
      simulatedMs() < port.calledAtMs + SILENCE_MS ||
      discord.typed.some(isAwaited) ||
      (redis && keptInRedis(redis).waiting.length > 0);
    while (simulatedMs() < untilMs && isUnderWay()) await pause(1_000);
  }

  async function members(): Promise<void> {
    const count = 15 + Math.floor(random() * 30);
    const meanMs = 300 + random() ** 2 * 8_000;
    for (let number = 0; number < count; number++) {
      await pause(-Math.log(1 - random()) * meanMs);
      const to = running.get(Math.floor(random() * slots.length));
      const typed = drawn(number, to?.number ?? 0, random);
      if (!to?.owner.isAlive) continue; // Discord says at once that nobody is there
      discord.typed.push(typed);
      const payload = payloadOf(typed, random);
      trace(`${typed.typedAtMs} typed ${JSON.stringify(payload.data)}`);
      const { actions } = to.client as unknown as Gateway;
      owners.run(to.owner, () => actions.InteractionCreate.handle(payload));
    }
  }

  try {
    await load(SimulatedRedis.loaded());
    for (const slot of slots) void start(slot);
    await run(areUp());
    if (redis)
      void disrupt(redis, port, chance, 5_000 + random() * 50_000, (kind) => forgetOfDead(kind, discord, running));
    await run(members());
    port.isFaulty = false;
    await run(areUp());
    await run(isQuiet());
    for (const { owner, app } of running.values()) {
      await run(owners.run(owner, () => app.stop()));
      owner.isAlive = false;
    }
    const outages = redis?.outages ?? [];
    const kept = redis ? keptInRedis(redis) : keptInFile(join(dataDir, '0'));
    failures.push(...contradictions(discord, service, port.hits, outages));
    const losses = [...kills.map((atMs) => spanAt(atMs)), ...unanswered(port), ...lossy(outages)];
    failures.push(...bookingsOf(kept, service, losses));
  } catch (error) {
    failures.push(String(error instanceof Error ? error.stack : error));
  } finally {
    redis?.close();
    rmSync(dataDir, { recursive: true });
  }
  for (const { id, shown, first, followUps } of discord.typed) trace(JSON.stringify([id, first, shown, followUps]));
  for (const departure of service.departures) trace(JSON.stringify(departure));
  return {
    hits: port.hits,
    failures,
    hash: hash.digest('hex').slice(0, 16),
    commands: discord.typed.length,
    requests: service.departures.length,
    forgotten: discord.typed.filter(({ isForgotten }) => isForgotten).length,
    outages: redis?.outages ?? [],
  };
}

function bugIn(line: string): string | undefined {
  const { level, msg, err } = JSON.parse(line);
  const isBug = level === 'fatal' || BUG_MESSAGES.has(msg) || /^(Type|Range|Reference|Syntax)Error$/.test(err?.type);
  return isBug ? `${msg} ${err?.message ?? ''} ${err?.stack ?? ''}` : undefined;
}

/** For three processes. Copies are made by another thread, in real time: that of this day is there. */
function foldersWithCopies(): string {
  const dataDir = mkdtempSync(join(process.env.SIMULATE_IN ?? '/tmp', 'simulate-'));
  for (const slot of ['0', '1', '2']) {
    mkdirSync(join(dataDir, slot, 'backups'), { recursive: true });
    writeFileSync(join(dataDir, slot, 'backups', 'state-2026-06-01.sqlite'), '');
  }
  return dataDir;
}

function environment({ requestsPerMinute, burst }: Pick<Limits, 'requestsPerMinute' | 'burst'>, freshSeconds: number) {
  return {
    DISCORD_TOKEN: 'token.of.nobody-at-all-0123456789',
    CARD_SERVICE_URL: 'https://cards.example',
    CARD_SERVICE_REQUESTS_PER_MINUTE: String(requestsPerMinute),
    CARD_SERVICE_BURST: String(burst),
    CARD_SERVICE_API_KEY: 'key-of-nobody',
    PRICES_FRESH_SECONDS: String(freshSeconds),
  };
}

/** An address instead of a name, which would be looked up in real time. */
function shared(slot: number, processes: number) {
  const REDIS_URL = 'redis://10.0.0.1:6379';
  return { REDIS_URL, DISCORD_SHARDS: String(slot), DISCORD_SHARD_COUNT: String(processes) };
}

/** When a command to Redis was hit. */
function unanswered({ hits }: Port): Span[] {
  return hits.filter(({ call }) => call === 'redis').map(({ atMs }) => spanAt(atMs, ANSWERED_MS));
}

/** Commands that nobody else knows of. */
function forgetOfKilled(
  { number }: Owner,
  { discord, port }: World,
  redis?: InstanceType<typeof SimulatedRedis>,
): void {
  const isUnkept = (typed: Typed) =>
    redis !== undefined && isInMemoryAlone(typed, repliesIn(redis), [...unanswered(port), ...redis.outages]);
  for (const typed of discord.typed)
    if (typed.process === number) typed.isForgotten ||= !typed.first || (!isFinal(typed) && isUnkept(typed));
}

/** While Redis does not answer, a deferred reply is in the memory of its process alone. */
function isInMemoryAlone({ id, typedAtMs }: Typed, rows: Readonly<Record<string, string>>, troubles: readonly Span[]) {
  return !(id in rows) && troubles.some(({ untilMs }) => untilMs > typedAtMs - SILENT_MS);
}

/** While calls are hit, Redis as a whole is, too, every so often. */
async function disrupt(
  redis: InstanceType<typeof SimulatedRedis>,
  port: Port,
  chance: () => number,
  everyMs: number,
  afterwards: (kind: Outage['kind']) => void,
): Promise<void> {
  while (port.isFaulty) {
    await pause(-Math.log(1 - chance()) * everyMs);
    const kind = OFTEN[Math.floor(chance() * OFTEN.length)] ?? 'restart';
    if (!port.isFaulty) return;
    await redis.disrupt(kind, 100 + chance() ** 2 * 20_000, Math.floor(chance() * 3));
    afterwards(kind);
  }
}

/** What only Redis knew: the replies of processes that were killed and that no other has taken over yet. */
function forgetOfDead(kind: Outage['kind'], { typed }: SimulatedDiscord, running: ReadonlyMap<number, Running>): void {
  if (kind !== 'forget' && kind !== 'fail over') return;
  const sinceMs = kind === 'forget' ? 0 : simulatedMs() - SILENT_MS;
  const alive = new Set([...running.values()].filter(({ owner }) => owner.isAlive).map(({ number }) => number));
  for (const each of typed)
    each.isForgotten ||= each.typedAtMs >= sinceMs && !alive.has(each.process) && !isFinal(each);
}

function drawn(number: number, process: number, random: () => number): Typed {
  const id = String(1_400_000_000_000_000_000n + BigInt(number));
  const token = `token-${number}-${'x'.repeat(40)}`;
  const command = random() < 0.25 ? 'cards' : random() < 0.1 ? 'usage' : 'card';
  return { id, token, command, typedAtMs: simulatedMs(), process, shown: [], followUps: 0, isForgotten: false };
}

function payloadOf({ id, token, command }: Typed, random: () => number) {
  const card = () => `${random() < 0.1 ? 'no' : 'set'}-${Math.floor(random() ** 2 * 30)}`;
  const ids = Array.from({ length: 1 + Math.floor(random() * 8) }, card).join(' ');
  const options = { card: [{ name: 'id', type: 3, value: card() }], cards: [{ name: 'ids', type: 3, value: ids }] };
  const member = String(1_200_000_000_000_000_000n + BigInt(Math.floor(random() * 6)));
  const user = { id: member, username: 'member', discriminator: '0', avatar: null, global_name: null };
  const guild = '1100000000000000001';
  return {
    ...{ id, token, type: 2, version: 1, application_id: APPLICATION, entitlements: [], locale: 'en-US' },
    ...{ guild_id: guild, guild_locale: 'en-US', channel_id: '1100000000000000002', context: 0 },
    app_permissions: '2147483647',
    authorizing_integration_owners: { 0: guild },
    member: { user, roles: [], permissions: '2147483647', joined_at: '2026-01-01T00:00:00.000Z', flags: 0 },
    data: { id: '1300000000000000001', name: command, type: 1, options: options[command as 'card'] ?? [] },
  };
}

/** What contradicts a promise, counted by what Discord and the service have seen alone. */
function contradictions(
  { typed }: SimulatedDiscord,
  { beyond }: SimulatedService,
  hits: readonly Hit[],
  outages: readonly Outage[],
): string[] {
  // Isolated processes have a share each; after an outage they join one after the other.
  const isIsolated = (atMs: number) =>
    outages.some(({ fromMs, untilMs }) => atMs > fromMs && atMs < untilMs + JOINED_MS);
  const faultsBetween = (fromMs: number, toMs: number) =>
    hits.filter(({ call, atMs }) => call === 'callback' && atMs >= fromMs - 100 && atMs <= toMs).length;
  const isJumpy = hits.some(({ fault }) => fault === 'clock');
  return [
    ...typed.flatMap((each) => {
      const { id, first, followUps, isForgotten, typedAtMs } = each;
      if (isForgotten) return [];
      // One fault leaves time for a second try; of more, each may hit the next.
      if (!first) return faultsBetween(typedAtMs, typedAtMs + 3_000) > 0 ? [] : [`${id} has no first answer`];
      return [
        ...(isFinal(each) ? [] : [`${id} was deferred and not completed: ${JSON.stringify(each.shown.at(-1))}`]),
        ...(followUps > 0 ? [`${id} was answered twice`] : []),
      ];
    }),
    ...(isJumpy
      ? []
      : beyond.filter((atMs) => !isIsolated(atMs)).map((atMs) => `a request beyond the limiter at ${atMs}`)),
  ];
}

interface Span {
  fromMs: number;
  untilMs: number;
}

const spanAt = (atMs: number, beforeMs = 0): Span => ({ fromMs: atMs - beforeMs, untilMs: atMs });

/** A Redis that forgets loses what was booked before; a replica that takes over, what it had not heard of. */
function lossy(outages: readonly Outage[]): Span[] {
  return outages.map(({ kind, fromMs, untilMs }) => ({ fromMs: kind === 'forget' ? 0 : fromMs, untilMs }));
}

/** What is kept at the end. */
interface Kept {
  booked: number;
  /** Replies that are still to be completed. */
  waiting: readonly string[];
}

function keptInFile(dataDir: string): Kept {
  using state = new DatabaseSync(join(dataDir, 'state.sqlite'));
  const sum = "SELECT coalesce(sum(requests), 0) AS booked FROM counts WHERE member = '' AND guild = ''";
  const waiting = state.prepare('SELECT interaction_id AS id FROM deferred_replies').all();
  return { booked: Number(state.prepare(sum).get()?.booked), waiting: waiting.map(({ id }) => String(id)) };
}

function repliesIn(redis: InstanceType<typeof SimulatedRedis>): Record<string, string> {
  return redis.hash(`${redisPrefix('cardbot')}:replies`);
}

function keptInRedis(redis: InstanceType<typeof SimulatedRedis>): Kept {
  const days = redis.keys().filter((key) => /:ledger:\d{4}-\d{2}-\d{2}$/.test(key));
  const booked = days.reduce((sum, key) => sum + Number(redis.hash(key).all ?? 0), 0);
  return { booked, waiting: Object.keys(repliesIn(redis)) };
}

/** Every request is booked once. What is heard about when a process is killed, or when Redis does not answer, may be lost. */
function bookingsOf({ booked, waiting }: Kept, { departures }: SimulatedService, losses: readonly Span[]): string[] {
  const counted = departures.filter(({ heard }) => heard?.status !== 429);
  const lost = counted.filter(({ leftAtMs, heard }) =>
    losses.some(
      ({ fromMs, untilMs }) => leftAtMs <= untilMs && (heard?.atMs ?? Number.POSITIVE_INFINITY) > fromMs - FLUSHED_MS,
    ),
  );
  const denied = departures.length - counted.length;
  const isRight = booked >= counted.length - lost.length && booked <= counted.length + (losses.length > 0 ? denied : 0);
  return [
    ...(isRight ? [] : [`${booked} requests are booked of ${counted.length}, of which ${lost.length} may be lost`]),
    ...waiting.map((id) => `${id} is still to be completed`),
  ];
}
