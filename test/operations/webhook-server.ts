import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';
import { closeServer, listen } from '../../sandbox/listen.ts';
import { isInstalled } from '../simulate/fake-time.ts';
import { hosts } from '../support/hosts.ts';
import { onFinished } from '../support/on-finished.ts';

export interface WebhookServer {
  url: string;
  /** The contents of the messages that it accepted. */
  messages: string[];
  /** Everything that was sent to it. */
  bodies: unknown[];
  /** Answers from now on; 204 accepts. */
  answer: { status: number } | 'silence';
}

/** A Discord webhook over a real socket or, where time is simulated, without one; closed when the test ends. */
export async function startWebhookServer(): Promise<WebhookServer> {
  const token = 'kQ7-webhook-token-0123456789';
  const webhook: WebhookServer = { url: '', messages: [], bodies: [], answer: { status: 204 } };
  const receive = (body: { content: string }) => {
    webhook.bodies.push(body);
    if (webhook.answer !== 'silence' && webhook.answer.status === 204) webhook.messages.push(body.content);
    return webhook.answer;
  };
  const origin = isInstalled ? hostOf(receive) : await listeningTo(receive);
  webhook.url = `${origin}/api/webhooks/1180000000000000009/${token}`;
  return webhook;
}

type Receive = (body: { content: string }) => WebhookServer['answer'];

function hostOf(receive: Receive): string {
  const origin = 'http://127.0.0.1:9'; // of one test at a time
  const answer = async (request: Request) => {
    const answered = receive((await request.json()) as { content: string });
    return answered === 'silence' ? new Promise<never>(() => {}) : new Response(null, answered);
  };
  hosts.set(origin, { answer });
  return origin;
}

async function listeningTo(receive: Receive): Promise<string> {
  const server = createServer(async (request, response) => {
    const answered = receive((await json(request)) as { content: string });
    if (answered !== 'silence') response.writeHead(answered.status).end();
  });
  onFinished(() => closeServer(server));
  return `http://127.0.0.1:${await listen(server, 0)}`;
}
