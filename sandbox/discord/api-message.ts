import { ComponentType, MessageFlags, MessageType } from 'discord-api-types/v10';
import { standingFiles } from './attachment-links.ts';
import type { Trigger } from './chat.ts';
import type { Row } from './components.ts';
import type { HeldMessage } from './conversation.ts';
import { snowflakeTimeMs } from './snowflake.ts';
import { botUser, type World } from './world.ts';

const TYPES: Record<Trigger, MessageType> = {
  command: MessageType.ChatInputCommand,
  menu: MessageType.ContextMenuCommand,
  component: MessageType.Reply,
  modal: MessageType.Reply,
  message: MessageType.Default,
};

/** What every message here has. */
export const NOTHING_SPECIAL = { mentions: [], mention_roles: [], mention_everyone: false, pinned: false, tts: false };

/** One of the bot's messages as Discord returns it; resources/message, "Message Structure". */
export function apiMessage({ conversation, message: { id, reply, ephemeral, edited } }: HeldMessage, world: World) {
  const { channelId, metadata, nonce } = conversation.details;
  const { trigger, sourceMessageId, messageId } = conversation.message;
  const loading = conversation.course.phase === 'thinking' && id === messageId;
  return {
    id,
    type: TYPES[trigger],
    channel_id: channelId,
    author: botUser(world),
    content: reply.content,
    embeds: reply.embeds.map((embed) => ({ ...embed, type: 'rich' })),
    components: apiComponents(reply.components),
    attachments: standingFiles(reply.attachments, reply.embeds),
    ...NOTHING_SPECIAL,
    timestamp: new Date(snowflakeTimeMs(id)).toISOString(),
    edited_timestamp: edited ? new Date().toISOString() : null,
    flags: (ephemeral ? MessageFlags.Ephemeral : 0) | (loading ? MessageFlags.Loading : 0),
    application_id: world.applicationId,
    ...(metadata && { webhook_id: world.applicationId, interaction_metadata: metadata }),
    ...(nonce !== undefined && { nonce }),
    ...(sourceMessageId !== undefined &&
      trigger !== 'menu' && { message_reference: { type: 0, channel_id: channelId, message_id: sourceMessageId } }),
  };
}

/** The components of a message as Discord returns them: menus with their range, even if the bot did not write it. */
function apiComponents(rows: readonly Row[]): object[] {
  return rows.map((row) => ({
    ...row,
    components: row.components.map((component) => {
      if (component.type === ComponentType.Button) return component;
      const { required: _, ...menu } = component; // means something in modals only
      return { min_values: 1, max_values: 1, ...menu };
    }),
  }));
}
