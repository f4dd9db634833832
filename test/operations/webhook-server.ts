import { type AnswerRequest, fetchFrom, serve } from '../../sandbox/service/transport.ts';
import type { Outcome } from '../../sandbox/transport.ts';
import { isInstalled } from '../simulate/fake-time.ts';
import { hosts } from '../support/hosts.ts';
import { onFinished } from '../support/on-finished.ts';

/** A Discord webhook over a real socket or, where time is simulated, without one; closed when the test ends. */
export async function startWebhookServer() {
  /** The contents of the messages that it accepted, and everything that was sent to it. */
  const [messages, bodies]: [string[], unknown[]] = [[], []];
  /** What it answers from now on; 204 accepts. */
  const answer: Pick<Outcome, 'status' | 'fault'> = { status: 204 };
  const webhook = { messages, bodies, answer, url: '' };
  const received: AnswerRequest = async ({ body = '' }) => {
    const message = JSON.parse(body);
    bodies.push(message);
    if (webhook.answer.status === 204) messages.push(message.content);
    return { headers: {}, body: '', ...webhook.answer };
  };
  const origin = isInstalled ? hostOf(received) : await listeningTo(received);
  webhook.url = `${origin}/api/webhooks/1180000000000000009/kQ7-webhook-token-0123456789`;
  return webhook;
}

function hostOf(received: AnswerRequest): string {
  const origin = 'http://127.0.0.1:9'; // of one test at a time
  hosts.set(origin, { answer: fetchFrom(received) });
  return origin;
}

async function listeningTo(received: AnswerRequest): Promise<string> {
  const { url, close } = await serve(received, 0);
  onFinished(close);
  return url;
}
