import { ApplicationCommandType, type Interaction, PermissionsBitField } from 'discord.js';

type Kind = 'slash' | 'message' | 'user' | 'autocomplete' | 'button' | 'select' | 'modal';

/**
 * An interaction as far as the bot reads it; discord.js makes one only from what a client has received.
 *
 * @param name of the command, or the custom id
 */
export function interaction(kind: Kind, name: string, more: object = {}): Interaction {
  const isCommand = kind === 'slash' || kind === 'message' || kind === 'user';
  const facts = {
    ...{ id: '11', applicationId: '1000', token: 'token', user: { id: 'alice' }, guildId: 'guild', locale: 'en-US' },
    authorizingIntegrationOwners: { guildId: 'guild' },
    message: { interactionMetadata: null },
    options: { data: [] },
    memberPermissions: new PermissionsBitField('ManageGuild'),
    commandType: { slash: ApplicationCommandType.ChatInput, message: ApplicationCommandType.Message }[String(kind)],
    isChatInputCommand: () => kind === 'slash',
    isMessageContextMenuCommand: () => kind === 'message',
    isCommand: () => isCommand,
    isAutocomplete: () => kind === 'autocomplete',
    isModalSubmit: () => kind === 'modal',
    isAnySelectMenu: () => kind === 'select',
    ...(isCommand || kind === 'autocomplete' ? { commandName: name } : { customId: name }),
    ...more,
  };
  return facts as unknown as Interaction;
}
