import { once } from 'node:events';
import { createServer } from 'node:net';
import { resolve } from 'node:path';
import { isFile } from '../config/card-service.ts';
import { type Config, readCardServiceConfig, secretsOf } from '../config/config.ts';
import type { GatewayInfo } from '../discord/gateway.ts';
import { redaction } from '../log.ts';
import { parseJson } from '../service/request.ts';
import { checkCardService, costOf, idsToTry } from './card-service-check.ts';
import { agree, type CliContext, type Subcommand } from './context.ts';
import { checkOffline, type Finding, idsByName, right, unknown, wrong, wrongs } from './offline-checks.ts';
import type { Application } from './registration.ts';
import { networkCode } from './request.ts';

const HELP = `
It reads the same settings as the bot, from the environment and .env, changes nothing, and can run beside the bot.

Each line begins with ✓ (right), ✗ (wrong) or ? (it could not be found out, for the reason given). In JSON "ok" is then
true, false or null; "cure" says what to do, or that reason.

With --service it tries the description of a card service alone, on one card: what each field became, and from where.
CARD_SERVICE_API_KEY and the other variables of the card service apply as they are set. Unless CARD_SERVICE names this
description, it asks before it sends the key.

Exit codes: 0 nothing wrong was found · 1 something is wrong`;

interface Flags {
  json?: boolean;
  offline?: boolean;
  service?: string;
  id?: string;
  yes?: boolean;
}

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

/**
 * In the order in which it is to be put right. What needs a setting that is faulty is left out.
 *
 * @returns the exit code
 *
 * @throws ConfigError for a description that does not fit, CliFailure where nothing is to be sent
 */
async function report({ json, offline, service, id, yes }: Flags, context: CliContext): Promise<number> {
  const { config, cardService, findings, isForeign } =
    service === undefined ? configured(context) : described(service, context);
  if (cardService && !offline) {
    const ids = idsToTry(cardService.description, id ?? (config && idsByName(config)?.[0]));
    const asks = `This asks ${isForeign ? 'with your key ' : ''}${costOf(cardService, ids)}`;
    await agree(asks, yes || !isForeign, context);
    const found = await Promise.all([
      checkDiscord(config?.discord, context.commands),
      checkCardService(cardService, ids, config?.plan),
      checkRedis(config?.redis),
      checkWebhook(config?.alertWebhookUrl),
    ]);
    findings.push(...found.flat());
  }
  findings.push(...(await checkPort(config)));
  const text = json ? `${JSON.stringify(findings, ['check', 'ok', 'cure'], 2)}\n` : findings.map(line).join('');
  // An answer from outside may repeat what it was sent.
  const redact = redaction(cardService ? secretsOf({ redis: undefined, ...config, cardService }) : []);
  context.stdout.write(redact(text));
  return findings.some(({ ok }) => ok === false) ? 1 : 0;
}

function line({ check, ok, cure, found }: Finding): string {
  const more = found || cure;
  return `${ok === null ? '?' : ok ? '✓' : '✗'} ${check}${more && ': '}${more}\n`;
}

/** What the bot is set to. */
function configured({ env, envFile }: CliContext) {
  const { config, findings } = checkOffline(env, envFile);
  return { config, cardService: config?.cardService, findings, isForeign: false };
}

/** A description alone. `isForeign`: whoever wrote it chose the host, and the key may belong to another. @throws ConfigError */
function described(given: string, { env, folder }: CliContext) {
  const named = (text = '', from = '') => (isFile(text) ? resolve(from, text) : text);
  const CARD_SERVICE = named(given, folder);
  const cardService = readCardServiceConfig({ ...env, CARD_SERVICE });
  const hasSecrets = secretsOf({ cardService, redis: undefined }).some(Boolean);
  return {
    config: undefined,
    cardService,
    findings: [right('description', cardService.description.name)],
    isForeign: hasSecrets && CARD_SERVICE !== named(env.CARD_SERVICE),
  };
}

const TOKEN = 'Discord token';
/** Commands left over from a trial in a server of one's own are found in these; a trial rarely has more. */
const SEARCHED_GUILDS = 20;

