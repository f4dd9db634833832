import { MessageFlags, MessageType } from 'discord-api-types/v10';

import type { Conversation } from './conversation.ts';
import { snowflakeTimeMs } from './snowflake.ts';
import { apiUser, botUser, type World } from './world.ts';

/** One of the bot's messages as Discord returns it; resources/message, "Message Structure". */
export function apiMessage(conversation: Conversation, messageId: string, world: World): object {
  const { id, reply, ephemeral, edited } = conversation.sent(messageId);
  const { interactionId, member, guildId } = conversation.message;
  const loading = conversation.phase === 'thinking';
  return {
    id,
    type: MessageType.ChatInputCommand,
    channel_id: conversation.channelId,
    author: botUser(world),
    content: reply.content,
    embeds: reply.embeds,
    components: reply.components,
    attachments: [],
    mentions: [],
    mention_roles: [],
    mention_everyone: false,
    pinned: false,
    tts: false,
    timestamp: new Date(snowflakeTimeMs(id)).toISOString(),
    edited_timestamp: edited ? new Date().toISOString() : null,
    flags: (ephemeral ? MessageFlags.Ephemeral : 0) | (loading ? MessageFlags.Loading : 0),
    application_id: world.applicationId,
    webhook_id: world.applicationId,
    interaction_metadata: {
      id: interactionId,
      type: 2,
      user: apiUser(member),
      authorizing_integration_owners: { 0: guildId ?? '0' },
      name: conversation.commandName,
    },
  };
}

/** What a callback with `with_response=true` is answered with. */
export function callbackResponse(conversation: Conversation, type: number, world: World): object {
  const { interactionId, messageId, ephemeral } = conversation.message;
  return {
    interaction: {
      id: interactionId,
      type: 2,
      response_message_id: messageId,
      response_message_loading: conversation.phase === 'thinking',
      response_message_ephemeral: ephemeral,
    },
    resource: { type, message: apiMessage(conversation, '@original', world) },
  };
}
