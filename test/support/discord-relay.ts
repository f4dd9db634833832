import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

/** One REST request as the bot sent it, secrets included. */
export interface RelayedCall {
  method: string;
  path: string;
  /** Without its files; `undefined` when there was no body, or one that is not JSON. */
  body: unknown;
}

export interface DiscordRelay {
  /** For `DISCORD_API_URL`. */
  apiUrl: string;
  /** Oldest first. */
  calls: RelayedCall[];
}

/** A proxy before an emulated Discord that records the bot's requests; closed when the test ends. */
export async function startDiscordRelay(apiUrl: string): Promise<DiscordRelay> {
  const calls: RelayedCall[] = [];
  const server = createServer({ keepAliveTimeout: 400_000 }, (incoming, response) => void relay(incoming, response));

  async function relay(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = '', url = '', headers } = incoming;
    const body = Buffer.concat(await incoming.toArray());
    calls.push({ method, path: url, body: parsed(body.toString()) });
    const { host: _, ...rest } = headers;
    const outgoing = request(apiUrl + url.replace(/^\/api/, ''), { method, headers: rest }, (upstream) => {
      response.writeHead(upstream.statusCode ?? 502, upstream.headers);
      upstream.pipe(response);
    });
    outgoing.on('error', () => response.destroy());
    outgoing.end(body);
  }

  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(async () => {
    const closed = once(server, 'close');
    server.close();
    server.closeAllConnections();
    await closed;
  });
  return { apiUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/api`, calls };
}

function parsed(text: string): unknown {
  const besideFiles = /name="payload_json".*?\r\n\r\n(.*?)\r\n--/s.exec(text)?.[1];
  try {
    return JSON.parse(besideFiles ?? text);
  } catch {
    return undefined;
  }
}
