import { once } from 'node:events';
import { createServer } from 'node:net';
import { resolve } from 'node:path';
import { type Config, readCardServiceConfig, secretsOf } from '../config/config.ts';
import { isFile } from '../config/description-file.ts';
import type { GatewayInfo } from '../discord/gateway/login.ts';
import { createLog, redaction } from '../log.ts';
import { cardIdReader } from '../model/card-id.ts';
import { CardServiceError, KeyRefused, RateLimited, UnexpectedAnswer } from '../model/errors.ts';
import { type Answer, Source } from '../model/field-source.ts';
import { type PlanSetting, plansOf } from '../model/plan.ts';
import type { QuotaReading } from '../model/quota.ts';
import type { ServiceDescription } from '../model/service-description.ts';
import { publicUrl } from '../render/card-embed.ts';
import { AnswerReader } from '../service/answers.ts';
import { CardService, type CardServiceOptions } from '../service/card-service.ts';
import { type ListAnswer, Lists } from '../service/lists.ts';
import { parseJson } from '../service/request.ts';
import { catalogFolder } from '../storage/state.ts';
import { withTimeout } from '../time/timers.ts';
import { DEFAULT_ID, knownId, madeUpId } from './card-to-try.ts';
import { agree, type CliContext, type Subcommand } from './context.ts';
import { checkOffline, type Finding, right, unknown, wrong, wrongs } from './offline-checks.ts';
import type { Application } from './registration.ts';
import { networkCode } from './request.ts';

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

/**
 * @returns the exit code
 *
 * @throws ConfigError for a description that does not fit, CliFailure where nothing is to be sent
 */
async function report(flags: Flags, context: CliContext): Promise<number> {
  const { json, service } = flags;
  const findings = await (service === undefined ? diagnose(flags, context) : tryDescription(service, flags, context));
  const text = json ? `${JSON.stringify(findings, ['check', 'ok', 'cure'], 2)}\n` : findings.map(line).join('');
  context.stdout.write(text);
  return findings.some(({ ok }) => ok === false) ? 1 : 0;
}

function line({ check, ok, cure, found }: Finding): string {
  const more = ok ? found : cure;
  return `${ok === null ? '?' : ok ? '✓' : '✗'} ${check}${more && ': '}${more}\n`;
}

/** In the order in which it is to be put right. What needs a setting that is faulty is left out. */
async function diagnose({ offline, id }: Flags, context: CliContext): Promise<Finding[]> {
  const { config, findings } = checkOffline(context.env, context.envFile);
  if (!config) return findings;
  if (offline) return [...findings, ...(await checkPort(config))];
  const { cardService, discord, plan, dataDir } = config;
  const cards = cardsToTry(cardService, id, dataDir);
  await agree(`This asks ${costOf(cardService, cards)}`, true, context);
  const found = await Promise.all([
    checkDiscord(discord, context.commands),
    checkCardService(cardService, cards, plan),
    checkRedis(config),
    checkPort(config),
    checkWebhook(config),
  ]);
  return [...findings, ...redacted(found.flat(), secretsOf(config))];
}

/** @throws ConfigError, CliFailure */
async function tryDescription(given: string, { offline, id, yes }: Flags, context: CliContext): Promise<Finding[]> {
  const { env, folder } = context;
  const named = (text = '', from = '') => (isFile(text) ? resolve(from, text) : text);
  const CARD_SERVICE = named(given, folder);
  const cardService = readCardServiceConfig({ ...env, CARD_SERVICE });
  const findings = [right('description', cardService.description.name)];
  if (offline) return findings;
  const cards = cardsToTry(cardService, id);
  const secrets = secretsOf({ cardService, redis: undefined });
  // Whoever wrote a description chose the host, and the key may belong to another.
  const isForeign = secrets.some(Boolean) && CARD_SERVICE !== named(env.CARD_SERVICE);
  const asks = `This asks ${isForeign ? 'with your key ' : ''}${costOf(cardService, cards)}`;
  await agree(asks, yes || !isForeign, context);
  return [...findings, ...redacted(await checkCardService(cardService, cards), secrets)];
}

