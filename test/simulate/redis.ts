import net from 'node:net';
import { Duplex } from 'node:stream';
import {
  ClientSession,
  type ConnectionTransport,
  createRedisCommandExecutor,
  createRedisLuaRuntime,
  RedisServerState,
  Resp2SessionAdapter,
} from 'js-redis-server/core';
import { type Owner, owners, pause, simulatedMs } from './fake-time.ts';
import type { Disruption, Fault, Hit, Outage, Port } from './faults.ts';

const executor = createRedisCommandExecutor();
const lua = createRedisLuaRuntime();
/** What a replica has not heard yet when its primary goes. */
const MOST_LAG_MS = 60;
const FAULTS_OF_REDIS: readonly Fault[] = ['kill', 'late', 'lost', 'clock'];

/** A Redis in memory, behind connections in simulated time: the client, its protocol and the scripts are the real ones. */
export class SimulatedRedis {
  readonly outages: Outage[] = [];
  readonly #connections = new Set<Connection>();
  readonly #port: Port;
  readonly #random: () => number;
  readonly #weight: number;
  /** On the way there or back, at least; a Redis may be in another region. */
  readonly #travelMs: number;
  #state = newState();
  #isDown = false;
  #hangsUntilMs = 0;
  #parted: number | undefined;

  /** @param weight of the share of calls that is hit: a card over Redis takes several commands */
  constructor(random: () => number, port: Port, weight: number) {
    this.#random = random;
    this.#port = port;
    this.#weight = weight;
    this.#travelMs = random() < 0.3 ? 5 + random() ** 2 * 40 : 0.2;
    Object.assign(net, { createConnection: () => this.#connect() });
  }

  /** Lua is loaded in real time. */
  static async loaded(): Promise<void> {
    await lua;
  }

  /** A hash as it is stored. */
  hash(key: string): Record<string, string> {
    const data = this.#state.getDatabase(0).getHash(Buffer.from(key));
    return Object.fromEntries(
      [...(data?.fields.values() ?? [])].map(({ field, value }) => [String(field), String(value)]),
    );
  }

  keys(): string[] {
    return this.#state
      .getDatabase(0)
      .entriesSnapshot()
      .map(({ key }) => String(key));
  }

  /** @param slot of the process that is parted from it */
  async disrupt(kind: Disruption, lastsMs: number, slot: number): Promise<void> {
    const outage = { kind, fromMs: simulatedMs(), untilMs: simulatedMs() + lastsMs };
    this.outages.push(outage);
    this.#port.trace(`${outage.fromMs} redis: ${kind}`);
    if (kind === 'hang') {
      this.#hangsUntilMs = outage.untilMs;
      await pause(lastsMs);
    } else if (kind === 'part') {
      this.#parted = slot;
      await pause(lastsMs);
      this.#parted = undefined;
    } else {
      const replica = kind === 'fail over' ? this.#copied() : undefined;
      if (replica) await pause(this.#random() * MOST_LAG_MS);
      this.#isDown = true;
      for (const connection of this.#connections) connection.break();
      if (kind === 'forget') this.#state.flushAllDatabases();
      await pause(lastsMs);
      if (replica) this.#state = replica;
      this.#isDown = false;
    }
  }

  /** A process has ended, and its connections with it. */
  left(owner: Owner): void {
    for (const connection of this.#connections) if (connection.owner === owner) connection.break();
  }

  close(): void {
    for (const connection of this.#connections) connection.break();
    this.#state.close();
  }

  #copied(): RedisServerState {
    const copy = newState();
    for (const { key, value, expiresAt } of this.#state.getDatabase(0).entriesSnapshot())
      copy.getDatabase(0).set(key, value, expiresAt === undefined ? undefined : { expiresAt });
    return copy;
  }

  #connect(): Connection {
    const owner = owners.getStore();
    if (!owner) throw new Error('Redis is asked by no process');
    const isReached = () => simulatedMs() >= this.#hangsUntilMs && this.#parted !== owner.slot;
    const connection = new Connection(owner, {
      random: this.#random,
      port: this.#port,
      weight: this.#weight,
      travelMs: this.#travelMs,
      isReached,
    });
    void pause(1 + this.#random() * 3).then(() => {
      if (this.#isDown)
        owners.run(owner, () =>
          connection.destroy(Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' })),
        );
      else connection.open(this.#state);
    });
    this.#connections.add(connection);
    connection.once('close', () => this.#connections.delete(connection));
    return connection;
  }
}

function newState(): RedisServerState {
  const state = new RedisServerState({ databaseCount: 1, activeExpiryIntervalMs: false });
  state.getLuaRuntime = () => lua;
  return state;
}

/** Between a process and Redis. */
interface Way {
  random: () => number;
  port: Port;
  weight: number;
  travelMs: number;
  isReached: () => boolean;
}

/** The socket of the client, and the other end of it. */
class Connection extends Duplex {
  readonly owner: Owner;
  readonly #way: Way;
  readonly #abort = new AbortController();
  /** What has arrived at the server and is not read yet. */
  readonly #arrived: Buffer[] = [];
  #arrival = Promise.withResolvers<void>();
  /** In one connection nothing overtakes. */
  #there = Promise.resolve();
  #back = Promise.resolve();
  #hit: Hit | undefined;
  #idle: NodeJS.Timeout | undefined;
  #idleMs = 0;

  constructor(owner: Owner, way: Way) {
    super();
    this.owner = owner;
    this.#way = way;
  }

  open(state: RedisServerState): void {
    if (this.destroyed) return;
    const transport: ConnectionTransport = {
      id: 'simulated',
      signal: this.#abort.signal,
      read: () => this.#chunks(),
      write: (chunk) => this.#answer(Buffer.from(chunk)),
      close: () => this.break(),
      on: () => () => {},
    };
    const session = new ClientSession({ server: state, executor, closeConnection: () => this.break() });
    void owners.run(undefined as never, () => new Resp2SessionAdapter({ transport, session }).run());
    this.#asOwner(() => this.emit('connect'));
  }

  /** The other side is gone. */
  break(): void {
    this.#abort.abort();
    this.#arrival.resolve();
    this.#asOwner(() => this.destroy());
  }

  override _read(): void {}

  override _write(chunk: Buffer, _: string, done: () => void): void {
    this.#touch();
    const hit = this.#way.port.draw('redis', this.#way.weight, FAULTS_OF_REDIS);
    const travelled = this.#travel();
    this.#there = this.#there.then(() => travelled).then(() => this.#arrive(chunk, hit));
    done();
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    clearTimeout(this.#idle);
    this.#abort.abort();
    this.#arrival.resolve();
    done(error);
  }

  async #arrive(chunk: Buffer, hit: Hit | undefined): Promise<void> {
    if (hit?.when === 'before') await this.#way.port.strike(hit, this.owner, () => this.break());
    if (this.#abort.signal.aborted) return;
    if (hit?.when === 'after') this.#hit = hit;
    this.#arrived.push(chunk);
    this.#arrival.resolve();
  }

  #answer(chunk: Buffer): void {
    const hit = this.#hit;
    this.#hit = undefined;
    const travelled = this.#travel();
    this.#back = this.#back.then(async () => {
      await travelled;
      if (hit) await this.#way.port.strike(hit, this.owner, () => this.break());
      if (this.#abort.signal.aborted) return;
      this.#asOwner(() => {
        this.#touch();
        this.push(chunk);
      });
    });
  }

  async #travel(): Promise<void> {
    await pause(this.#way.travelMs + this.#way.random() * 2);
    while (!this.#way.isReached() && !this.#abort.signal.aborted) await pause(20);
  }

  async *#chunks(): AsyncGenerator<Buffer> {
    while (!this.#abort.signal.aborted) {
      const chunk = this.#arrived.shift();
      if (chunk) yield chunk;
      else {
        this.#arrival = Promise.withResolvers();
        await this.#arrival.promise;
      }
    }
  }

  #asOwner(act: () => void): void {
    if (this.owner.isAlive) owners.run(this.owner, act);
  }

  #touch(): void {
    clearTimeout(this.#idle);
    if (this.#idleMs > 0) this.#idle = setTimeout(() => this.emit('timeout'), this.#idleMs);
  }

  setTimeout(idleMs: number): this {
    this.#idleMs = idleMs;
    this.#touch();
    return this;
  }

  setNoDelay = () => this;
  setKeepAlive = () => this;
  ref = () => this;
  unref = () => this;
}
