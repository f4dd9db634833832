import { resolve } from 'node:path';
import {
  type Config,
  type RegistrationConfig,
  readCardServiceConfig,
  readRegistrationConfig,
  secretsOf,
} from '../../config/config.ts';
import { isFile } from '../../config/description-file.ts';
import type { Environment } from '../../config/environment.ts';
import { redaction } from '../../log.ts';
import { agree, type CliContext, type Subcommand } from '../context.ts';
import { type CardCheck, cardCheck, checkCardService } from './card-service-checks.ts';
import { type Finding, right } from './finding.ts';
import { checkNode, nodeReleasedAtMs } from './node-check.ts';
import { checkPort, checkWebhook } from './operations-checks.ts';
import { checkOffline, type Settings } from './settings.ts';

const HELP = `
It reads the same settings as the bot, from the environment and .env, changes nothing, and can run beside the bot.

Each line begins with ✓ (right), ✗ (wrong) or ? (it could not be found out, for the reason given). In JSON "ok" is then
true, false or null; "cure" says what to do, or that reason.

With --service it tries the description of a card service alone, on one card: what each field became, and from which
path. CARD_SERVICE_API_KEY and the other variables of the card service apply as they are set. Unless CARD_SERVICE names
this description, it asks before it sends the key.

Exit codes: 0 nothing wrong was found · 1 something is wrong`;

/** `npm run doctor` */
export const subcommand: Subcommand = (command, context, run) => {
  command
    .option('--json', 'JSON on standard output, for programs: [{"check","ok","cure"}]')
    .option('--offline', 'check this machine only: nothing is sent to Discord, the card service or Redis')
    .option('--service <description>', 'try this description: the name of one that ships, or the path of a .json file')
    .option('--id <id>', 'a card that the service has')
    .option('--yes', 'send the key without a question')
    .addHelpText('after', HELP)
    .action(run((flags: Flags) => report(flags, context)));
};

interface Flags {
  json?: boolean;
  offline?: boolean;
  service?: string;
  id?: string;
  yes?: boolean;
}

/** @returns the exit code @throws ConfigError where a description is tried that does not fit, CliFailure where nothing is to be sent */
async function report(
  { json = false, offline: isOffline = false, service, id, yes = false }: Flags,
  context: CliContext,
): Promise<number> {
  const { env, envFile, folder, stdout, commands } = context;
  const tried = service === undefined ? undefined : triedService(service, env, folder);
  const settings = tried ? { findings: [], config: undefined } : checkOffline(env, envFile);
  const config = tried ?? settings.config;
  const check = config && cardCheck(config.cardService, id, settings.config?.dataDir);
  // Whoever wrote a description chose the host, and the key may belong to another.
  const isForeign = tried && !tried.isConfigured && secretsOf({ ...tried, redis: undefined }).some(Boolean);
  const asks = `This asks ${check?.host}${isForeign ? ' with your key' : ''}, which costs ${check?.costs} of today's requests`;
  if (check && !isOffline) await agree(`${asks}; --offline sends nothing`, yes || !isForeign, context);
  const findings = tried
    ? await tryDescription(tried, isOffline ? undefined : check)
    : await diagnose(settings, env, commands, check, isOffline);
  stdout.write(json ? `${JSON.stringify(findings, ['check', 'ok', 'cure'], 2)}\n` : findings.map(line).join(''));
  return findings.some(({ ok }) => ok === false) ? 1 : 0;
}

type Tried = Pick<Config, 'cardService'> & { isConfigured: boolean };

/** @throws ConfigError */
function triedService(given: string, env: Environment, folder: string): Tried {
  const named = (text = '', from = '') => (isFile(text) ? resolve(from, text) : text);
  const CARD_SERVICE = named(given, folder);
  const isConfigured = CARD_SERVICE === named(env.CARD_SERVICE);
  return { cardService: readCardServiceConfig({ ...env, CARD_SERVICE }), isConfigured };
}

async function tryDescription(tried: Tried, check: CardCheck | undefined): Promise<Finding[]> {
  const { name } = tried.cardService.description;
  const found = check ? await checkCardService(tried, check) : [];
  return [right('description', name), ...found.map(redacting(secretsOf({ ...tried, redis: undefined })))];
}

/** An answer from outside may repeat what it was sent. */
function redacting(secrets: readonly (string | undefined)[]) {
  const redact = redaction(secrets);
  return (finding: Finding): Finding => ({ ...finding, cure: redact(finding.cure), found: redact(finding.found) });
}

/**
 * Checks what an operator can get wrong, in the order in which it is to be put right. What needs a setting that is faulty
 * is left out. Costs what `check` says of the card service's quota.
 *
 * @param isOffline only what can be found out on this machine: no request leaves it
 */
async function diagnose(
  { findings, config }: Settings,
  environment: Environment,
  commands: CliContext['commands'],
  check: CardCheck | undefined,
  isOffline: boolean,
): Promise<Finding[]> {
  const discord = config?.discord ?? discordAlone(environment);
  const redis = config?.redis;
  // Side by side, and each of them takes 30 s at most. What sends requests is loaded when it is needed.
  const further = await Promise.all([
    config?.http && checkPort(config.http, config.discord.botId),
    ...(isOffline
      ? []
      : [
          discord && askDiscord(discord, commands),
          config && check && checkCardService(config, check),
          redis && import('./redis-checks.ts').then(({ checkRedis }) => checkRedis(redis)),
          config?.alertWebhookUrl && checkWebhook(config.alertWebhookUrl),
        ]),
  ]);
  const redacted = further.flatMap((each) => each || []).map(redacting(config ? secretsOf(config) : [discord?.token]));
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
