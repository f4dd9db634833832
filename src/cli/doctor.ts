import { once } from 'node:events';
import { createServer } from 'node:net';
import { resolve } from 'node:path';
import { type Config, readCardServiceConfig, secretsOf } from '../config/config.ts';
import { isFile } from '../config/description.ts';
import type { GatewayInfo } from '../discord/gateway.ts';
import type { Application } from '../discord/registration.ts';
import { redaction } from '../log.ts';
import { parseJson } from '../model/card.ts';
import { networkCode } from '../model/errors.ts';
import { checkCardService, idsToTry } from './card-service-checks.ts';
import { agree, type CliContext, type Subcommand } from './context.ts';
import { type Checked, checkOffline, right, unknown, verdict, wrong } from './offline-checks.ts';

const HELP = `
It reads the same settings as the bot, from the environment and .env, changes nothing, and can run beside the bot.

Each line begins with ✓ (right), ✗ (wrong) or ? (it could not be found out); in JSON "ok" is true, false or null.

With --service it tries the description of a card service alone, on one card: what each field and each row of prices
became, and from where.
CARD_SERVICE_API_KEY and the other variables of the card service apply as they are set. Unless CARD_SERVICE names this
description, it asks before it sends the key.

Exit codes: 0 nothing wrong was found · 1 something is wrong`;

/** Whoever has not answered by then counts as silent. */
const PATIENCE_MS = 10_000;

interface Flags {
  json?: boolean;
  offline?: boolean;
  service?: string;
  id?: string;
  yes?: boolean;
}

/** `npm run doctor` */
export const subcommand: Subcommand = (command, context) => {
  command
    .option('--json', 'JSON on standard output, for programs: [{"check","ok","cure"}], and "noAnswer" where it is true')
    .option('--offline', 'check this machine only: nothing is sent to Discord, the card service or Redis')
    .option('--service <description>', 'try this description: the name of one that ships, or the path of a .json file')
    .option('--id <id>', 'a card that the service has')
    .option('--yes', 'send the key without a question')
    .addHelpText('after', HELP)
    .action((flags) => report(flags, context));
};

/**
 * In the order in which it is to be put right. What needs a setting that is faulty is left out.
 *
 * @throws ConfigError for a description that does not fit, CliFailure where nothing is to be sent
 */
async function report({ json, offline, service, id, yes }: Flags, context: CliContext): Promise<void> {
  const { env, envFile, folder } = context;
  const given = service === undefined ? undefined : named(service, folder);
  const { config, findings, knownId } =
    given === undefined ? checkOffline(env, envFile) : described({ ...env, CARD_SERVICE: given });
  const { cardService } = config;
  const checks = [checkPort(config)];
  if (cardService && !offline) {
    const { baseUrl, description } = cardService;
    const ids = idsToTry(description, id ?? knownId);
    // Whoever wrote another description chose its host, and the key may belong to another.
    const isForeign = given !== undefined && given !== named(env.CARD_SERVICE) && secretsOf(config).some(Boolean);
    const costs = `which costs ${ids.length + (description.list ? 1 : 0)} of today's requests; --offline sends nothing`;
    const asks = `This asks ${isForeign ? 'with your key ' : ''}${new URL(baseUrl).host}, ${costs}`;
    await agree(asks, yes || !isForeign, context);
    const ofService = checkCardService(cardService, ids, context, config.plan);
    checks.unshift(checkDiscord(config), ofService, checkRedis(config), checkWebhook(config));
  }
  const found = await Promise.all(checks.map((each) => Array.fromAsync(each)));
  findings.push(...found.flat());
  const lines = findings.map(({ check, ok, cure }) => `${ok === null ? '?' : ok ? '✓' : '✗'} ${check}: ${cure}`);
  const text = `${json ? JSON.stringify(findings, null, 2) : lines.join('\n')}\n`;
  context.stdout.write(redaction(secretsOf(config))(text)); // an answer from outside may repeat what it was sent
  context.exitCode = Number(findings.some(({ ok }) => ok === false));
}

