import type { Config } from '../config/config.ts';
import { diffCommands, isSame, type LocalCommand } from '../registration/command-diff.ts';
import { doubledCommands } from '../registration/doubled-commands.ts';
import { explainFailure } from '../registration/failure.ts';
import { type Application, type Gateway, type Named, Registration } from '../registration/registration.ts';
import { shownCommand } from '../registration/shown-command.ts';
import { type Finding, right, wrong } from './finding.ts';
import { greets } from './gateway-greeting.ts';

/** A trial in a server of one's own is found in these; a trial rarely has more. */
const SEARCHED_GUILDS = 20;

/** Whether members can use the bot in Discord. Costs some ten requests to Discord, and no login. */
export async function checkDiscord(discord: Config['discord'], commands: readonly LocalCommand[]): Promise<Finding[]> {
  const registration = new Registration(discord);
  const { apiUrl } = discord;
  const attempt = async (check: string, work: () => Promise<Finding[]>, applicationId?: string) => {
    try {
      return await work();
    } catch (error) {
      const sentNames: string[] = [];
      const why = explainFailure(error, { guildId: undefined, apiUrl, applicationId, sentNames });
      if (why === undefined) throw error;
      return [wrong(check, why)];
    }
  };
  let application: Application | undefined;
  const token = await attempt('Discord token', async () => {
    application = await registration.application();
    return [right('Discord token', `${application.name} (${application.id})`), ...applicationFaults(application)];
  });
  if (application === undefined) return token;
  const { id } = application;
  const guilds = await registration.guilds().catch(() => []);
  return [
    ...token,
    inviteFinding(id, guilds),
    ...(await attempt('commands', () => commandFindings(registration, id, guilds, commands), id)),
    ...(await attempt('gateway', async () => gatewayFindings(await registration.gateway(), discord.shards), id)),
  ];
}

/** Settings in the Developer Portal with which the bot cannot work. */
export function applicationFaults(application: Application): Finding[] {
  const portal = `https://discord.com/developers/applications/${application.id}`;
  return [
    application.interactions_endpoint_url
      ? [
          wrong(
            'application',
            `Discord sends the commands to ${application.interactions_endpoint_url} and not to this bot. Remove the Interactions Endpoint URL: ${portal}/information`,
          ),
        ]
      : [],
    application.bot_require_code_grant
      ? [
          wrong(
            'application',
            `The invite link cannot work while Requires OAuth2 Code Grant is on. Switch it off: ${portal}/bot`,
          ),
        ]
      : [],
  ].flat();
}

export function inviteFinding(applicationId: string, guilds: readonly Named[]): Finding {
  const link = `https://discord.com/oauth2/authorize?client_id=${applicationId}&scope=bot+applications.commands&permissions=0`;
  if (guilds.length === 0) return wrong('invite', `The bot is in no server. Open this link to add it to one: ${link}`);
  const [first] = guilds;
  return right('invite', guilds.length === 1 ? `in the server ${first?.name}` : `in ${guilds.length} servers`);
}

async function commandFindings(
  registration: Registration,
  applicationId: string,
  guilds: readonly Named[],
  commands: readonly LocalCommand[],
): Promise<Finding[]> {
  const differs = async (guildId: string | undefined) => {
    const diff = diffCommands(commands, await registration.commands(applicationId, guildId), guildId);
    return isSame(diff) ? undefined : diff;
  };
  const diff = await differs(undefined);
  if (diff === undefined) {
    const names = commands.map(({ name }) => name);
    const doubles = await doubledCommands(registration, applicationId, undefined, names);
    return [
      right('commands', names.map(shownCommand).join(', ')),
      ...doubles.map((double) => wrong('commands', double)),
    ];
  }
  for (const { id, name } of guilds.slice(0, SEARCHED_GUILDS)) {
    const isThere = await differs(id)
      .then((found) => found === undefined)
      .catch(() => false);
    if (isThere) return [right('commands', `in the server ${name} only`)];
  }
  const named = [...diff.added, ...diff.removed, ...diff.changed].map(({ name }) => shownCommand(name)).join(', ');
  return [
    wrong(
      'commands',
      `The commands at Discord differ from those of this version of the bot (${named}). Run: npm run commands -- register`,
    ),
  ];
}

/** @param shards of this process */
async function gatewayFindings(gateway: Gateway, shards: Config['discord']['shards']): Promise<Finding[]> {
  const faults = gatewayFaults(gateway, shards, Date.now());
  if (faults.length > 0) return faults;
  return (await greets(gateway.url))
    ? [right('gateway', 'it answers')]
    : [
        wrong(
          'gateway',
          `${new URL(gateway.url).host} does not answer, although Discord's API does. Allow WebSocket connections to it in the firewall or the proxy.`,
        ),
      ];
}

export function gatewayFaults(
  { shards: recommended, session_start_limit: limit }: Gateway,
  shards: Config['discord']['shards'],
  nowMs: number,
): Finding[] {
  const needed = shards === 'auto' ? recommended : shards.ids.length;
  const until = new Date(nowMs + limit.reset_after).toISOString();
  return [
    limit.remaining < needed
      ? [
          wrong(
            'gateway',
            `Discord's daily login limit is reached: the bot can connect again at ${until}. Look in the log for what made it restart so often.`,
          ),
        ]
      : [],
    shards !== 'auto' && shards.count < recommended
      ? [
          wrong(
            'DISCORD_SHARD_COUNT',
            `Discord recommends ${recommended} shards. Set that many, and divide them among the processes with DISCORD_SHARDS.`,
          ),
        ]
      : [],
  ].flat();
}
