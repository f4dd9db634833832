import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { onFinished } from './on-finished.ts';

export type Relay = Awaited<ReturnType<typeof startRelay>>;

interface RelayOptions {
  /** 0 (the default) takes any free one. */
  port?: number;
  /** Called for each connection: what it returns sees what is sent to the target. */
  watch?: () => (sent: Buffer) => void;
  /** With its key: whoever connects speaks TLS. */
  certificate?: string;
}

/** A TCP proxy, closed when the test ends. */
export async function startRelay(url: string, { port = 0, watch, certificate }: RelayOptions = {}) {
  let target = new URL(url);
  let isSilent = false;
  const sockets = new Set<Socket>();
  const serve = (near: Socket) => {
    const far = connect(Number(target.port), target.hostname);
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(from.setNoDelay().on('error', () => {}));
      let passed = Promise.resolve();
      /** In order, also where the delay has become shorter meanwhile. */
      const later = (send: () => void) => {
        const delayed = new Promise<void>((resolve) => setTimeout(resolve, relay.delayMs / 2));
        passed = passed.then(() => delayed).then(send);
      };
      from.on('data', (chunk) => later(() => to.write(chunk)));
      from.on('close', () => {
        sockets.delete(from);
        later(() => to.destroy());
      });
      if (isSilent) from.pause();
    }
    if (watch) near.prependListener('data', watch());
  };
  const server = certificate ? createTlsServer({ key: certificate, cert: certificate }, serve) : createServer(serve);
  /** Closes all connections, and takes new ones. */
  const drop = () => {
    for (const socket of sockets) socket.destroy();
  };
  /** Closes the relay and its connections. */
  const close = () => {
    server.close();
    drop();
  };
  onFinished(close);
  await once(server.listen(port, '127.0.0.1'), 'listening');
  const near = new URL(url);
  near.host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const relay = {
    /** Reaches the target through the relay. */
    url: near.href,
    /** Round-trip delay for data that arrives from now on, half in each direction. */
    delayMs: 0,
    /** Connections stay, and nothing passes until it is no longer silent. */
    silence(is: boolean) {
      isSilent = is;
      for (const socket of sockets) socket[is ? 'pause' : 'resume']();
    },
    /** Where connections from now on lead; those that exist stay. */
    leadTo(to: string) {
      target = new URL(to);
    },
    drop,
    close,
  };
  return relay;
}