/** A description as its name, or as the path of its file. */
function named(given = '', folder = ''): string {
  return isFile(given) ? resolve(folder, given) : given;
}

/** A description alone. @throws ConfigError */
function described(environment: CliContext['env']): Checked {
  const cardService = readCardServiceConfig(environment);
  return { config: { cardService }, findings: [right('description', cardService.description.name)] };
}

/** Discord's number of what members install for themselves. */
const USER_INSTALL = '1';

/** Whether members can use the bot in Discord. Costs some ten requests to Discord, and no login. */
async function* checkDiscord({ discord }: Partial<Config>) {
  if (!discord) return;
  const { apiUrl, hasUserInstall, shards } = discord;
  // Loaded when they are needed: discord.js takes most of a run.
  const { declarations } = await import('../../commands/index.ts');
  const { diffCommands, doubledCommands, explainFailure, inviteLinks, isAnswer, registrationAt, shownCommands } =
    await import('../discord/registration.ts');
  const registration = registrationAt(discord);
  let isAccepted = false;
  try {
    const application = await registration.application();
    const { id, name } = application;
    isAccepted = true;
    yield right('Discord token', `${name} (${id})`);
    yield* applicationFaults(application, hasUserInstall);

    const guilds = await registration.guilds();
    const isNowhere = `The bot is in no server. Open this link to add it to one: ${inviteLinks(id).link}`;
    yield verdict('invite', guilds.length === 0 && isNowhere, `servers: ${guilds.length}`);

    const local = declarations(hasUserInstall);
    const registered = await registration.commands(id);
    const { added, changed } = diffCommands(local, registered, undefined, []);
    const differing = shownCommands([...added, ...changed]);
    const differ = `Those at Discord are not those of this version (${differing}). Start the bot, or run: npm run commands -- register`;
    yield verdict('commands', differing && differ, shownCommands(local.map((each) => each.name)));
    const doubled = await doubledCommands(registration, id, guilds, registered);
    yield* doubled.map((cure) => wrong('commands', cure));
    yield verdict('gateway', await gatewayFault(await registration.gateway(), shards), 'it answers');
  } catch (error) {
    const why = explainFailure(error, apiUrl);
    if (!why) throw error;
    // What fails without a word of Discord after it was reached could not be found out.
    yield (isAnswer(error) || !isAccepted ? wrong : unknown)('Discord', why);
  }
}

/** Settings in the Developer Portal with which the bot cannot work. */
function* applicationFaults(application: Application, hasUserInstall: boolean) {
  const { integration_types_config: installs, interactions_endpoint_url: endpoint } = application;
  const cures = [
    endpoint &&
      `Discord sends the commands to ${endpoint}. Remove the Interactions Endpoint URL in the Developer Portal.`,
    application.bot_require_code_grant &&
      'The invite link cannot work. Switch Requires OAuth2 Code Grant off in the Developer Portal, Bot.',
    hasUserInstall &&
      installs &&
      !(USER_INSTALL in installs) &&
      'Members cannot install the bot. Run: npm run commands -- register, or set USER_INSTALL_DAILY_REQUESTS=0.',
  ];
  for (const cure of cures) if (cure) yield wrong('application', cure);
}

/** @param shards of this process */
async function gatewayFault(
  { url, shards: recommended, session_start_limit: limit }: GatewayInfo,
  shards: Config['discord']['shards'],
): Promise<string | undefined> {
  const { ids, count } = shards === 'auto' ? { ids: Array(recommended), count: recommended } : shards;
  if (limit.remaining < ids.length)
    return `Discord's daily login limit is reached until ${new Date(Date.now() + limit.reset_after).toISOString()}.`;
  if (count < recommended)
    return `Discord recommends ${recommended} shards. Set DISCORD_SHARD_COUNT to that, and divide them by DISCORD_SHARDS.`;
  // Ends before the login, so it costs none of the day's and does not disturb a bot that is running.
  const socket = new WebSocket(`${url}?v=10&encoding=json`);
  const signal = AbortSignal.timeout(PATIENCE_MS);
  const isFirst = (name: string, is: boolean) => once(socket, name, { signal }).then(() => is);
  // A socket that has failed keeps the process no longer, which would end it without a word.
  const isGreeted = await Promise.race([isFirst('message', true), isFirst('close', false)]).catch(() => false);
  socket.close();
  const silent = `${url} does not answer, although Discord's API does. Allow WebSockets in the firewall or the proxy.`;
  return isGreeted ? undefined : silent;
}