/** An answer from outside may repeat what it was sent. */
function redacted(findings: readonly Finding[], secrets: readonly (string | undefined)[]): Finding[] {
  const redact = redaction(secrets);
  return findings.map((each) => ({ ...each, cure: redact(each.cure), found: redact(each.found) }));
}

type CardServiceConfig = Config['cardService'];

interface CardsToTry {
  id: string;
  /** Where `id` should exist: one that does not. */
  absentId?: string | undefined;
}

/** @param given the operator's own card @param dataDir where the bot may know one by name */
function cardsToTry(
  { description: { card, isDefault }, scope }: CardServiceConfig,
  given: string | undefined,
  dataDir?: string,
): CardsToTry {
  if (isDefault) return { id: given ?? DEFAULT_ID };
  const known = given ?? (dataDir && knownId(catalogFolder(dataDir, scope), cardIdReader(card)));
  return { id: known ?? madeUpId(card), absentId: known && madeUpId(card) };
}

function costOf({ baseUrl, description }: CardServiceConfig, { absentId }: CardsToTry): string {
  const costs = ['one', 'two', 'three'][Number(Boolean(absentId)) + Number(Boolean(description.list))];
  return `${new URL(baseUrl).host}, which costs ${costs} of today's requests; --offline sends nothing`;
}

/** An error that the bot expects is an answer, too. */
async function typed<T>(work: Promise<T>): Promise<T | CardServiceError> {
  return await work.catch((error: unknown) => {
    if (error instanceof CardServiceError) return error;
    throw error;
  });
}

const CARD = 'card service';
const PATIENCE_MS = 10_000;

/** Whether cards can be looked up, by the bot's own client. @param plan absent: what each field became is found, too */
async function checkCardService(
  cardService: CardServiceConfig,
  { id, absentId }: CardsToTry,
  plan?: PlanSetting,
): Promise<Finding[]> {
  const { description } = cardService;
  const readings: QuotaReading[] = [];
  let answer: Answer = {};
  const options: CardServiceOptions = {
    ...cardService,
    log: createLog({ level: 'silent', secrets: [] }),
    timeoutMs: Math.min(cardService.timeoutMs, PATIENCE_MS),
    limiter: { observe: (reading) => void readings.push(reading) },
    async fetch(...request) {
      const response = await fetch(...request);
      const text = await response.text();
      answer = { headers: response.headers, value: parseJson(text) };
      return new Response(text || null, response);
    },
  };
  const client = new CardService(options);
  const lookUp = (card: string) => typed(client.fetch([card]).then(({ cards }) => cards.get(card)));
  const card = await lookUp(id);
  const isRead = typeof card === 'object' && (!(card instanceof CardServiceError) || card instanceof UnexpectedAnswer);
  const fields = isRead && !plan ? fieldFindings(description, answer, readings) : [];
  if (card instanceof CardServiceError) return [errorFinding(card, cardService), ...fields];
  const exists = card !== 'noSuchCard';
  const findings = [
    exists ? right(CARD, 'it answers with a card') : unknown(CARD, noCard(id, places(description).card)),
    ...fields,
    ...(plan ? [planFinding(readings[0], plan, description)] : []),
  ];
  if (exists && absentId) {
    const absent = await lookUp(absentId);
    const isFault = absent instanceof CardServiceError;
    findings.push(isFault ? errorFinding(absent, cardService) : right(CARD, `it answers, and has no card ${absentId}`));
  }
  const { list } = description;
  if (!list) return findings;
  const reader = new AnswerReader(description);
  const listed = await typed(new Lists({ ...options, list, reader }).request([id]));
  return [...findings, listFinding(listed, { id, exists, description })];
}

/** @param place that may be wrong, since some services answer a wrong path so, too */
function noCard(id: string, place: string): string {
  return `It says that it has no card ${id}. Name one that it has (--id ID), or check ${place}.`;
}

/** What an operator has to put right: variables, or where a description is used, that. */
function places({ isDefault, name }: ServiceDescription) {
  if (isDefault) return { card: 'CARD_SERVICE_URL and CARD_SERVICE_CARD_PATH', list: 'CARD_SERVICE_BULK_PATH' };
  const description = `in the description of ${name}`;
  return { card: `\`url\`, \`card\`, \`absent\` and \`fields\` ${description}`, list: `\`list\` ${description}` };
}