/** Whether members can use the bot in Discord. Costs some ten requests to Discord, and no login. */
async function checkDiscord(discord: Config['discord'] | undefined, given: CliContext['commands']): Promise<Finding[]> {
  if (discord === undefined) return [];
  // Loaded when it is needed: discord.js takes most of a run.
  const { diffCommands, explainFailure, inviteLinks, isAnswer, Registration, shownCommand } = await import(
    './registration.ts'
  );
  const registration = new Registration(discord);
  const shown = (names: readonly string[]) => names.map(shownCommand).join(', ');
  const findings: Finding[] = [];
  let check = TOKEN;
  try {
    const application = await registration.application();
    const { id, name } = application;
    findings.push(right(TOKEN, `${name} (${id})`), ...applicationFaults(application, discord.hasUserInstall));
    check = 'invite';
    const guilds = await registration.guilds();
    const servers = guilds.length === 1 ? guilds[0]?.name : `${guilds.length} servers`;
    const link = `The bot is in no server. Open this link to add it to one: ${inviteLinks(id).link}`;
    findings.push(guilds.length > 0 ? right(check, `in ${servers}`) : wrong(check, link));
    check = 'commands';
    const local = given ?? (await import('../../commands/index.ts')).declarations(discord.hasUserInstall);
    const registered = await registration.commands(id, undefined);
    const { added, removed, changed } = diffCommands(local, registered, undefined);
    const differing = shown([...added, ...removed, ...changed]);
    const differ = `Those at Discord are not those of this version (${differing}). Run: npm run commands -- register`;
    findings.push(differing === '' ? right(check, shown(local.map((each) => each.name))) : wrong(check, differ));
    for (const guild of guilds.slice(0, SEARCHED_GUILDS)) {
      const own = await registration.commands(id, guild.id).catch(() => []); // without access there are none
      const twice = own.filter((each) => registered.some(({ type, name }) => type === each.type && name === each.name));
      const why = `Members of ${guild.name} see these twice, since the server has its own, too`;
      const cure = `Run: npm run commands -- clear --guild ${guild.id}`;
      if (twice.length > 0) findings.push(wrong(check, `${why}: ${shown(twice.map((each) => each.name))}. ${cure}`));
    }
    check = 'gateway';
    findings.push(...(await gatewayFindings(await registration.gateway(), discord.shards)));
  } catch (error) {
    const why = explainFailure(error, discord.apiUrl);
    if (why === undefined) throw error;
    // What fails without a word of Discord after it was reached could not be found out.
    findings.push(isAnswer(error) || check === TOKEN ? wrong(check, why) : unknown(check, why));
  }
  return findings;
}

/** Discord's number of it. */
const USER_INSTALL = '1';

/** Settings in the Developer Portal with which the bot cannot work. */
function applicationFaults(application: Application, hasUserInstall: boolean): Finding[] {
  const { interactions_endpoint_url: endpoint, integration_types_config: installs } = application;
  const lacksInstall = hasUserInstall && installs && !(USER_INSTALL in installs);
  return wrongs('application', [
    endpoint &&
      `Discord sends the commands to ${endpoint} and not to this bot. Remove the Interactions Endpoint URL in the Developer Portal.`,
    application.bot_require_code_grant &&
      'The invite link cannot work while Requires OAuth2 Code Grant is on. Switch it off in the Developer Portal, Bot.',
    lacksInstall &&
      'Members cannot install the bot for themselves. Run: npm run commands -- register, or set USER_INSTALL_DAILY_REQUESTS=0.',
  ]);
}

/** @param shards of this process */
async function gatewayFindings(
  { url, shards: recommended, session_start_limit: limit }: GatewayInfo,
  shards: Config['discord']['shards'],
): Promise<Finding[]> {
  const [own, count] = shards === 'auto' ? [recommended, recommended] : [shards.ids.length, shards.count];
  if (limit.remaining < own) {
    const until = new Date(Date.now() + limit.reset_after).toISOString();
    return [
      wrong('gateway', `Discord's daily login limit is reached until ${until}. The log says why it was restarted.`),
    ];
  }
  if (count < recommended)
    return [
      wrong(
        'DISCORD_SHARD_COUNT',
        `Discord recommends ${recommended}. Set that many, and divide them by DISCORD_SHARDS.`,
      ),
    ];
  if (await greets(url)) return [right('gateway', 'it answers')];
  const silent = `${new URL(url).host} does not answer, although Discord's API does.`;
  return [wrong('gateway', `${silent} Allow WebSocket connections to it in the firewall or the proxy.`)];
}

const PATIENCE_MS = 10_000;

