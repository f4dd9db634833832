import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RESTOptions } from 'discord.js';
import { seededRandom } from '../../sandbox/seeded-random.ts';
import type { EventsByName } from '../../src/model/events.ts';
import { isAlarm } from '../chaos/alarms.ts';
import { checkAfterwards } from './afterwards.ts';
import { type Limits, quotaHeader, SimulatedService } from './card-service.ts';
import { isFinal, SimulatedDiscord, type Typed } from './discord.ts';
import { BEGIN_MS, begin, install, load, type Owner, owners, pause, run, simulatedMs } from './fake-time.ts';
import { DISRUPTIONS, type Outage, Port, type When } from './faults.ts';
import { drawn, goesOn, type Press, payloadOf, typedBy } from './members.ts';
import { contradictions, keptIn, rowsInFile, rowsInRedis, type Seen, unanswered } from './oracle.ts';

install();
// Loaded afterwards: what they keep of Node is simulated then.
const { Client, DefaultRestOptions } = await import('discord.js');
const { startApp } = await import('../../src/app.ts');
const { readConfig } = await import('../../src/config/config.ts');
const { Source } = await import('../../src/service/field-source.ts');
const { WINDOWS } = await import('../../src/model/quota.ts');
const { createLog } = await import('../../src/log.ts');
const { Events } = await import('../../src/model/events.ts');
const { redisPrefix } = await import('../../src/storage/redis/connection.ts');
const { SimulatedRedis } = await import('./redis.ts');

export interface Options {
  seed: string;
  isVerbose?: boolean;
  /** Two or three processes over one Redis, instead of one with its files. */
  isShared?: boolean;
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
  app: Awaited<ReturnType<typeof startApp>>;
  client: InstanceType<typeof Client>;
}

/** A process is without Redis for so long after something went wrong between them. */
const SILENT_MS = 5_000;
/** Longer than a wait between two tries. */
const SILENCE_MS = 45_000;
const PRICE_MOVES_MS = 25_000;
/** More than members type of their own accord. */
const PRESSED = 200;
/** After a Redis that forgets there is less to check. */
const OFTEN = [
  ...DISRUPTIONS.filter((kind) => kind !== 'forget'),
  ...DISRUPTIONS,
  ...Array(3).fill('fail over' as const),
];
let world: World;
let loggedIn: InstanceType<typeof Client> | undefined;

// What a killed process does is told to nobody.
const { publish, subscribe } = Events.prototype;
Events.prototype.subscribe = function noted(this: InstanceType<typeof Events>, name, listener) {
  const owner = owners.getStore();
  subscribe.call(this, name, (event) => void (owner?.isAlive !== false && listener(event as never)));
};
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
  const heard = method === 'PATCH' ? world.discord.edits(pathname) : undefined;
  const leftAtMs = simulatedMs();
  const path = pathname.replace(/^\/api\/v\d+/, '');
  const answer = () => {
    const { status, body: text } = world.discord.answer(method ?? 'GET', path, sent, leftAtMs);
    const headers = { 'content-type': 'application/json' };
    return new Response(text ? JSON.stringify(text) : null, { status, headers });
  };
  const odd = (when: When) => {
    if (when === 'after' || world.random() < 0.4) return new Response('<html></html>', { status: 502 });
    const limited = { message: 'You are being rate limited.', retry_after: 0.4, global: false };
    const headers = { 'content-type': 'application/json', 'retry-after': '1' };
    return new Response(JSON.stringify(limited), { status: 429, headers });
  };
  const response = await world.port.call(
    owner,
    callOf(method ?? 'GET', pathname),
    answer,
    odd,
    signal as AbortSignal | null,
  );
  heard?.(response.status);
  return response as never;
};
Object.assign(DefaultRestOptions, { makeRequest });

function callOf(method: string, path: string): string {
  if (path.endsWith('/callback')) return 'callback';
  if (path.endsWith('bot')) return 'gateway';
  if (/\/(channels|messages)$/.test(path)) return 'message';
  return { DELETE: 'delete', POST: 'notice' }[method] ?? 'edit';
}

