import type { Config } from '../../config/config.ts';
import type { GatewayInfo } from '../../discord/gateway/login.ts';
import { httpDateMs } from '../../service/rate-limit-headers.ts';
import {
  type Application,
  explainFailure,
  failureSays,
  inviteLink,
  type LocalCommand,
  Registration,
} from '../commands.ts';
import { inspect, isAnswer } from '../request.ts';
import { commandFindings } from './command-check.ts';
import { type Finding, note, right, unknown, wrong } from './finding.ts';

/** For the gateway to greet, and for a request. */
const PATIENCE_MS = 10_000;

/** Whether members can use the bot in Discord. Costs some ten requests to Discord, and no login. */
export async function checkDiscord(discord: Config['discord'], commands: readonly LocalCommand[]): Promise<Finding[]> {
  const registration = new Registration(discord);
  const { apiUrl, shards } = discord;
  let application: Application | undefined;
  let guilds: readonly Named[] | undefined;
  const attempt = async (check: string, work: () => Promise<Finding[]>) => {
    try {
      return await work();
    } catch (error) {
      const why = explainFailure(error, apiUrl);
      if (why === undefined) throw error;
      return [failureFinding(check, why, failureSays(error), application !== undefined)];
    }
  };
  const token = await attempt('Discord token', async () => {
    application = await registration.application();
    return [
      right('Discord token', `${application.name} (${application.id})`),
      ...applicationFaults(application, discord.hasUserInstall),
      ...policyNotes(application),
    ];
  });
  if (application === undefined) return token;
  const { id } = application;
  const ofGateway = attempt('gateway', async () => gatewayFindings(await registration.gateway(), shards));
  const invite = await attempt('invite', async () => {
    guilds = await registration.guilds();
    return [inviteFinding(id, guilds)];
  });
  const registered = await attempt('commands', () => commandFindings(registration, { id, guilds, commands }));
  return [...token, ...invite, ...registered, ...(await ofGateway)];
}

/** @param isReached whether Discord has answered before: what fails later could not be found out */
export function failureFinding(
  check: string,
  why: string,
  says: ReturnType<typeof failureSays>,
  isReached: boolean,
): Finding {
  return says === 'what is wrong' || (says === 'nothing' && !isReached) ? wrong(check, why) : unknown(check, why);
}

/** Discord's number of it. */
const USER_INSTALL = '1';

/** Settings in the Developer Portal with which the bot cannot work. */
export function applicationFaults(application: Application, hasUserInstall: boolean): Finding[] {
  const { id, interactions_endpoint_url: endpoint, integration_types_config: installs } = application;
  const faults = [
    endpoint &&
      `Discord sends the commands to ${endpoint} and not to this bot. Remove the Interactions Endpoint URL: ${portalPage(id, 'information')}`,
    application.bot_require_code_grant &&
      `The invite link cannot work while Requires OAuth2 Code Grant is on. Switch it off: ${portalPage(id, 'bot')}`,
    hasUserInstall &&
      installs &&
      !(USER_INSTALL in installs) &&
      'Members cannot install the bot for themselves. Run: npm run commands -- register, or set USER_INSTALL_DAILY_REQUESTS=0.',
  ];
  return faults.flatMap((fault) => (fault ? wrong('application', fault) : []));
}

function portalPage(applicationId: string, page: 'information' | 'bot'): string {
  return `https://discord.com/developers/applications/${applicationId}/${page}`;
}

type Named = Record<'id' | 'name', string>;

/** What Discord asks for before it verifies a bot, which it may from 75 servers on, and has to be beyond 100. */
export function policyNotes({ id, terms_of_service_url, privacy_policy_url }: Application): Finding[] {
  const links = { 'Terms of Service URL': terms_of_service_url, 'Privacy Policy URL': privacy_policy_url };
  const lacking = Object.entries(links).flatMap(([name, link]) => (link ? [] : name));
  if (lacking.length === 0) return [];
  const why = `From 75 servers on Discord verifies a bot, and wants to see its ${lacking.join(' and its ')} first.`;
  return [note('application', `${why} docs/policies.md has templates; enter them at ${portalPage(id, 'information')}`)];
}

