import { type Environment, type RegistrationConfig, readRegistrationConfig, secretsOf } from '../config/config.ts';
import { redaction } from '../log.ts';
import type { LocalCommand } from '../registration/command-diff.ts';
import { checkCardService } from './card-service-checks.ts';
import { checkClock } from './clock.ts';
import { checkDiscord } from './discord-checks.ts';
import type { Finding } from './finding.ts';
import { checkOffline } from './offline.ts';
import { checkPort } from './port-check.ts';
import { checkRedis } from './redis-checks.ts';
import { checkWebhook } from './webhook-check.ts';

export interface DoctorOptions {
  environment: Environment;
  commands: readonly LocalCommand[];
  /** Only what can be found out on this machine: no request leaves it. */
  isOffline: boolean;
}

/**
 * Checks what an operator can get wrong, in the order in which it is to be put right. What needs a setting that is faulty
 * is left out. Costs one request of the card service's quota, unless it is offline, and with
 * `CARD_SERVICE_BULK_PATH` another.
 */
export async function diagnose({ environment, commands, isOffline }: DoctorOptions): Promise<Finding[]> {
  const { findings: found, config } = checkOffline(environment);
  const discord = config?.discord ?? discordAlone(environment);
  const local = [config?.http && checkPort(config.http)];
  // Side by side, and each of them takes 30 s at most.
  const further = await Promise.all(
    isOffline
      ? local
      : [
          ...local,
          discord && checkDiscord(discord, commands),
          discord && checkClock(discord.apiUrl),
          config && checkCardService(config),
          config?.redis && checkRedis(config.redis),
          config?.alertWebhookUrl && checkWebhook(config.alertWebhookUrl),
        ],
  );
  const redact = redaction(config ? secretsOf(config) : [discord?.token]);
  return [...found, ...further.flatMap((each) => each || []).map((each) => redacted(each, redact))];
}

/** An answer from outside may repeat what it was sent. */
function redacted({ cure, found, ...finding }: Finding, redact: (text: string) => string): Finding {
  return { ...finding, cure: redact(cure), found: redact(found) };
}

/** When other settings are faulty. */
function discordAlone(environment: Environment): (RegistrationConfig & { shards: 'auto' }) | undefined {
  try {
    return { ...readRegistrationConfig(environment), shards: 'auto' };
  } catch {
    return undefined;
  }
}
