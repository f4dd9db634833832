import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

export interface SlowRelay {
  /** Reaches the target through the relay. */
  url: string;
  /** Round-trip delay for data that arrives from now on, half in each direction. */
  delayMs: number;
  /** Where connections from now on lead; those that exist stay. */
  leadTo(url: string): void;
  /** Closes all connections, and takes new ones. */
  drop(): void;
  /** Closes the relay and its connections. */
  close(): void;
}

/** A TCP proxy that adds a delay; `port` 0 (the default) takes any free one. */
export async function openSlowRelay(
  url: string,
  { delayMs, port = 0 }: { delayMs: number; port?: number },
): Promise<SlowRelay> {
  let target = new URL(url);
  const sockets = new Set<Socket>();
  const server = createServer((near) => {
    const far = connect(Number(target.port), target.hostname);
    for (const socket of [near, far]) {
      sockets.add(socket.setNoDelay().on('error', () => {}));
      socket.on('close', () => sockets.delete(socket));
    }
    pass(near, far);
    pass(far, near);
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
  const relay = {
    url: near.href,
    delayMs,
    leadTo(to: string) {
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
  return relay;
}
