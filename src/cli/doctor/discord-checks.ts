import type { Config } from '../../config/config.ts';
import type { LocalCommand } from '../commands/command-diff.ts';
import { explainFailure, failureSays } from '../commands/failure.ts';
import { type Application, type Gateway, type Named, Registration } from '../commands/registration.ts';
import { inviteLink } from '../commands/report.ts';
import { type Attempt, commandFindings } from './command-check.ts';
import { type Finding, right, unknown, wrong } from './finding.ts';

/** For the gateway to greet. */
const PATIENCE_MS = 10_000;

/** Whether members can use the bot in Discord. Costs some ten requests to Discord, and no login. */
export async function checkDiscord(discord: Config['discord'], commands: readonly LocalCommand[]): Promise<Finding[]> {
  const registration = new Registration(discord);
  const { apiUrl } = discord;
  let application: Application | undefined;
  let guilds: readonly Named[] | undefined;
  const attempt: Attempt = async (check, work) => {
    try {
      return await work();
    } catch (error) {
      const applicationId = application?.id;
      const why = explainFailure(error, { guildId: undefined, apiUrl, applicationId, sentNames: [] });
      if (why === undefined) throw error;
      return [failureFinding(check, why, failureSays(error), application !== undefined)];
    }
  };
  const token = await attempt('Discord token', async () => {
    application = await registration.application();
    return [right('Discord token', `${application.name} (${application.id})`), ...applicationFaults(application)];
  });
  if (application === undefined) return token;
  const { id } = application;
  const ofGateway = attempt('gateway', async () => gatewayFindings(await registration.gateway(), discord.shards));
  const invite = await attempt('invite', async () => {
    guilds = await registration.guilds();
    return [inviteFinding(id, guilds)];
  });
  const registered = await attempt('commands', () => commandFindings({ registration, id, guilds, commands, attempt }));
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

/** Settings in the Developer Portal with which the bot cannot work. */
export function applicationFaults(application: Application): Finding[] {
  const portal = `https://discord.com/developers/applications/${application.id}`;
  const endpoint = application.interactions_endpoint_url;
  const faults: string[] = [];
  if (endpoint)
    faults.push(
      `Discord sends the commands to ${endpoint} and not to this bot. Remove the Interactions Endpoint URL: ${portal}/information`,
    );
  if (application.bot_require_code_grant)
    faults.push(`The invite link cannot work while Requires OAuth2 Code Grant is on. Switch it off: ${portal}/bot`);
  return faults.map((fault) => wrong('application', fault));
}

export function inviteFinding(applicationId: string, guilds: readonly Named[]): Finding {
  if (guilds.length === 0)
    return wrong('invite', `The bot is in no server. Open this link to add it to one: ${inviteLink(applicationId)}`);
  const [first] = guilds;
  return right('invite', guilds.length === 1 ? `in the server ${first?.name}` : `in ${guilds.length} servers`);
}

/** @param shards of this process */
async function gatewayFindings(gateway: Gateway, shards: Config['discord']['shards']): Promise<Finding[]> {
  const faults = gatewayFaults(gateway, shards, Date.now());
  if (faults.length > 0) return faults;
  if (await greets(gateway.url)) return [right('gateway', 'it answers')];
  const silent = `${new URL(gateway.url).host} does not answer, although Discord's API does.`;
  return [wrong('gateway', `${silent} Allow WebSocket connections to it in the firewall or the proxy.`)];
}

export function gatewayFaults(
  { shards: recommended, session_start_limit: limit }: Gateway,
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
  socket.addEventListener('error', () => resolve(false));
  socket.addEventListener('close', () => resolve(false));
  return promise.finally(() => {
    clearTimeout(timer);
    socket.close();
  });
}
