import {
  ApplicationIntegrationType,
  InteractionContextType,
  type RESTPostAPIApplicationCommandsJSONBody,
} from 'discord.js';

/** For `setContexts`: servers, direct messages with the bot, and those of others with each other. */
export const EVERYWHERE = [
  InteractionContextType.Guild,
  InteractionContextType.BotDM,
  InteractionContextType.PrivateChannel,
] as const;

/** For `setIntegrationTypes`: where a server has installed the bot, and where a member brings it along. */
export const ANY_INSTALL = [ApplicationIntegrationType.GuildInstall, ApplicationIntegrationType.UserInstall] as const;

/** A command as it is registered when members cannot install the bot for themselves. */
export function withoutUserInstall<Body extends Pick<RESTPostAPIApplicationCommandsJSONBody, 'contexts'>>(
  command: Body,
): Body {
  const contexts = command.contexts?.filter((context) => context !== InteractionContextType.PrivateChannel);
  return { ...command, contexts, integration_types: [ApplicationIntegrationType.GuildInstall] };
}
