import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo, Server as TcpServer } from 'node:net';

/**
 * How long the emulated servers keep an idle connection. They say so, and clients close theirs a little earlier: a request
 * that is sent while the server closes is lost. Not for longer, because clients keep as many as they once used at a time.
 */
export const KEEP_ALIVE_MS = 65_000;

/** Listens on 127.0.0.1; 0 = any free port. @returns the port */
export async function listen(server: TcpServer, port: number): Promise<number> {
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

/** More sandboxes than run at the same time. */
const MAX_TRIES = 100;

/**
 * Listens on 127.0.0.1 at the port, or at the next free one; 0 = any free one.
 *
 * @returns the port
 * @throws Error of the system when none of the next hundred is free, or the port is not allowed.
 */
export async function listenAtOrAfter(server: Server, port: number): Promise<number> {
  for (let tries = 1; ; tries++) {
    try {
      return await listen(server, port === 0 ? 0 : port + tries - 1);
    } catch (error) {
      const taken = (error as NodeJS.ErrnoException).code === 'EADDRINUSE';
      if (!taken || tries === MAX_TRIES || port + tries > 65_535) throw error;
    }
  }
}

/** Closes a server and its connections. Resolves when no connection is left. */
export async function closeServer(server: Server): Promise<void> {
  const closed = once(server, 'close');
  server.close();
  server.closeAllConnections();
  await closed;
}

/** A port of 127.0.0.1 that nobody uses now: this one, or the next that is free; 0 = any. */
export async function freePort(from = 0): Promise<number> {
  const server = createServer();
  const port = await listenAtOrAfter(server, from);
  await closeServer(server);
  return port;
}
