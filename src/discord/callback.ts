import { type CommandInteraction, InteractionResponseType, MessageFlags, Routes } from 'discord.js';
import type { Message } from './command.ts';
import { NO_MENTIONS } from './replies.ts';

/** The first answer. @throws what discord.js' REST client throws */
export async function reply(interaction: CommandInteraction, message: Message, isPrivate: boolean): Promise<void> {
  const data = { ...message, allowed_mentions: NO_MENTIONS, ...flags(isPrivate) };
  await callBack(interaction, { type: InteractionResponseType.ChannelMessageWithSource, data });
}

/** "thinking…". @throws what discord.js' REST client throws */
export async function defer(interaction: CommandInteraction, isPrivate: boolean): Promise<void> {
  await callBack(interaction, {
    type: InteractionResponseType.DeferredChannelMessageWithSource,
    data: flags(isPrivate),
  });
}

// Not the interaction's own reply(): that renames each key of an embed that has Discord's names already, which takes
// a third of the time that an answer from the cache does.
function callBack({ client, id, token }: CommandInteraction, body: object): Promise<unknown> {
  return client.rest.post(Routes.interactionCallback(id, token), { auth: false, body });
}

function flags(isPrivate: boolean): { flags?: MessageFlags } {
  return isPrivate ? { flags: MessageFlags.Ephemeral } : {};
}