globalThis.fetch = async (input, { signal } = {}) => {
  const owner = owners.getStore();
  if (!owner) throw new Error(`${input} is asked by no process`);
  const { service, port, random } = world;
  const url = new URL(String(input));
  const departure = service.leave(owner.number, url);
  const heard = (status: number, headers?: Headers) => {
    const waitMs = Number(headers?.get('retry-after') ?? 0) * 1_000;
    const { per } = service.limits.window;
    const [left, reset] = ['remaining', 'reset'].map((figure) => headers?.get(quotaHeader(per, figure)));
    const told = left && { left: Number(left), windowEndsMs: Number(reset) * 1_000 - BEGIN_MS };
    departure.heard = { atMs: simulatedMs(), status, waitMs, ...told };
  };
  try {
    let cut: Response | undefined;
    const odd = () => {
      const answer = service.odd(random());
      if (answer.ok) cut = answer;
      return answer;
    };
    const answer = await port.call(owner, 'service', () => service.answer(url), odd, signal);
    heard(answer === cut ? 0 : answer.status, answer.headers);
    return answer;
  } catch (error) {
    heard(0);
    throw error;
  }
};

Events.prototype.publish = function noted(this: InstanceType<typeof Events>, name, event) {
  if (name === 'reply') {
    const { step, interactionId } = event as EventsByName['reply'];
    const isTaken = step === 'deferred' || step === 'taken over';
    owners.getStore()?.deferred[isTaken ? 'add' : 'delete'](interactionId);
  }
  publish.call(this, name, event);
};

