import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { RESTOptions } from 'discord.js';
import { seededRandom } from '../../src/sandbox/seeded-random.ts';
import { BUG_MESSAGES } from '../chaos/alarms.ts';
import { SimulatedService } from './card-service.ts';
import { isFinal, SimulatedDiscord, type Typed } from './discord.ts';
import { begin, install, load, type Owner, owners, pause, run, simulatedMs } from './fake-time.ts';
import { type Hit, Port } from './faults.ts';

install();
// Loaded afterwards: what they keep of Node is simulated then.
const { Client, DefaultRestOptions } = await import('discord.js');
const { startApp } = await import('../../src/app.ts');
const { readConfig } = await import('../../src/config/config.ts');
const { createLog } = await import('../../src/log.ts');

export interface Options {
  seed: string;
  /** Only these faults by their numbers; all unless given. */
  only?: ReadonlySet<number> | undefined;
  isVerbose?: boolean;
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
/** Longer than a wait between two tries. */
const SILENCE_MS = 150_000;
let world: World;
let loggedIn: InstanceType<typeof Client> | undefined;

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
export async function simulate({ seed, only, isVerbose = false }: Options): Promise<Outcome> {
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
  const dataDir = mkdtempSync(join(process.env.SIMULATE_IN ?? '/tmp', 'simulate-'));
  // Copies are made by another thread, in real time: that of this day is there.
  mkdirSync(join(dataDir, 'backups'));
  writeFileSync(join(dataDir, 'backups', 'state-2026-06-01.sqlite'), '');
  const kills: number[] = [];
  let running: Running | undefined;
  const clock = { skewMs: 0 };
  let processes = 0;

  const kill = (owner: Owner) => {
    owner.isAlive = false;
    for (const database of owner.databases) if (database.isOpen) database.close();
    kills.push(simulatedMs());
    for (const typed of discord.typed) if (!typed.first && typed.process === owner.number) typed.isForgotten = true;
    void pause(100 + chance() * 3_000).then(start);
  };
  const share = 0.02 + random() * 0.2;
  const stormsFromMs = random() * 120_000;
  const stormsUntilMs = stormsFromMs + random() * 90_000;
  const isStorm = () => simulatedMs() > stormsFromMs && simulatedMs() < stormsUntilMs;
  const port = new Port({ random: chance, share: () => (isStorm() ? 0.6 : share), only, kill, trace });
  world = { discord, service, port, random: chance };

  const write = (line: string) => {
    if (isVerbose) process.stdout.write(line);
    const { level, msg, err } = JSON.parse(line);
    const isBug = level === 'fatal' || BUG_MESSAGES.has(msg) || /^(Type|Range|Reference|Syntax)Error$/.test(err?.type);
    // What a killed process cannot write, it would not have tried to.
    if (isBug && owners.getStore()?.isAlive) failures.push(`logged: ${msg} ${err?.message ?? ''} ${err?.stack ?? ''}`);
  };
  const env = {
    DISCORD_TOKEN: 'token.of.nobody-at-all-0123456789',
    CARD_SERVICE_URL: 'https://cards.example',
    CARD_SERVICE_REQUESTS_PER_MINUTE: String(limits.requestsPerMinute),
    CARD_SERVICE_BURST: String(limits.burst),
    CARD_SERVICE_API_KEY: 'key-of-nobody',
    PRICES_FRESH_SECONDS: String(20 + Math.floor(random() * 200)),
    DATA_DIR: dataDir,
    LOG_LEVEL: isVerbose ? 'debug' : 'info',
  };

  async function start(): Promise<void> {
    const owner: Owner = { isAlive: true, clock, databases: new Set(), number: processes++ };
    running = await owners.run(owner, async () => {
      const log = createLog({ level: env.LOG_LEVEL, secrets: [], destination: { write } });
      const app = await load(startApp(readConfig(env), log));
      await app.ready;
      if (!loggedIn) throw new Error('no client has logged in');
      return { owner, number: owner.number, app, client: loggedIn };
    });
    trace(`${simulatedMs()} started ${owner.number}`);
  }

  async function isUp(): Promise<void> {
    while (!running?.owner.isAlive) await pause(100);
  }

  /** Until all show their last and nothing has been called for a while; at most as long as a reply can be edited. */
  async function isQuiet(): Promise<void> {
    const untilMs = simulatedMs() + 16 * 60_000;
    const isUnderWay = () =>
      simulatedMs() < port.calledAtMs + SILENCE_MS || discord.typed.some((typed) => !isFinal(typed));
    while (simulatedMs() < untilMs && isUnderWay()) await pause(1_000);
  }

  async function members(): Promise<void> {
    const count = 15 + Math.floor(random() * 30);
    const meanMs = 300 + random() * 8_000;
    for (let number = 0; number < count; number++) {
      await pause(-Math.log(1 - random()) * meanMs);
      const to = running;
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
    void start();
    await run(isUp());
    await run(members());
    port.isFaulty = false;
    await run(isUp());
    await run(isQuiet());
    const last = running;
    if (!last) throw new Error('nothing runs');
    await run(owners.run(last.owner, () => last.app.stop()));
    last.owner.isAlive = false;
    failures.push(...contradictions(discord, service, port.hits), ...bookingsOf(dataDir, service, kills));
  } catch (error) {
    failures.push(String(error instanceof Error ? error.stack : error));
  } finally {
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
  };
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
function contradictions({ typed }: SimulatedDiscord, { beyond }: SimulatedService, hits: readonly Hit[]): string[] {
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
    ...(isJumpy ? [] : beyond.map((atMs) => `a request beyond the limiter at ${atMs}`)),
  ];
}

/** Every request is booked once; what left within a second of a kill may be lost with it. */
function bookingsOf(dataDir: string, { departures }: SimulatedService, kills: readonly number[]): string[] {
  using state = new DatabaseSync(join(dataDir, 'state.sqlite'));
  const sum = "SELECT coalesce(sum(requests), 0) AS booked FROM counts WHERE member = '' AND guild = ''";
  const booked = Number(state.prepare(sum).get()?.booked);
  const waiting = state.prepare('SELECT interaction_id AS id FROM deferred_replies').all();
  const counted = departures.filter(({ heard }) => heard?.status !== 429);
  const atKill = counted.filter(({ leftAtMs, heard }) =>
    kills.some((atMs) => leftAtMs <= atMs && (heard?.atMs ?? Number.POSITIVE_INFINITY) > atMs - FLUSHED_MS),
  );
  const denied = departures.length - counted.length;
  const isRight =
    booked >= counted.length - atKill.length && booked <= counted.length + (kills.length > 0 ? denied : 0);
  return [
    ...(isRight ? [] : [`${booked} requests are booked of ${counted.length}, ${atKill.length} of them before a kill`]),
    ...waiting.map(({ id }) => `${id} is still to be completed`),
  ];
}