export function inviteFinding(applicationId: string, guilds: readonly Named[]): Finding {
  const [first] = guilds;
  if (first === undefined)
    return wrong('invite', `The bot is in no server. Open this link to add it to one: ${inviteLink(applicationId)}`);
  return right('invite', guilds.length === 1 ? `in the server ${first.name}` : `in ${guilds.length} servers`);
}

/** @param shards of this process */
async function gatewayFindings(gateway: GatewayInfo, shards: Config['discord']['shards']): Promise<Finding[]> {
  const faults = gatewayFaults(gateway, shards, Date.now());
  if (faults.length > 0) return faults;
  if (await greets(gateway.url)) return [right('gateway', 'it answers')];
  const silent = `${new URL(gateway.url).host} does not answer, although Discord's API does.`;
  return [wrong('gateway', `${silent} Allow WebSocket connections to it in the firewall or the proxy.`)];
}

export function gatewayFaults(
  { shards: recommended, session_start_limit: limit }: GatewayInfo,
  shards: Config['discord']['shards'],
  nowMs: number,
): Finding[] {
  const faults: Finding[] = [];
  if (limit.remaining < (shards === 'auto' ? recommended : shards.ids.length)) {
    const until = new Date(nowMs + limit.reset_after).toISOString();
    const reached = `Discord's daily login limit is reached: the bot can connect again at ${until}.`;
    faults.push(wrong('gateway', `${reached} Look in the log for what made it restart so often.`));
  }
  if (shards !== 'auto' && shards.count < recommended) {
    const cure = 'Set that many, and divide them among the processes with DISCORD_SHARDS.';
    faults.push(wrong('DISCORD_SHARD_COUNT', `Discord recommends ${recommended} shards. ${cure}`));
  }
  return faults;
}

/**
 * Whether Discord's gateway greets who connects. Ends before the login, so it costs none of the day's and does not
 * disturb a bot that is running.
 */
function greets(url: string): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const socket = new WebSocket(`${url}?v=10&encoding=json`);
  const timer = setTimeout(() => resolve(false), PATIENCE_MS);
  socket.addEventListener('message', () => resolve(true));
  for (const name of ['error', 'close']) socket.addEventListener(name, () => resolve(false));
  return promise.finally(() => {
    clearTimeout(timer);
    socket.close();
  });
}

/** Times that members read are by the minute. */
const MOST_AHEAD_MS = 30_000;

/** This machine's clock against Discord's. Costs a request to Discord, which needs no token. */
export async function checkClock(apiUrl: string): Promise<Finding[]> {
  const answer = await inspect(new URL(`${apiUrl}/v10/gateway`), { timeoutMs: PATIENCE_MS });
  const dateMs = isAnswer(answer) ? httpDateMs(answer.headers.get('date') ?? '') : undefined;
  if (isAnswer(answer) && dateMs !== undefined) return [clockFinding(dateMs, answer.sentAtMs, answer.receivedAtMs)];
  return [unknown('clock', "Discord did not tell the time, so this machine's clock could not be compared with it.")];
}

/** @param dateMs what the other clock showed, in whole seconds, at some time between the two others */
export function clockFinding(dateMs: number, sentAtMs: number, receivedAtMs: number): Finding {
  const aheadMs = sentAtMs > dateMs + 1_000 ? sentAtMs - dateMs - 1_000 : Math.min(0, receivedAtMs - dateMs);
  if (Math.abs(aheadMs) <= MOST_AHEAD_MS) return right('clock');
  const is = `${Math.round(Math.abs(aheadMs) / 1000)} s ${aheadMs > 0 ? 'fast' : 'slow'}`;
  const why = `This machine's clock is ${is}, so members read wrong times.`;
  return wrong('clock', `${why} Turn on time synchronisation: timedatectl set-ntp true`);
}