/** Whether Redis can hold the bot's state, and keeps it. Writes one key, which expires within a second. */
async function* checkRedis({ redis }: Partial<Config>) {
  if (!redis) return;
  const check = 'Redis';
  const { messageOf, newClient, settingProblems, tlsCure, whyUnusable } = await import(
    '../storage/redis/connection.ts'
  );
  const { url, keyPrefix } = redis;
  const client = newClient(url, PATIENCE_MS).on('error', () => {}); // connect() rejects with it
  const { host } = new URL(url);
  try {
    await client.connect();
    const unusable = await whyUnusable(client);
    if (!unusable) await client.set(`${keyPrefix}:doctor`, '1', { expiration: { type: 'PX', value: 1_000 } });
    const info = await client.info().catch(() => undefined);
    const cure = unusable ?? settingProblems(info ?? '').join(' ');
    yield info === undefined && !cure ? unknown(check, NO_INFO) : verdict(check, cure, host);
  } catch (error) {
    const cure = `Check REDIS_URL: ${tlsCure(url)}. The rights that its user needs are in docs/more-processes.md.`;
    yield wrong(check, `${host} cannot be used (${messageOf(error)}). ${cure}`);
  } finally {
    client.destroy();
  }
}

const NO_INFO =
  'It refuses INFO, so whether it keeps deferred replies is not known. Allow its user +info, or look at appendonly and maxmemory-policy yourself.';

/**
 * Whether the bot can serve its metrics there: listens for a moment. If it runs and serves them, that is right, too.
 */
async function* checkPort({ http, discord }: Partial<Config>) {
  if (!http?.port || !discord) return;
  const check = 'HTTP_PORT';
  const server = createServer();
  try {
    await once(server.listen(http), 'listening');
    yield right(check, 'it is free');
  } catch (error) {
    const host = http.host.includes(':') ? `[${http.host}]` : http.host;
    const asked = fetch(`http://${host}:${http.port}/readyz`, { signal: AbortSignal.timeout(PATIENCE_MS) });
    const isOurs = (await asked.catch(() => null))?.headers.get('X-Application-Id') === discord.botId;
    const cure = `It cannot be used (${networkCode(error) ?? error}). Set HTTP_PORT to a port that is free, or HTTP_HOST to an address of this machine.`;
    yield verdict(check, !isOurs && cure, 'the running bot serves it');
  } finally {
    server.close();
  }
}

/**
 * Whether alerts would arrive: reads the webhook and writes nothing. Shows nothing of its address, which is a secret.
 */
async function* checkWebhook({ alertWebhookUrl: url }: Partial<Config>) {
  if (!url) return;
  const check = 'alerts';
  const cure = "Check ALERT_WEBHOOK_URL: in the channel's settings, Integrations, Webhooks.";
  try {
    const answer = await fetch(url, { redirect: 'manual', signal: AbortSignal.timeout(PATIENCE_MS) });
    const { status } = answer;
    // Discord's "Webhook Structure", as far as it tells one.
    const { id, type } = Object(parseJson(await answer.text()));
    const isThere = status === 200 && id && type;
    const isBusy = status === 408 || status === 429 || status >= 500;
    const none = `No webhook of Discord answers there (status ${status}). ${cure}`;
    yield isBusy ? unknown(check, none) : verdict(check, !isThere && none, 'the webhook is there');
  } catch (error) {
    yield wrong(check, `It cannot be reached (${networkCode(error) ?? error}). ${cure}`);
  }
}
