import { once } from 'node:events';
import { createServer } from 'node:net';
import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Config, readCardServiceConfig, secretsOf } from '../config/config.ts';
import { isFile } from '../config/description.ts';
import type { GatewayInfo } from '../discord/gateway.ts';
import type { Application } from '../discord/registration.ts';
import { createLog, redaction } from '../log.ts';
import { type Card, type Prices, parseJson } from '../model/card.ts';
import { CardServiceError, KeyRefused, networkCode, RateLimited, ServiceDown } from '../model/errors.ts';
import type { PlanSetting, QuotaReading } from '../model/quota.ts';
import { publicUrl } from '../render/card-embed.ts';
import { AnswerReader } from '../service/answers.ts';
import { type BulkAnswer, BulkRequests } from '../service/bulk.ts';
import { cardUrl } from '../service/card-service.ts';
import { Source } from '../service/field-source.ts';
import { Requests, type ServiceResponse } from '../service/request.ts';
import { cardIdReader, type ServiceDescription } from '../service/service-description.ts';
import { agree, type CliContext, type Subcommand } from './context.ts';
import { type Checked, checkOffline, type Finding, right, unknown, verdict, wrong } from './offline-checks.ts';

const HELP = `
It reads the same settings as the bot, from the environment and .env, changes nothing, and can run beside the bot.

Each line begins with ✓ (right), ✗ (wrong) or ? (it could not be found out); in JSON "ok" is true, false or null.

With --service it tries the description of a card service alone, on one card: what each field and each row of prices
became, and from where.
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

const PATIENCE_MS = 10_000;

const NO_SUCH_CARD = 'cardbot-check-no-such-card';
/** These are ids of no card, in the forms that ids may have; where an id has several segments, each is one of these. */
const MADE_UP = [NO_SUCH_CARD, '00000000-0000-4000-8000-000000000000', '99999999', 'aaaaaaaa', 'AAAAAAAA'];

/**
 * The ids to try: of a card that the service should have, where one is known, and of one that it should not have, where
 * its answer to that is described. Where the description has an example any id does: a service that says properly that
 * it has no such card is reached.
 */
function idsToTry({ card }: ServiceDescription, known: string | undefined): string[] {
  if (card.example) return [known ?? card.example];
  const { segments = 1 } = Object(card.ids);
  const madeUp = MADE_UP.map((part) => Array(segments).fill(part).join(card.idSeparator)).find(cardIdReader(card));
  return [known, madeUp].filter((id) => id !== undefined);
}

const CARD = 'card service';
const MISSING = 'missing card';
const BULK = 'bulk requests';

/**
 * Whether cards can be looked up, by the bot's own client and reader. Costs one request for each id, and one where cards
 * are listed, a second apart, or less where something is wrong.
 *
 * @param ids as of `idsToTry` @param plan absent: what each field became is found in its place
 */
async function* checkCardService(
  cardService: Config['cardService'],
  [id = NO_SUCH_CARD, ...others]: readonly string[],
  { pauseMs = 1_000 }: CliContext,
  plan?: PlanSetting,
) {
  const { baseUrl, description } = cardService;
  const { list, url, name } = description;
  const [absentId] = others;
  const unread = new Map<string, Finding>();
  const reader = new AnswerReader(description, (field, why) => unread.set(field, unknown(field, why)));
  const stated: QuotaReading[] = [];
  const limiter = { observe: (reading: QuotaReading) => void stated.push(reading) };
  const options = { ...cardService, limiter, log: createLog({ level: 'silent', secrets: [] }) };
  const requests = new Requests(options);
  const ask = (card: string) => requests.send(cardUrl(baseUrl, description, card));
  let [check, asked] = [CARD, id];
  /** What an operator has to put right. */
  const place = (variables = 'CARD_SERVICE_URL and CARD_SERVICE_CARD_PATH') =>
    url
      ? `\`url\`, \`key\`, \`card\`, \`absent\`, \`refused\`, \`fields\` and \`list\` in the description of ${name}`
      : variables;
  const failure = (error: CardServiceError) => {
    const why = networkCode(error.cause) ?? error.message;
    if (error instanceof KeyRefused)
      return wrong('API key', `It lacks or is wrong (${why}). Set CARD_SERVICE_API_KEY.`);
    const isToWait = error instanceof RateLimited || check === BULK;
    const says = `${new URL(baseUrl).host} gives no readable answer for ${asked} at ${description.card.path} (${why}).`;
    const found = (isToWait ? unknown : wrong)(check, `${says} Check ${place()}, or try again later.`);
    const isSilent = error instanceof RateLimited || error instanceof ServiceDown || FORBIDDEN.test(why);
    return isSilent ? { ...found, noAnswer: true as const } : found;
  };
  try {
    const answer = await ask(id);
    const card = reader.cardIn(answer, id);
    const exists = card !== 'noSuchCard';
    const cure = `Name one that it has (--id ID), or check ${place()}`;
    const none = `It says that it has no card ${id}. ${cure}: ${cardUrl(baseUrl, description, id)} was asked.`;
    yield exists ? right(CARD, 'it answers with a card') : unknown(CARD, none);
    if (plan) yield planFinding(plan, description, stated[0]);
    else if (exists) {
      yield* fieldFindings(description, card, stated);
      yield* rowFindings(description, answer, id);
    }
    if (exists && absentId) {
      [check, asked] = [MISSING, absentId];
      await sleep(pauseMs);
      const has = reader.cardIn(await ask(absentId), absentId) !== 'noSuchCard';
      const unsaid = `It answers with a card for ${absentId}, which is none. Check ${place()}.`;
      yield has ? unknown(MISSING, unsaid) : right(MISSING, `it answers, and has no card ${absentId}`);
    }
    check = BULK;
    if (list) {
      await sleep(pauseMs);
      const listed = await new BulkRequests({ ...options, list, reader }).request([id, ...others]);
      yield listFinding(listed, [id, ...others], exists, place('CARD_SERVICE_BULK_PATH'));
    }
  } catch (error) {
    if (!(error instanceof CardServiceError)) throw error;
    yield failure(error);
  }
  yield* unread.values();
}