function errorFinding(error: CardServiceError, { baseUrl, description, apiKey }: CardServiceConfig): Finding {
  if (error instanceof KeyRefused) {
    const why = apiKey === undefined ? 'needs a key' : 'does not accept this key';
    return wrong('API key', `The card service ${why}. Set CARD_SERVICE_API_KEY to a current one.`);
  }
  if (error instanceof RateLimited)
    return unknown(CARD, `It asks to wait (${error.message}), so nothing could be checked. Try again later.`);
  const { host } = new URL(baseUrl);
  const why = networkCode(error.cause) ?? error.message;
  const cure = `Check ${places(description).card}, or try again later.`;
  return wrong(CARD, `${host} does not answer ${description.card.path} with a card (${why}). ${cure}`);
}

/** The plan in the answer against the plan in the settings. */
function planFinding(
  { limit, remaining }: Partial<QuotaReading> = {},
  setting: PlanSetting,
  { quota, isDefault }: ServiceDescription,
): Finding {
  const { plan, requestsPerMinute, burst } = setting;
  const isAuto = plan === 'auto';
  const plans = Object.entries(plansOf(setting));
  if (!quota.some(({ per }) => per === 'day')) return right('plan', 'the service tells nothing of one');
  if (limit === undefined) {
    if (!isAuto || requestsPerMinute !== undefined) return right('plan', plan);
    return wrong('plan', `It does not say how many requests a day it allows. Set CARD_SERVICE_PLAN to your plan.`);
  }
  const [stated] = plans.find(([, { requestsPerDay }]) => requestsPerDay === limit) ?? [];
  const perDay = `${limit.toLocaleString('en')} requests a day`;
  const allows = `It allows ${perDay}${stated === undefined ? '' : `, which is the plan ${stated}`}`;
  if (!isAuto && plan !== 'enterprise' && stated !== plan)
    return wrong('plan', `${allows}, and CARD_SERVICE_PLAN is ${plan}. Write auto, or the plan that you have.`);
  // Services change what their plans allow, and what a described one states is believed.
  if (isAuto && isDefault && !stated && (requestsPerMinute ?? burst) === undefined)
    return wrong('plan', `${allows}, as no plan does. Set CARD_SERVICE_REQUESTS_PER_MINUTE and CARD_SERVICE_BURST.`);
  const left = remaining === undefined ? '' : `, ${remaining.toLocaleString('en')} left`;
  return right('plan', `${stated ?? plan}: ${perDay}${left}`);
}

interface Listed {
  id: string;
  exists: boolean;
  description: ServiceDescription;
}

/** What a list of one card says of where cards are listed. */
function listFinding(listed: ListAnswer | CardServiceError, { id, exists, description }: Listed): Finding {
  const check = 'bulk requests';
  if (listed instanceof CardServiceError) return unknown(check, `It failed (${listed.message}). Try again later.`);
  const fault = (why: string) => wrong(check, `${why}. Check ${places(description).list}, or remove it.`);
  const isList = listed.kind === 'listed';
  if (isList && listed.hasOthers)
    return fault('It lists cards that it was not asked for, as if the path named the ids wrongly');
  const card = isList && listed.cards.get(id);
  if (card) return right(check, card === 'noSuchCard' ? 'it says that there is no such card' : 'it lists the card');
  if (!exists && (isList || listed.kind === 'tooMany')) return unknown(check, noCard(id, places(description).list));
  return fault(`It does not list the card (${isList ? 'it leaves it out' : listed.detail})`);
}

const LONGEST_SHOWN = 100;

/**
 * What the bot made of each source of a description in the answer to the lookup of a card, and which path led there.
 */
