import { createServer, type Server } from 'node:http';
import { closeServer, KEEP_ALIVE_MS, listen } from '../listen.ts';

/** The listening socket of the whole emulated Discord, on the loopback interface. It can refuse connections for a while. */
export class FrontDoor {
  readonly server: Server = createServer({ keepAliveTimeout: KEEP_ALIVE_MS });
  port = 0;

  /** @param port 0 = any free one */
  async open(port = this.port): Promise<void> {
    if (!this.server.listening) this.port = await listen(this.server, port);
  }

  /** Refuses new connections and closes existing ones, except gateway connections. */
  shut(): void {
    this.server.close();
    this.server.closeAllConnections();
  }

  /** Closes for good. Resolves when no connection is left. */
  async close(): Promise<void> {
    if (!this.server.listening) return this.server.closeAllConnections();
    await closeServer(this.server);
  }
}
