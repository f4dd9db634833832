import type { IncomingMessage } from 'node:http';

/** Whether a request was addressed to this machine by its own name, not by a web page's (DNS rebinding). */
export function isLoopbackHost({ headers, socket }: IncomingMessage): boolean {
  const port = socket.localPort;
  return headers.host === `127.0.0.1:${port}` || headers.host === `localhost:${port}`;
}
