import { ComponentType, MessageFlags, MessageType } from 'discord-api-types/v10';
import { standingFiles } from './attachment-links.ts';
import type { Trigger } from './chat.ts';
import { everyComponent } from './components.ts';
import type { Conversation, HeldMessage } from './conversation.ts';
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
  const { channelId, metadata, interaction, nonce } = conversation.details;
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
    flags: reply.flags | (ephemeral ? MessageFlags.Ephemeral : 0) | (loading ? MessageFlags.Loading : 0),
    ...(reply.poll && { poll: reply.poll }),
    application_id: world.applicationId,
    ...(metadata && { webhook_id: world.applicationId, interaction_metadata: metadata }),
    ...(nonce !== undefined && { nonce }),
    ...(interaction && { interaction }),
    ...(sourceMessageId !== undefined &&
      trigger !== 'menu' && { message_reference: { type: 0, channel_id: channelId, message_id: sourceMessageId } }),
  };
}

/** The answer to a callback with `with_response=true`; a form and a deferred update have no message. */
export function callbackResponse(conversation: Conversation, type: number, world: World): object {
  const { interactionId, messageId, ephemeral, modal, updatesSource } = conversation.message;
  const held = modal ? undefined : conversation.sent('@original');
  return {
    interaction: {
      id: interactionId,
      type: conversation.details.type,
      ...(messageId !== undefined && {
        response_message_id: messageId,
        response_message_loading: conversation.course.phase === 'thinking',
        response_message_ephemeral: ephemeral,
      }),
      ...(updatesSource && held && { response_message_id: held.message.id }),
    },
    resource: { type, ...(held && { message: apiMessage(held, world) }) },
  };
}

const RANGE = { min_values: 1, max_values: 1 };
const PICTURE = { description: null, spoiler: false };

/** What components of these types have in Discord's answers, even if the bot did not write it. */
const DEFAULTS: Partial<Record<ComponentType, object>> = {
  [ComponentType.StringSelect]: RANGE,
  [ComponentType.UserSelect]: RANGE,
  [ComponentType.RoleSelect]: RANGE,
  [ComponentType.MentionableSelect]: RANGE,
  [ComponentType.ChannelSelect]: RANGE,
  [ComponentType.Thumbnail]: PICTURE,
  [ComponentType.File]: { name: null, size: null, spoiler: false },
  [ComponentType.Separator]: { spacing: 1, divider: true },
  [ComponentType.Container]: { accent_color: null, spoiler: false },
};

/** The components of a message as Discord returns them. */
function apiComponents(components: readonly object[]): object[] {
  const copies = structuredClone(components) as object[];
  for (const { component } of everyComponent(copies)) {
    Object.assign(component, { ...DEFAULTS[component.type], ...component });
    if ('required' in component) delete component.required; // means something in modals only
    if ('items' in component) component.items = (component.items as object[]).map((item) => ({ ...PICTURE, ...item }));
  }
  return copies;
}
