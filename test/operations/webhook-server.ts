import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { onFinished } from '../support/on-finished.ts';

export interface WebhookServer {
  url: string;
  /** The contents of the messages that it accepted. */
  messages: string[];
  /** Everything that was sent to it. */
  bodies: unknown[];
  /** Answers from now on; 204 accepts. */
  answer: { status: number; headers?: Record<string, string> } | 'silence';
}

/** A Discord webhook over a real socket; closed when the test ends. */
export async function startWebhookServer(): Promise<WebhookServer> {
  const token = 'kQ7-webhook-token-0123456789';
  const server = createServer(async (request, response) => {
    const body = (await json(request)) as { content: string };
    webhook.bodies.push(body);
    if (webhook.answer === 'silence') return;
    if (webhook.answer.status === 204) webhook.messages.push(body.content);
    response.writeHead(webhook.answer.status, webhook.answer.headers).end();
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const { port } = server.address() as AddressInfo;
  const webhook: WebhookServer = {
    url: `http://127.0.0.1:${port}/api/webhooks/1180000000000000009/${token}`,
    messages: [],
    bodies: [],
    answer: { status: 204 },
  };
  return webhook;
}
