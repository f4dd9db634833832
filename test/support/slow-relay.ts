import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { onFinished } from './on-finished.ts';

/** `closed`: connections end, new ones at once. `silent`: they stay, and nothing passes until it is open again. */
export type RelayState = 'open' | 'closed' | 'silent';

export interface SlowRelay {
  /** Reaches the target through the relay. */
  url: string;
  /** Round-trip delay for data that arrives from now on, half in each direction. */
  delayMs: number;
  setState(state: RelayState): void;
  /** Where connections from now on lead; those that exist stay. */
  leadTo(url: string): void;
  /** Closes all connections, and takes new ones. */
  drop(): void;
  /** Closes the relay and its connections. */
  close(): void;
}

export interface SlowRelayOptions {
  delayMs: number;
  /** 0 (the default) takes any free one. */
  port?: number;
  /** Called for each connection: what it returns sees what is sent to the target. */
  watch?: () => (sent: Buffer) => void;
}

/** A TCP proxy that adds a delay, closed when the test ends. */
export async function startSlowRelay(url: string, { delayMs, port = 0, watch }: SlowRelayOptions): Promise<SlowRelay> {
  let target = new URL(url);
  let state: RelayState = 'open';
  const sockets = new Set<Socket>();
  const server = createServer((near) => {
    if (state === 'closed') return near.destroy();
    const far = connect(Number(target.port), target.hostname);
    for (const socket of [near, far]) {
      sockets.add(socket.setNoDelay().on('error', () => {}));
      socket.on('close', () => sockets.delete(socket));
    }
    if (watch) near.on('data', watch());
    pass(near, far);
    pass(far, near);
    if (state === 'silent') for (const socket of [near, far]) socket.pause();
  });

  function pass(from: Socket, to: Socket): void {
    let sent = Promise.resolve();
    const later = (send: () => void) => {
      const before = sent; // keeps the order
      sent = sleep(relay.delayMs / 2)
        .then(() => before)
        .then(send);
    };
    from.on('data', (chunk) => later(() => to.write(chunk)));
    from.on('close', () => later(() => to.destroy()));
  }

  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const near = new URL(url);
  near.host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const relay: SlowRelay = {
    url: near.href,
    delayMs,
    setState(to) {
      state = to;
      if (to === 'closed') relay.drop();
      for (const socket of sockets) {
        if (to === 'silent') socket.pause();
        else socket.resume();
      }
    },
    leadTo(to) {
      target = new URL(to);
    },
    drop() {
      for (const socket of sockets) socket.destroy();
    },
    close() {
      server.close();
      relay.drop();
    },
  };
  onFinished(() => relay.close());
  return relay;
}
