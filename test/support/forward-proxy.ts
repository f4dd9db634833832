import { once } from 'node:events';
import { createServer, type IncomingMessage, request } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import type { Duplex } from 'node:stream';
import { onFinished } from './on-finished.ts';

/** A proxy as in companies: for any address, by tunnel or by request. */
export interface ForwardProxy {
  url: string;
  /** What it was asked for: `CONNECT host:port`, or a method and a whole address. */
  asked: string[];
}

export async function startForwardProxy(): Promise<ForwardProxy> {
  const asked: string[] = [];
  const server = createServer((incoming, outgoing) => {
    const { method = '', url = '', headers } = incoming;
    asked.push(`${method} ${url}`);
    const forwarded = request(url, { method, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    });
    forwarded.on('error', () => outgoing.destroy());
    incoming.pipe(forwarded);
  });
  server.on('connect', ({ url = '' }, socket: Duplex) => {
    asked.push(`CONNECT ${url}`);
    tunnel(new URL(`http://${url}`), socket, () => socket.write('HTTP/1.1 200 OK\r\n\r\n'));
  });
  server.on('upgrade', (incoming: IncomingMessage, socket: Duplex) => {
    asked.push(`UPGRADE ${incoming.url}`);
    const { host, pathname, search, port } = new URL(incoming.url ?? '');
    const fields = Object.entries(incoming.headers).map(
      ([name, value]) => `${name}: ${name === 'host' ? host : value}`,
    );
    const head = [`GET ${pathname}${search} HTTP/1.1`, ...fields, '', ''].join('\r\n');
    tunnel(new URL(`http://${host}`), socket, (target) => target.write(head), Number(port));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onFinished(() => void server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked };
}

function tunnel({ hostname, port }: URL, socket: Duplex, begin: (target: Duplex) => void, atPort = Number(port)): void {
  const target = connect(atPort, hostname, () => {
    begin(target);
    target.pipe(socket).pipe(target);
  });
  target.on('error', () => socket.destroy());
  socket.on('error', () => target.destroy());
  socket.on('close', () => target.destroy());
  onFinished(() => void target.destroy());
}