/** Whether a firewall seems to have refused it. The text of a redirect does not count, because it may lead to anything. */
const FORBIDDEN = /^(?:unexpected answer: )?status 403\b/;

/** The plan in the answer against the plan in the settings. */
function planFinding(
  { plan, plans, requestsPerMinute, burst }: PlanSetting,
  described: ServiceDescription,
  { limit, remaining }: Partial<QuotaReading> = {},
): Finding {
  const check = 'plan';
  if (!described.quota.some(({ per }) => per === 'day')) return right(check, 'the service tells nothing of one');
  const stated = Object.keys(plans).find((name) => limit && plans[name]?.requestsPerDay === limit);
  // Services change what their plans allow, and what is stated is believed, unless it may be that of a custom plan.
  const mayBeCustom = Object.values(described.plans).some(({ custom }) => custom);
  const isToBelieve = limit && (stated || !mayBeCustom);
  const isRight =
    plan === 'auto'
      ? isToBelieve || (requestsPerMinute ?? burst)
      : !limit || stated === plan || described.plans[plan]?.custom;
  const allowed = `${limit?.toLocaleString('en') ?? 'an unstated number of'} requests a day`;
  const left = remaining === undefined ? '' : `, ${remaining.toLocaleString('en')} left`;
  const cure = `It allows ${allowed}, and CARD_SERVICE_PLAN is ${plan}. Write ${stated ?? 'the one that you have'}, or auto with CARD_SERVICE_REQUESTS_PER_MINUTE and CARD_SERVICE_BURST.`;
  return verdict(check, !isRight && cure, `${stated ?? plan}: ${allowed}${left}`);
}

/**
 * What a list says of where cards are listed, of one card or of that and one that should not exist.
 *
 * @param exists whether the lookup of the first has found it
 */
