import { type Config, type RegistrationConfig, readRegistrationConfig, secretsOf } from '../../config/config.ts';
import type { Environment } from '../../config/environment.ts';
import { redaction } from '../../log.ts';
import type { CliContext, Subcommand } from '../context.ts';
import type { Finding } from './finding.ts';
import { checkNode, nodeReleasedAtMs } from './node-check.ts';
import { checkPort, checkWebhook } from './operations-checks.ts';
import { checkOffline, type Settings } from './settings.ts';

const HELP = `
It reads the same settings as the bot, from the environment and .env, changes nothing, and can run beside the bot.

Each line begins with ✓ (right), ✗ (wrong) or ? (it could not be found out, for the reason given). In JSON "ok" is then
true, false or null; "cure" says what to do, or that reason.

Exit codes: 0 nothing wrong was found · 1 something is wrong`;

/** `npm run doctor` */
export const subcommand: Subcommand = (command, context, run) => {
  command
    .option('--json', 'JSON on standard output, for programs: [{"check","ok","cure"}]')
    .option('--offline', 'check this machine only: nothing is sent to Discord, the card service or Redis')
    .addHelpText('after', HELP)
    .action(run((flags: { json?: boolean; offline?: boolean }) => report(flags, context)));
};

/** @returns the exit code */
async function report(
  { json = false, offline: isOffline = false }: { json?: boolean; offline?: boolean },
  { env, envFile, stdout, stderr, commands }: CliContext,
): Promise<number> {
  const settings = checkOffline(env, envFile);
  const costs = settings.config?.cardService.description.list
    ? 'alone and in a list, which costs two'
    : 'which costs one';
  if (settings.config && !isOffline)
    stderr.write(`This looks up one card, ${costs} of today's requests; --offline sends nothing.\n`);
  const findings = await diagnose(settings, env, commands, isOffline);
  const reported = findings.map(({ check, ok, cure }) => ({ check, ok, cure }));
  stdout.write(json ? `${JSON.stringify(reported, null, 2)}\n` : findings.map(line).join(''));
  return findings.some(({ ok }) => ok === false) ? 1 : 0;
}

/**
 * Checks what an operator can get wrong, in the order in which it is to be put right. What needs a setting that is faulty
 * is left out. Costs one request of the card service's quota, and with `CARD_SERVICE_BULK_PATH` another.
 *
 * @param isOffline only what can be found out on this machine: no request leaves it
 */
async function diagnose(
  { findings, config }: Settings,
  environment: Environment,
  commands: CliContext['commands'],
  isOffline: boolean,
): Promise<Finding[]> {
  const discord = config?.discord ?? discordAlone(environment);
  const redis = config?.redis;
  // Side by side, and each of them takes 30 s at most. What sends requests is loaded when it is needed.
  const further = await Promise.all([
    config?.http && checkPort(config.http),
    ...(isOffline
      ? []
      : [
          discord && askDiscord(discord, commands),
          config && import('./card-service-checks.ts').then(({ checkCardService }) => checkCardService(config)),
          redis && import('./redis-checks.ts').then(({ checkRedis }) => checkRedis(redis, config.cardService)),
          config?.alertWebhookUrl && checkWebhook(config.alertWebhookUrl),
        ]),
  ]);
  // An answer from outside may repeat what it was sent.
  const redact = redaction(config ? secretsOf(config) : [discord?.token]);
  const redacted = further
    .flatMap((each) => each || [])
    .map((finding) => ({ ...finding, cure: redact(finding.cure), found: redact(finding.found) }));
  const { node } = process.versions;
  return [checkNode(node, nodeReleasedAtMs(node, process.execPath), Date.now()), ...findings, ...redacted];
}

async function askDiscord(discord: Config['discord'], commands: CliContext['commands']): Promise<Finding[]> {
  const [{ checkClock, checkDiscord }, { declarations }] = await Promise.all([
    import('./discord-checks.ts'),
    import('../../../commands/index.ts'),
  ]);
  const findings = await Promise.all([
    checkDiscord(discord, commands ?? declarations(discord.hasUserInstall)),
    checkClock(discord.apiUrl),
  ]);
  return findings.flat();
}

/** When other settings are faulty. */
function discordAlone(environment: Environment): (RegistrationConfig & { shards: 'auto' }) | undefined {
  try {
    return { ...readRegistrationConfig(environment), shards: 'auto' };
  } catch {
    return undefined;
  }
}

function line({ check, ok, cure, found }: Finding): string {
  const more = ok ? found : cure;
  const sign = ok === null ? '?' : ok ? '✓' : '✗';
  return `${sign} ${check}${more && ': '}${more}\n`;
}
