import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

/** One REST request as the bot sent it, with its secrets. */
export interface RelayedCall {
  method: string;
  path: string;
  /** `undefined` when there was none, or no JSON. */
  body: unknown;
}

export interface DiscordRelay {
  /** For `DISCORD_API_URL`. */
  apiUrl: string;
  /** All so far, oldest first. */
  calls: RelayedCall[];
}

/** Stands before an emulated Discord and writes down what the bot says to it; gone when the test ends. */
export async function startDiscordRelay(apiUrl: string): Promise<DiscordRelay> {
  const calls: RelayedCall[] = [];
  const server = createServer({ keepAliveTimeout: 400_000 }, (asked, answer) => void relay(asked, answer));

  async function relay(asked: IncomingMessage, answer: ServerResponse): Promise<void> {
    const { method = '', url = '', headers } = asked;
    const body = Buffer.concat(await asked.toArray());
    calls.push({ method, path: url, body: parsed(body.toString()) });
    const { host: _, ...rest } = headers;
    const onward = request(apiUrl + url.replace(/^\/api/, ''), { method, headers: rest }, (answered) => {
      answer.writeHead(answered.statusCode ?? 502, answered.headers);
      answered.pipe(answer);
    });
    onward.on('error', () => answer.destroy());
    onward.end(body);
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
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