function listFinding(listed: BulkAnswer, ids: readonly string[], exists: boolean, where: string): Finding {
  const [id = ''] = ids;
  const hasOthers = listed.kind === 'listed' && listed.hasOthers;
  if (listed.kind === 'listed' && !hasOthers && listed.cards.has(id)) return right(BULK, 'it lists the card');
  // A service may refuse a whole list for the one that it does not have.
  const mayBeMissing = !exists || (ids.length > 1 && listed.kind === 'tooMany');
  const isUnclear = mayBeMissing && !hasOthers && listed.kind !== 'unusable';
  const why = listed.kind !== 'listed' ? listed.detail : hasOthers ? 'but others' : 'it leaves it out';
  const found = (isUnclear ? unknown : wrong)(
    BULK,
    `It does not list card ${id} (${why}). Check ${where}, or remove it.`,
  );
  return FORBIDDEN.test(why) ? { ...found, noAnswer: true } : found;
}

const LONGEST_SHOWN = 100;

/** What the bot shows of each source of a description, and where that is from. @param stated of each window of the quota */
function* fieldFindings({ fields, prices, quota }: ServiceDescription, card: Card, stated: readonly QuotaReading[]) {
  const { set, game: tcg } = card;
  const [imageUrl, backImageUrl, pageUrl] = [card.imageUrl, card.backImageUrl, card.pageUrl].map(publicUrl);
  const links = { imageUrl, backImageUrl, pageUrl };
  yield* shownOf('fields', fields, { ...card, ...links, tcg, 'set.id': set?.id, 'set.name': set?.name });
  yield* shownOf('prices', { ...prices }, { ...card.prices });
  for (const [at, window] of quota.entries()) {
    const { resetInMs, ...reading } = stated[at] ?? {};
    yield* shownOf(`quota.${window.per}`, window, { ...reading, reset: resetInMs && `in ${resetInMs / 1000} s` });
  }
}

/**
 * What the bot calls each row of prices, and its figures. Each is read as if it were alone, since a card has none of a
 * row without a price, nor of the second of two that are called the same.
 *
 * @param answer with the card of this id
 */
function* rowFindings(description: ServiceDescription, answer: ServiceResponse, id: string) {
  const { prices } = description;
  if (!prices) return;
  const pricesBy = (...rows: typeof prices.rows): Prices => {
    const reader = new AnswerReader({ ...description, prices: { ...prices, rows } });
    return Object(reader.cardIn(answer, id)).prices ?? {};
  };
  for (const [at, row] of prices.rows.entries()) {
    const found = pricesBy(row);
    // Its label depends on the rows beside it.
    const label = found.market && (pricesBy(row, ...prices.rows).label ?? 'no label');
    yield* shownOf('prices.rows', { [at]: new Source(row.at.text) }, { [at]: label });
    yield* shownOf(`prices.rows.${at}`, { ...prices, ...row }, found);
  }
}

/** @param sources beside others of a description @param shown by the names of the sources */
function* shownOf(place: string, sources: object, shown: Readonly<Record<string, unknown>>) {
  for (const [name, source] of Object.entries(sources)) {
    if (!(source instanceof Source)) continue;
    const text = String(shown[name] ?? '').replace(/\p{Cc}/gu, ' ');
    const what = text.slice(0, LONGEST_SHOWN) || 'nothing that the bot can show';
    const from = source.texts.join(' or ') || 'the value itself';
    yield (text ? right : unknown)(`${place}.${name}`, `${what}, from ${from}`);
  }
}

/** Whether Redis can hold the bot's state, and keeps it. Writes one key, which expires within a second. */
async function* checkRedis({ redis }: Partial<Config>) {
  if (!redis) return;
  const check = 'Redis';
  const { messageOf, newClient, settingProblems, tlsCure, whyUnusable } = await import(
    '../storage/redis/connection.ts'
  );
  const { url, keyPrefix } = redis;
  const client = newClient(url).on('error', () => {}); // connect() rejects with it
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
    const asked = fetch(`http://${host}:${http.port}/readyz`, { signal: AbortSignal.timeout(1_000) });
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