function fieldFindings(
  description: ServiceDescription,
  { value: body, headers }: Answer,
  readings: readonly QuotaReading[],
): Finding[] {
  const { fields, prices, quota, none } = description;
  const unread: Finding[] = [];
  const reader = new AnswerReader(description, (field, why) => unread.push(unknown(field, why)));
  const [value] = [reader.foundIn(body)].flat();
  const card = reader.read(value);
  if (card instanceof UnexpectedAnswer) return unread;
  const { set, game: tcg } = card;
  const addresses = { imageUrl: publicUrl(card.imageUrl), pageUrl: publicUrl(card.pageUrl) };
  const shown = { ...card, ...addresses, tcg, 'set.id': set?.id, 'set.name': set?.name };
  const { rows = [], ...figures } = prices ?? {};
  const found = rows.flatMap((path) => [...path.valuesIn(value)].map((row) => ({ path, value: row, none })));
  const row = found.find((each) => Number(prices?.market.textIn(each)) === card.prices?.market) ?? found[0];
  return [
    ...sourceFindings('fields', fields, shown, { value, none }),
    ...sourceFindings('prices', figures, { ...card.prices }, row ?? {}, ` in ${(row?.path ?? rows[0])?.text}`),
    ...quota.flatMap(({ per, ...sources }) => {
      const { resetInMs, ...reading } = readings.find((each) => (each.per ?? 'day') === per) ?? {};
      const reset = resetInMs === undefined ? undefined : `in ${Math.round(resetInMs / 1000)} s`;
      return sourceFindings(`quota.${per}`, sources, { ...reading, reset }, { value: body, headers });
    }),
  ];
}

/** @param shown what the bot shows, by the names of the sources @param within where `answer` is a part of another */
function sourceFindings(
  place: string,
  sources: Readonly<Record<string, Source | undefined>>,
  shown: Readonly<Record<string, unknown>>,
  answer: Answer,
  within = '',
): Finding[] {
  return Object.entries(sources).flatMap(([name, source]) => {
    if (source === undefined) return [];
    const path = source.texts.find((text) => new Source(text).textIn(answer) !== undefined);
    const from = `${(path ?? source.texts.join(', ')) || 'the value itself'}${within}`;
    const text = printed(shown[name] ?? source.textIn(answer));
    if (shown[name] !== undefined) return right(`${place}.${name}`, `${text}, from ${from}`);
    const why = path === undefined ? `nothing at ${from}` : `the bot cannot use ${text}, from ${from}`;
    return unknown(`${place}.${name}`, why);
  });
}

function printed(value: unknown): string {
  return String(value)
    .replace(/\p{Cc}/gu, ' ')
    .slice(0, LONGEST_SHOWN);
}

const TOKEN = 'Discord token';
/** Commands left over from a trial in a server of one's own are found in these; a trial rarely has more. */
const SEARCHED_GUILDS = 20;

/** Whether members can use the bot in Discord. Costs some ten requests to Discord, and no login. */
async function checkDiscord(discord: Config['discord'], given: CliContext['commands']): Promise<Finding[]> {
  // Loaded when it is needed: discord.js takes most of a run.
  const tools = await import('./registration.ts');
  const registration = new tools.Registration(discord);
  const findings: Finding[] = [];
  let id: string | undefined;
  let guilds: { id: string; name: string }[] = [];
  const attempt = async (check: string, work: () => Promise<Finding[]>) => {
    try {
      findings.push(...(await work()));
    } catch (error) {
      const why = tools.explainFailure(error, discord.apiUrl);
      if (why === undefined) throw error;
      const says = tools.failureSays(error);
      // What fails after Discord was reached could not be found out.
      const isWrong = says === 'what is wrong' || (says === 'nothing' && id === undefined);
      findings.push(isWrong ? wrong(check, why) : unknown(check, why));
    }
  };
  await attempt(TOKEN, async () => {
    const application = await registration.application();
    id = application.id;
    return [right(TOKEN, `${application.name} (${id})`), ...applicationFaults(application, discord.hasUserInstall)];
  });
  if (id === undefined) return findings;
  const application = id;
  await attempt('invite', async () => {
    guilds = await registration.guilds();
    if (guilds.length > 0)
      return [right('invite', `in ${guilds.length === 1 ? guilds[0]?.name : `${guilds.length} servers`}`)];
    const link = tools.inviteLink(application);
    return [wrong('invite', `The bot is in no server. Open this link to add it to one: ${link}`)];
  });
  await attempt('commands', async () => {
    const local = given ?? (await import('../../commands/index.ts')).declarations(discord.hasUserInstall);
    const registered = await registration.commands(application, undefined);
    const { added, removed, changed } = tools.diffCommands(local, registered, undefined);
    const shown = (names: readonly string[]) => names.map(tools.shownCommand).join(', ');
    const names = (listed: readonly { name: string }[]) => shown(listed.map(({ name }) => name));
    const differing = shown([...added, ...removed, ...changed]);
    const differ = `Those at Discord are not those of this version (${differing}). Run: npm run commands -- register`;
    const doubled = guilds.slice(0, SEARCHED_GUILDS).map(async (guild) => {
      const own = await registration.commands(application, guild.id).catch(() => []); // without access there are none
      const twice = own.filter((each) => registered.some(({ type, name }) => type === each.type && name === each.name));
      const why = `Members of ${guild.name} see these twice, since the server has its own, too: ${names(twice)}.`;
      return twice.length > 0 ? wrong('commands', `${why} Run: npm run commands -- clear --guild ${guild.id}`) : [];
    });
    const global = differing === '' ? right('commands', names(local)) : wrong('commands', differ);
    return [global, ...(await Promise.all(doubled)).flat()];
  });
  await attempt('gateway', async () => gatewayFindings(await registration.gateway(), discord.shards));
  return findings;
}

