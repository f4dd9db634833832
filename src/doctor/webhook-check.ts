import { networkCode } from '../registration/failure.ts';
import { type Finding, right, wrong } from './finding.ts';

const CHECK = 'alerts';
const PATIENCE_MS = 10_000;
/** Discord knows no such webhook, or another token for it. */
const UNKNOWN = new Set([401, 403, 404]);

/** Whether alerts would arrive: reads the webhook and writes nothing. Shows nothing of its address, which is a secret. */
export async function checkWebhook(url: string): Promise<Finding[]> {
  try {
    const response = await fetch(url, { redirect: 'manual', signal: AbortSignal.timeout(PATIENCE_MS) });
    await response.body?.cancel();
    return [webhookFinding(response.status)];
  } catch (error) {
    const reason = networkCode(error) ?? 'no answer';
    return [wrong(CHECK, `The webhook cannot be reached (${reason}). Check ALERT_WEBHOOK_URL and the connection.`)];
  }
}

export function webhookFinding(status: number): Finding {
  if (UNKNOWN.has(status)) {
    return wrong(
      CHECK,
      `Discord knows no such webhook (status ${status}). Make one in the channel's settings (Integrations, Webhooks), and set ALERT_WEBHOOK_URL to its address.`,
    );
  }
  if (status >= 300 && status < 400) {
    return wrong(
      CHECK,
      'The webhook redirects, and the bot follows no redirect. Set ALERT_WEBHOOK_URL to the address that Discord shows.',
    );
  }
  return right(CHECK, status === 200 ? 'the webhook is there' : `the webhook answers with status ${status}`);
}