/** The app from one seed: what members type, and what goes wrong. */
export async function simulate({ seed, isVerbose = false, isShared = false }: Options) {
  const random = seededRandom(`members ${seed}`);
  // Of its own: members type the same whatever goes wrong.
  const chance = seededRandom(`faults ${seed}`);
  begin(seededRandom(`app ${seed}`));
  const hash = createHash('sha256');
  const trace = (line: string) => {
    hash.update(`${line}\n`);
    if (isVerbose) process.stdout.write(`${line}\n`);
  };
  const failures: string[] = [];
  const discord = new SimulatedDiscord();
  const limits = limitsOf(random);
  const service = new SimulatedService(limits);
  service.priceOf = movingPrice;
  const dataDir = foldersWithCopies();
  const kills: Seen['kills'][number][] = [];
  const running = new Map<number, Running>();
  const slots = Array.from({ length: isShared ? 2 + Math.floor(random() * 2) : 1 }, (_, slot) => slot);
  const clocks = slots.map(() => ({ skewMs: 0 }));
  let processes = 0;

  const kill = (owner: Owner) => {
    if (!owner.isAlive) return;
    owner.isAlive = false;
    redis?.left(owner);
    for (const each of owner.open) each[Symbol.dispose]();
    kills.push({ atMs: simulatedMs(), process: owner.number });
    forgetOfKilled(owner);
    void pause(100 + chance() * 3_000).then(() => start(owner.slot));
  };
  const port = new Port({
    random: chance,
    share: shareOf(random),
    isSteady: random() < 0.5,
    kill,
    trace,
  });
  world = { discord, service, port, random: chance };
  const hitOfRedis = hitOfRedisFrom(random);
  const redis = isShared ? new SimulatedRedis(chance, port, hitOfRedis) : undefined;
  const outages = redis?.outages ?? [];

  const freshSeconds = 20 + Math.floor(random() * (isShared ? 60 : 200));
  const write = reader(failures, isVerbose);
  const envOf = (slot: number) => ({
    REGISTER_COMMANDS: 'off', // what Discord lists is not simulated
    ...environment(limits, freshSeconds),
    ...(isShared && shared(slot, slots.length)),
    DATA_DIR: join(dataDir, String(slot)),
    LOG_LEVEL: isVerbose ? 'debug' : 'info',
  });

  const rowsOf = () => (redis ? rowsInRedis(redis, redisPrefix('cardbot')) : rowsInFile(join(dataDir, '0')));
  const repliesKept = () => new Set(rowsOf()(/^replies$/).map(([id]) => id));

  /** Commands that nobody else knows of. */
  function forgetOfKilled({ number }: Owner): void {
    const troubles = [...unanswered(port.hits), ...outages];
    // While Redis does not answer, a deferred reply is in the memory of its process alone.
    const isInMemoryAlone = ({ id, typedAtMs }: Typed) =>
      isShared && !repliesKept().has(id) && troubles.some(({ untilMs }) => untilMs > typedAtMs - SILENT_MS);
    for (const typed of discord.typed)
      if (typed.process === number) typed.isForgotten ||= !typed.first || (!isFinal(typed) && isInMemoryAlone(typed));
  }

  async function start(slot: number): Promise<void> {
    const clock = clocks[slot] ?? { skewMs: 0 };
    const owner: Owner = { isAlive: true, clock, open: new Set(), deferred: new Set(), number: processes++, slot };
    const started = await owners.run(owner, async () => {
      const env = envOf(slot);
      const log = createLog({ level: env.LOG_LEVEL, secrets: [], destination: { write } });
      const app = await begun(startApp(configOf(env), log));
      await app.ready;
      if (!loggedIn) throw new Error('no client has logged in');
      return { owner, app, client: loggedIn };
    });
    running.set(slot, started);
    trace(`${simulatedMs()} started ${owner.number}`);
  }

  /** Reading files takes no simulated time, but connecting to Redis does. */
  const begun = <T>(work: Promise<T>): Promise<T> => (isShared ? work : load(work));

  async function areUp(): Promise<void> {
    while (slots.some((slot) => !running.get(slot)?.owner.isAlive)) await pause(100);
  }

  const isAnyDeferred = () =>
    isShared
      ? repliesKept().size > 0
      : [...running.values()].some(({ owner: { isAlive, deferred } }) => isAlive && deferred.size > 0);

  /** Until all show their last, none is renewed, and nothing has been called for a while; at most as long as a reply can be edited. */
  async function isQuiet(): Promise<void> {
    const untilMs = simulatedMs() + 16 * 60_000;
    const isUnderWay = () => {
      const isCalled = simulatedMs() < port.calledAtMs + SILENCE_MS;
      return isCalled || discord.typed.some(isAwaited) || isAnyDeferred();
    };
    while (simulatedMs() < untilMs && isUnderWay()) await pause(1_000);
  }

  async function members(): Promise<void> {
    // Over Redis to begin and to end takes longer than a command.
    const count = (isShared ? 60 : 15) + Math.floor(random() * 30);
    const meanMs = 300 + random() ** 2 * 8_000;
    for (let number = 0; number < count; number++) {
      await pause(-Math.log(1 - random()) * meanMs);
      const to = running.get(Math.floor(random() * slots.length)) as Running;
      const typed = drawn(number, to.owner.number, random);
      if (!to.owner.isAlive) continue; // Discord says at once that nobody is there
      type(typed);
      const next = seededRandom(`next ${seed} ${number}`);
      void goesOn(typed, next, pressing(next));
    }
  }

  function pressing(random: () => number): Press {
    return (of, { command, customId, lines }) => {
      const to = running.get(Math.floor(random() * slots.length));
      if (!to?.owner.isAlive) return undefined;
      const number = discord.typed.length + PRESSED;
      const cards = command === 'fetch' ? lines : [];
      const press = typedBy(of.member, number, to.owner.number, command, cards ?? []);
      const typed = { ...press, used: { of, customId }, ...(lines && { lines }) };
      type(typed);
      return typed;
    };
  }

  function type(typed: Typed): void {
    const to = [...running.values()].find(({ owner }) => owner.number === typed.process) as Running;
    discord.typed.push(typed);
    const payload = payloadOf(typed);
    trace(`${typed.typedAtMs} typed ${typed.id} ${JSON.stringify(payload.data)}`);
    const { actions } = to.client as unknown as Gateway;
    owners.run(to.owner, () => actions.InteractionCreate.handle(payload));
  }

  try {
    await load(SimulatedRedis.loaded());
    for (const slot of slots) void start(slot);
    await run(areUp());
    if (hitOfRedis > 0) void disrupt(redis, world, 2_000 + random() * 14_000, running);
    await run(members());
    port.hitCalls = 'notices';
    await run(areUp());
    await run(isQuiet());
    const movesPrices = random() < (redis ? 0.3 : 0.5);
    const processes = [...running.values()].map(({ owner }) => owner.number);
    const { failures: unmended, isAllTold } = await run(
      checkAfterwards({ discord, service, port, outages, processes, random, movesPrices, type }),
    );
    failures.push(...unmended);
    await run(isQuiet());
    for (const { owner, app } of running.values()) {
      await run(owners.run(owner, () => app.stop()));
      owner.isAlive = false;
    }
    const kept = keptIn(rowsOf());
    failures.push(
      ...contradictions({
        discord,
        service,
        hits: port.hits,
        outages,
        kills,
        kept,
        isShared,
        isAllTold,
      }),
    );
  } catch (error) {
    failures.push(String(error instanceof Error ? error.stack : error));
  } finally {
    redis?.close();
    rmSync(dataDir, { recursive: true });
  }
  const typed = discord.typed.map(({ id, shown, first, followUps, goneAtMs }) => {
    return [id, first, shown, followUps, goneAtMs];
  });
  for (const each of [...typed, ...discord.told, ...service.departures]) trace(JSON.stringify(each));
  return {
    /** How many calls were hit, and what became of Redis. */
    faults: port.hits.length + outages.length,
    failures,
    /** Of all that was sent, shown and counted. */
    hash: hash.digest('hex').slice(0, 16),
  };
}

