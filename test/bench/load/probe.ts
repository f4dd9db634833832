/** Loaded before the bot (`node --import`): measures its process on request over the IPC channel. */
import { EventEmitter } from 'node:events';
import { Socket } from 'node:net';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { queryObjects, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { Client } from 'discord.js';
import type { Measure, MeasureRequest } from './measure.ts';

const RESOLUTION_MS = 10; // included in every recorded delay

interface Listened {
  eventNames(): (string | symbol)[];
  listenerCount(event: string | symbol): number;
}

const clients = new Set<Client>();
const { login } = Client.prototype;
Client.prototype.login = function (this: Client, token?: string) {
  clients.add(this);
  return login.call(this, token);
};

setFlagsFromString('--expose-gc');
const collect: () => void = runInNewContext('gc');
const delays = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
delays.enable();

process.on('message', (request: MeasureRequest) => {
  if (request === 'begin') delays.reset();
  const collected = request === 'collect';
  if (collected) collect();
  process.send?.({ ...measure(), ...(collected && counted()) } satisfies Measure);
});
process.channel?.unref();

function measure(): Measure {
  return {
    delayP99Ms: lateMs(delays.percentile(99)),
    longestDelayMs: lateMs(delays.max),
    heapMegabytes: process.memoryUsage().heapUsed / 1e6,
    listeners: sum([process, ...[...clients].flatMap((client) => [client, client.rest, client.ws])].map(listenersOf)),
    timers: process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length,
    restHandlers: sum([...clients].map(({ rest }) => rest.handlers.filter(({ inactive }) => !inactive).size)),
  };
}

function counted(): Pick<Measure, 'sockets' | 'emitters' | 'abortSignals'> {
  const sockets = Number(queryObjects(Socket));
  // undici holds a client, itself an emitter, for each socket.
  const emitters = Number(queryObjects(EventEmitter)) - 2 * sockets;
  return { sockets, emitters, abortSignals: Number(queryObjects(AbortSignal)) };
}

function listenersOf(emitter: Listened): number {
  return sum(emitter.eventNames().map((event) => emitter.listenerCount(event)));
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

function lateMs(nanoseconds: number): number {
  return Math.max(0, nanoseconds / 1e6 - RESOLUTION_MS);
}
