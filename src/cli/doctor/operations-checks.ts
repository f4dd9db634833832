import { once } from 'node:events';
import { createServer } from 'node:net';
import { z } from 'zod';
import { inspect, isAnswer, networkCode } from '../request.ts';
import { type Finding, hindrance, right, unknown, unreachable, wrong } from './finding.ts';

const PORT_CHECK = 'HTTP_PORT';
const PATIENCE_MS = 2_000;

/** Whether the bot can serve its metrics there: listens for a moment. If it runs and serves them, that is right, too. */
export async function checkPort({ host, port }: { host: string; port: number }, botId: string): Promise<Finding[]> {
  if (port === 0) return [];
  const code = await listeningFails(host, port);
  const isOfBot = code === 'EADDRINUSE' && (await isServedBy(botId, host, port));
  return [portFinding(code, { host, port, isOfBot })];
}

/** @param code of the error, `undefined` when there was none */
export function portFinding(
  code: string | undefined,
  { host, port, isOfBot }: { host: string; port: number; isOfBot: boolean },
): Finding {
  if (code === undefined) return right(PORT_CHECK, `${host}:${port} is free`);
  if (isOfBot) return right(PORT_CHECK, `the running bot serves ${host}:${port}`);
  if (code === 'EADDRINUSE')
    return wrong(PORT_CHECK, `Another program or bot uses ${host}:${port}. Set a free port, or stop that program.`);
  if (code === 'EACCES') return wrong(PORT_CHECK, `This user cannot use port ${port}. Set 1024 or higher.`);
  return wrong('HTTP_HOST', `${host} is not an address of this machine (${code}). Set 127.0.0.1, or 0.0.0.0 for all.`);
}

async function listeningFails(host: string, port: number): Promise<string | undefined> {
  const server = createServer();
  try {
    await once(server.listen(port, host), 'listening');
    return undefined;
  } catch (error) {
    return networkCode(error) ?? String(error);
  } finally {
    server.close();
  }
}

async function isServedBy(botId: string, host: string, port: number): Promise<boolean> {
  const local = { '0.0.0.0': '127.0.0.1', '::': '::1' }[host] ?? host;
  const address = local.includes(':') ? `[${local}]` : local;
  const answer = await inspect(new URL(`http://${address}:${port}/readyz`), { timeoutMs: PATIENCE_MS });
  return isAnswer(answer) && answer.headers.get('X-Application-Id') === botId;
}

const ALERTS_CHECK = 'alerts';
const TIMEOUT_MS = 10_000;
/** Discord's webhook object, as far as it tells one: "Webhook Structure" in Discord's documentation. */
const Webhook = z.object({ id: z.string(), type: z.number() });

/** Whether alerts would arrive: reads the webhook and writes nothing. Shows nothing of its address, which is a secret. */
export async function checkWebhook(url: string, timeoutMs = TIMEOUT_MS): Promise<Finding[]> {
  const answer = await inspect(new URL(url), { timeoutMs });
  if (isAnswer(answer)) return [webhookFinding(answer.status, answer.body)];
  return answer.kind === 'answered'
    ? [webhookFinding(200, undefined)]
    : [unreachable(ALERTS_CHECK, 'The webhook', answer, 'ALERT_WEBHOOK_URL')];
}

function webhookFinding(status: number, body: unknown): Finding {
  if (status === 200 && Webhook.safeParse(body).success) return right(ALERTS_CHECK, 'the webhook is there');
  const hindered = hindrance(status);
  if (hindered)
    return unknown(ALERTS_CHECK, `Whether the webhook is there is not known: Discord ${hindered}. Try again later.`);
  if (status === 401 || status === 403 || status === 404) {
    const cure =
      "Make one in the channel's settings (Integrations, Webhooks), and set ALERT_WEBHOOK_URL to its address.";
    return wrong(ALERTS_CHECK, `Discord knows no such webhook (status ${status}). ${cure}`);
  }
  const isRedirect = status >= 300 && status < 400;
  const what = isRedirect
    ? 'The webhook redirects, and the bot follows no redirect.'
    : `What answers is not a Discord webhook (status ${status}).`;
  return wrong(ALERTS_CHECK, `${what} Set ALERT_WEBHOOK_URL to the address that Discord shows.`);
}