/**
 * Whether Discord's gateway greets who connects. Ends before the login, so it costs none of the day's and does not
 * disturb a bot that is running.
 */
async function greets(url: string): Promise<boolean> {
  const socket = new WebSocket(`${url}?v=10&encoding=json`);
  const greeting = once(socket, 'message', { signal: AbortSignal.timeout(PATIENCE_MS) });
  const isGreeted = await greeting.then(Boolean, () => false);
  socket.close();
  return isGreeted;
}

/** Whether Redis can hold the bot's state, and keeps it. Writes one key, which expires within a second. */
async function checkRedis(redis: Config['redis']): Promise<Finding[]> {
  if (redis === undefined) return [];
  const check = 'Redis';
  const { messageOf, newClient, settingProblems, tlsCure, whyUnusable } = await import('../storage/redis/client.ts');
  const client = newClient(redis.url).on('error', () => {}); // connect() rejects with it
  const { host } = new URL(redis.url);
  try {
    await client.connect();
    const unusable = await whyUnusable(client);
    if (unusable !== undefined) return [wrong(check, unusable)];
    await client.set(`${redis.keyPrefix}:doctor`, '1', { expiration: { type: 'PX', value: 1_000 } });
    const info = await client.info().catch(() => undefined);
    const problems = wrongs(check, settingProblems(info ?? ''));
    if (problems.length > 0) return problems;
    return [right(check, host), ...(info === undefined ? [unknown('Redis settings', NO_INFO)] : [])];
  } catch (error) {
    const cure = `Check REDIS_URL: host, port, user and password; ${tlsCure(redis.url)}. The rights that its user needs are in docs/more-processes.md.`;
    return [wrong(check, `${host} cannot be used (${messageOf(error)}). ${cure}`)];
  } finally {
    client.destroy();
  }
}

const NO_INFO =
  'Redis refuses INFO, so whether it keeps deferred replies over a restart is not known. Allow its user +info, or look at appendonly and maxmemory-policy yourself.';

/** Whether the bot can serve its metrics there: listens for a moment. If it runs and serves them, that is right, too. */
async function checkPort(config: Config | undefined): Promise<Finding[]> {
  if (!config?.http?.port) return [];
  const { discord, http } = config;
  const check = 'HTTP_PORT';
  const at = `${http.host.includes(':') ? `[${http.host}]` : http.host}:${http.port}`;
  const server = createServer();
  try {
    await once(server.listen(http.port, http.host), 'listening');
    server.close();
    return [right(check, `${at} is free`)];
  } catch (error) {
    const code = networkCode(error);
    if (code !== 'EADDRINUSE')
      return [
        wrong(check, `${at} cannot be used (${code}). Set 1024 or higher, and HTTP_HOST to 127.0.0.1 or 0.0.0.0.`),
      ];
    const answer = await fetch(`http://${at}/readyz`, { signal: AbortSignal.timeout(PATIENCE_MS) }).catch(() => null);
    return answer?.headers.get('X-Application-Id') === discord.botId
      ? [right(check, `the running bot serves ${at}`)]
      : [wrong(check, `Another program or bot uses ${at}. Set a free port, or stop that program.`)];
  }
}

/** Whether alerts would arrive: reads the webhook and writes nothing. Shows nothing of its address, which is a secret. */
async function checkWebhook(url: Config['alertWebhookUrl']): Promise<Finding[]> {
  if (url === undefined) return [];
  const check = 'alerts';
  try {
    const answer = await fetch(url, { redirect: 'manual', signal: AbortSignal.timeout(PATIENCE_MS) });
    const { status } = answer;
    const body = Object(parseJson(await answer.text()));
    // Discord's "Webhook Structure", as far as it tells one.
    if (status === 200 && 'id' in body && 'type' in body) return [right(check, 'the webhook is there')];
    if (status === 408 || status === 429 || status >= 500)
      return [
        unknown(check, `Discord answers with status ${status}. Whether ALERT_WEBHOOK_URL is right is not known.`),
      ];
    const cure = "Make one in the channel's settings (Integrations, Webhooks), and set ALERT_WEBHOOK_URL to it.";
    return [wrong(check, `What answers is no webhook of Discord (status ${status}). ${cure}`)];
  } catch (error) {
    const why = networkCode(error) ?? String(error);
    return [wrong(check, `The webhook cannot be reached (${why}). Check ALERT_WEBHOOK_URL and the connection.`)];
  }
}