/** Discord's number of it. */
const USER_INSTALL = '1';

/** Settings in the Developer Portal with which the bot cannot work. */
function applicationFaults(application: Application, hasUserInstall: boolean): Finding[] {
  const { interactions_endpoint_url: endpoint, integration_types_config: installs } = application;
  return wrongs('application', [
    endpoint &&
      `Discord sends the commands to ${endpoint} and not to this bot. Remove the Interactions Endpoint URL in the Developer Portal.`,
    application.bot_require_code_grant &&
      'The invite link cannot work while Requires OAuth2 Code Grant is on. Switch it off in the Developer Portal, Bot.',
    hasUserInstall &&
      installs &&
      !(USER_INSTALL in installs) &&
      'Members cannot install the bot for themselves. Run: npm run commands -- register, or set USER_INSTALL_DAILY_REQUESTS=0.',
  ]);
}

/** @param shards of this process */
async function gatewayFindings(
  { url, shards: recommended, session_start_limit: limit }: GatewayInfo,
  shards: Config['discord']['shards'],
): Promise<Finding[]> {
  const isAuto = shards === 'auto';
  const isSpent = limit.remaining < (isAuto ? recommended : shards.ids.length);
  const until = new Date(Date.now() + limit.reset_after).toISOString();
  const faults = [
    ...wrongs('gateway', [
      isSpent &&
        `Discord's daily login limit is reached: the bot can connect again at ${until}. Look in the log for what made it restart so often.`,
    ]),
    ...wrongs('DISCORD_SHARD_COUNT', [
      !isAuto &&
        shards.count < recommended &&
        `Discord recommends ${recommended} shards. Set that many, and divide them among the processes with DISCORD_SHARDS.`,
    ]),
  ];
  if (faults.length > 0) return faults;
  if (await greets(url)) return [right('gateway', 'it answers')];
  const silent = `${new URL(url).host} does not answer, although Discord's API does.`;
  return [wrong('gateway', `${silent} Allow WebSocket connections to it in the firewall or the proxy.`)];
}

/**
 * Whether Discord's gateway greets who connects. Ends before the login, so it costs none of the day's and does not
 * disturb a bot that is running.
 */
async function greets(url: string): Promise<boolean> {
  const socket = new WebSocket(`${url}?v=10&encoding=json`);
  const isGreeted = await withTimeout(PATIENCE_MS, once(socket, 'message')).catch(() => undefined);
  socket.close();
  return isGreeted !== undefined;
}

const REDIS_CHECK = 'Redis';

