import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

// Longer than any test: a client loses the request that meets the end of an idle connection.
const KEEP_ALIVE_MS = 400_000;

/** The port on the loopback interface that all of the emulated Discord is behind. It can be shut for a while. */
export class FrontDoor {
  readonly server: Server = createServer({ keepAliveTimeout: KEEP_ALIVE_MS });
  #port = 0;

  get port(): number {
    return this.#port;
  }

  /** @param port 0 = any free one */
  async open(port = this.#port): Promise<void> {
    if (this.server.listening) return;
    this.server.listen(port, '127.0.0.1');
    await once(this.server, 'listening');
    this.#port = (this.server.address() as AddressInfo).port;
  }

  /** Connections are refused from here on, and those that there are torn down, but for gateway connections. */
  shut(): void {
    this.server.close();
    this.server.closeAllConnections();
  }

  /** Shuts for good. Resolves when nobody is connected any more. */
  async close(): Promise<void> {
    if (!this.server.listening) return this.server.closeAllConnections();
    const closed = once(this.server, 'close');
    this.shut();
    await closed;
  }
}
