import { SlashCommandBuilder } from '@discordjs/builders';
import {
  ApplicationIntegrationType,
  InteractionContextType,
  PermissionFlagsBits,
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

/** A command for everyone, everywhere. */
export function forEveryone(name: string, description: string): SlashCommandBuilder {
  const command = new SlashCommandBuilder().setName(name).setDescription(description);
  return command.setContexts(...EVERYWHERE).setIntegrationTypes(...ANY_INSTALL);
}

/** A command for those who manage a server that has installed the bot. */
export function forManagers(name: string, description: string): SlashCommandBuilder {
  return forEveryone(name, description)
    .setContexts(InteractionContextType.Guild)
    .setIntegrationTypes(ApplicationIntegrationType.GuildInstall)
    .setDefaultMemberPermissions(PermissionFlagsBits.ManageGuild);
}

/** A command as it is registered when members cannot install the bot for themselves. */
export function withoutUserInstall<Body extends Pick<RESTPostAPIApplicationCommandsJSONBody, 'contexts'>>(
  command: Body,
): Body {
  const contexts = command.contexts?.filter((context) => context !== InteractionContextType.PrivateChannel);
  return { ...command, contexts, integration_types: [ApplicationIntegrationType.GuildInstall] };
}
