import { z } from 'zod';
import { inspect, isAnswer } from '../request.ts';
import { type Finding, right, unknown, unreachable, wrong } from './finding.ts';

const CHECK = 'alerts';
const TIMEOUT_MS = 10_000;
/** Discord knows no such webhook, or another token for it. */
const UNKNOWN_WEBHOOK = new Set([401, 403, 404]);

/** Whether alerts would arrive: reads the webhook and writes nothing. Shows nothing of its address, which is a secret. */
export async function checkWebhook(url: string, timeoutMs = TIMEOUT_MS): Promise<Finding[]> {
  const answer = await inspect(new URL(url), { timeoutMs });
  if (isAnswer(answer)) return [webhookFinding(answer.status, answer.body)];
  return answer.kind === 'answered'
    ? [webhookFinding(200, undefined)]
    : [unreachable(CHECK, 'The webhook', answer.reason, 'ALERT_WEBHOOK_URL')];
}

/** Discord's webhook object, as far as it tells one: "Webhook Structure" in Discord's documentation. */
const Webhook = z.object({ id: z.string(), type: z.number() });

export function webhookFinding(status: number, body: unknown): Finding {
  if (status === 200 && Webhook.safeParse(body).success) return right(CHECK, 'the webhook is there');
  if (status === 408 || status === 429 || status >= 500) {
    const why = status === 429 ? 'Discord asks to wait' : 'Discord has a problem of its own';
    return unknown(CHECK, `Whether the webhook is there is not known: ${why} (status ${status}). Try again later.`);
  }
  if (UNKNOWN_WEBHOOK.has(status)) {
    return wrong(
      CHECK,
      `Discord knows no such webhook (status ${status}). Make one in the channel's settings (Integrations, Webhooks), and set ALERT_WEBHOOK_URL to its address.`,
    );
  }
  const what =
    status >= 300 && status < 400
      ? 'The webhook redirects, and the bot follows no redirect.'
      : `What answers is not a Discord webhook (status ${status}).`;
  return wrong(CHECK, `${what} Set ALERT_WEBHOOK_URL to the address that Discord shows.`);
}