/** Of calls that are hit: more of them in a storm. */
function shareOf(random: () => number): () => number {
  const share = 0.08 + random() * 0.3;
  const fromMs = random() * 120_000;
  const untilMs = fromMs + random() * 90_000;
  return () => (simulatedMs() > fromMs && simulatedMs() < untilMs ? 0.6 : share);
}

/** What is hit of the calls to Redis, as a share of that of others. Where nothing is, all processes keep within the limiter. */
function hitOfRedisFrom(random: () => number): number {
  return random() < 0.3 ? 0 : 0.02 + random() ** 2 * 0.2;
}

/** Of the log. */
function reader(failures: string[], isVerbose: boolean) {
  return (line: string) => {
    if (isVerbose) process.stdout.write(line);
    // What a killed process cannot write, it would not have tried to.
    if (isAlarm(JSON.parse(line)) && owners.getStore()?.isAlive) failures.push(`logged: ${line}`);
  };
}

/** Of each card at another time. */
function movingPrice(id: string): number {
  return Math.floor(simulatedMs() / PRICE_MOVES_MS + id.length + id.charCodeAt(4) / 3) % 2 ? 40 : 10;
}

function isAwaited(typed: Typed): boolean {
  return typed.first !== undefined && !typed.isForgotten && !isFinal(typed);
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

/** Most plans last; of some little remains, or nothing, until their window ends. */
function limitsOf(random: () => number): Limits {
  const pace = { requestsPerMinute: 10 + Math.floor(random() * 120), burst: 3 + Math.floor(random() * 20) };
  const per = random() < 0.6 ? 'day' : random() < 0.6 ? 'hour' : 'month';
  const [isScarce, isSmall] = [random() < 0.4, per === 'hour' && random() < 0.5];
  // A small day whose reset is near would count as the limiter's pace.
  const left = 3 + Math.floor(random() * 40);
  const requests = isScarce && isSmall ? left : { hour: 1_000, day: 1_000, month: 30_000 }[per];
  return {
    ...pace,
    window: { per, requests, used: isScarce ? requests - left : 0, endsAtMs: 60_000 + random() * 300_000 },
  };
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

/** With the headers in which the service states its windows. */
function configOf(env: Record<string, string>) {
  const config = readConfig(env);
  const { description } = config.cardService;
  const sourceOf = (per: string, figure: string) => new Source(`header:${quotaHeader(per, figure)}`);
  const quota = WINDOWS.map((per) => ({
    ...{ per, limit: sourceOf(per, 'limit'), remaining: sourceOf(per, 'remaining'), reset: sourceOf(per, 'reset') },
  }));
  return { ...config, cardService: { ...config.cardService, description: { ...description, quota } } };
}

/** An address instead of a name, which would be looked up in real time. */
function shared(slot: number, processes: number) {
  const REDIS_URL = 'redis://10.0.0.1:6379';
  return { REDIS_URL, DISCORD_SHARDS: String(slot), DISCORD_SHARD_COUNT: String(processes) };
}

/** While calls are hit, Redis as a whole is, too, every so often. */
async function disrupt(
  redis: InstanceType<typeof SimulatedRedis> | undefined,
  { discord, port, random }: World,
  everyMs: number,
  running: ReadonlyMap<number, Running>,
): Promise<void> {
  while (redis && port.hitCalls === 'all') {
    await pause(-Math.log(1 - random()) * everyMs);
    const kind = OFTEN[Math.floor(random() * OFTEN.length)] ?? 'restart';
    if (port.hitCalls !== 'all') return;
    const fromMs = simulatedMs();
    await redis.disrupt(kind, 100 + random() ** 2 * 20_000, Math.floor(random() * 3));
    forgetOfDead({ kind, fromMs }, discord, running);
  }
}

/** What only Redis knew: the replies of processes that were killed and that no other has taken over yet. */
function forgetOfDead(
  { kind, fromMs }: Pick<Outage, 'kind' | 'fromMs'>,
  { typed }: SimulatedDiscord,
  running: ReadonlyMap<number, Running>,
): void {
  if (kind !== 'forget' && kind !== 'fail over') return;
  const sinceMs = kind === 'forget' ? 0 : fromMs - SILENT_MS;
  const alive = new Set([...running.values()].filter(({ owner }) => owner.isAlive).map(({ owner }) => owner.number));
  for (const each of typed)
    each.isForgotten ||= each.typedAtMs >= sinceMs && !alive.has(each.process) && !isFinal(each);
}