/** Whether Redis can hold the bot's state, and keeps it. Writes one key, which expires within a second. */
async function checkRedis({ redis }: Config): Promise<Finding[]> {
  if (!redis) return [];
  const { url, keyPrefix } = redis;
  const { newClient, settingProblems, tlsCure, whyUnusable } = await import('../storage/redis/client.ts');
  const client = newClient(url).on('error', () => {}); // connect() rejects with it
  const { host } = new URL(url);
  const ask = async (): Promise<Finding[]> => {
    await client.connect();
    const unusable = await whyUnusable(client);
    if (unusable !== undefined) return [wrong(REDIS_CHECK, unusable)];
    await client.set(`${keyPrefix}:doctor`, '1', { expiration: { type: 'PX', value: 1_000 } });
    const info = await client.info().catch(() => undefined);
    if (info === undefined) return [right(REDIS_CHECK, host), unknown('Redis settings', NO_INFO)];
    const problems = settingProblems(info).map((problem) => wrong(REDIS_CHECK, problem));
    return problems.length > 0 ? problems : [right(REDIS_CHECK, host)];
  };
  try {
    const found = await withTimeout(PATIENCE_MS, ask());
    if (found) return found;
    throw new Error('no answer in time');
  } catch (error) {
    const why = networkCode(error) ?? (error instanceof Error ? error.message : String(error));
    const cure = `Check REDIS_URL: host, port, user and password; ${tlsCure(url)}. The rights that its user needs are in docs/more-processes.md.`;
    return [wrong(REDIS_CHECK, `${host} cannot be used (${why}). ${cure}`)];
  } finally {
    client.destroy();
  }
}

const NO_INFO =
  'Redis refuses INFO, so whether it keeps deferred replies over a restart is not known. Allow its user +info, or look at appendonly and maxmemory-policy yourself.';

const PORT_CHECK = 'HTTP_PORT';

/**
 * Whether the bot can serve its metrics there: listens for a moment. If it runs and serves them, that is right, too.
 */
async function checkPort({ http, discord: { botId } }: Config): Promise<Finding[]> {
  if (!http || http.port === 0) return [];
  const { host, port } = http;
  const server = createServer();
  const failure: unknown = await once(server.listen(port, host), 'listening').then(
    () => undefined,
    (error) => error,
  );
  server.close();
  if (failure === undefined) return [right(PORT_CHECK, `${host}:${port} is free`)];
  const code = networkCode(failure);
  if (code === 'EACCES') return [wrong(PORT_CHECK, `This user cannot use port ${port}. Set 1024 or higher.`)];
  if (code !== 'EADDRINUSE')
    return [
      wrong('HTTP_HOST', `${host} is not an address of this machine (${code}). Set 127.0.0.1, or 0.0.0.0 for all.`),
    ];
  if ((await servedAt(host, port)) === botId) return [right(PORT_CHECK, `the running bot serves ${host}:${port}`)];
  return [wrong(PORT_CHECK, `Another program or bot uses ${host}:${port}. Set a free port, or stop that program.`)];
}

/** The application id of the bot that answers there. */
async function servedAt(host: string, port: number): Promise<string | null | undefined> {
  const local = { '0.0.0.0': '127.0.0.1', '::': '::1' }[host] ?? host;
  const address = local.includes(':') ? `[${local}]` : local;
  const answer = await fetch(`http://${address}:${port}/readyz`, { signal: AbortSignal.timeout(PATIENCE_MS) }).catch(
    () => undefined,
  );
  return answer?.headers.get('X-Application-Id');
}

/**
 * Whether alerts would arrive: reads the webhook and writes nothing. Shows nothing of its address, which is a secret.
 */
async function checkWebhook({ alertWebhookUrl }: Config): Promise<Finding[]> {
  if (!alertWebhookUrl) return [];
  const ALERTS = 'alerts';
  try {
    const answer = await fetch(alertWebhookUrl, { redirect: 'manual', signal: AbortSignal.timeout(PATIENCE_MS) });
    const { status } = answer;
    const body: unknown = parseJson(await answer.text());
    // Discord's "Webhook Structure", as far as it tells one.
    if (status === 200 && typeof body === 'object' && body && 'id' in body && 'type' in body)
      return [right(ALERTS, 'the webhook is there')];
    if (status === 408 || status === 429 || status >= 500)
      return [
        unknown(ALERTS, `Discord answers with status ${status}, so whether ALERT_WEBHOOK_URL is right is not known.`),
      ];
    const cure =
      "Make one in the channel's settings (Integrations, Webhooks), and set ALERT_WEBHOOK_URL to its address.";
    return [wrong(ALERTS, `What answers is no webhook of Discord (status ${status}). ${cure}`)];
  } catch (error) {
    const code = networkCode(error);
    if (code === undefined) throw error;
    return [wrong(ALERTS, `The webhook cannot be reached (${code}). Check ALERT_WEBHOOK_URL and the connection.`)];
  }
}
