import { type APIStringSelectComponent, ComponentType, InteractionType } from 'discord-api-types/v10';

import { apiMessage } from './api-message.ts';
import type { UsedComponent } from './chat.ts';
import { findComponent, type UsableComponent } from './components.ts';
import type { Conversation, HeldMessage } from './conversation.ts';
import { placeOf } from './place.ts';
import { type InteractionServices, startInteraction } from './start-interaction.ts';

/** Clicks a button or chooses in a menu of a bot message. @throws Error with a sentence. */
export function useComponent(used: UsedComponent, services: InteractionServices): Conversation {
  const { conversations, world } = services;
  const conversation = conversations.holder(used.messageId);
  if (!conversation) throw new Error(`There is no message of the bot with the id ${used.messageId}.`);
  const held = conversation.held(used.messageId);
  const { guildId, context, member } = conversation.message;
  const { memberId = member.id, manageGuild = false, manageMessages = false } = used;
  if (held.message.ephemeral && memberId !== member.id) throw new Error('Only its reader can use a private message.');
  if (context === 1 && memberId !== member.id) throw new Error('These direct messages belong to another member.');

  const component = usable(used, held);
  const place = placeOf({ memberId, guildId, context, manageGuild, manageMessages }, world);
  const values = component.type === ComponentType.Button ? undefined : chosen(component, used.values ?? []);
  return startInteraction(
    {
      type: InteractionType.MessageComponent,
      trigger: 'component',
      line: labelOf(component, values),
      place,
      owners: conversation.details.owners,
      source: { conversation, messageId: held.message.id, payload: apiMessage(held, world) },
      data: {
        ...(component.id !== undefined && { id: component.id }),
        custom_id: used.customId,
        component_type: component.type,
        ...(values && { values }),
      },
      metadata: { interacted_message_id: held.message.id },
    },
    services,
  );
}

function usable({ customId, messageId }: UsedComponent, { message }: HeldMessage): UsableComponent {
  const found = findComponent(message.reply.components, customId);
  if (!found) throw new Error(`The message ${messageId} has no component "${customId}".`);
  if (found.disabled) throw new Error(`The component "${customId}" is disabled.`);
  return found;
}

/** Validates a choice as Discord's client does. @throws Error with a sentence. */
function chosen(
  { custom_id, options, min_values: min = 1, max_values: max = 1 }: APIStringSelectComponent,
  values: readonly string[],
) {
  if (values.length < min || values.length > max || new Set(values).size !== values.length) {
    throw new Error(`The menu "${custom_id}" takes ${min} to ${max} different values.`);
  }
  const notOffered = values.find((value) => !options.some((option) => option.value === value));
  if (notOffered !== undefined) throw new Error(`The menu "${custom_id}" does not offer "${notOffered}".`);
  return values;
}

function labelOf(component: UsableComponent, values: readonly string[] = []): string {
  if (component.type !== ComponentType.Button) return values.join(', ');
  return ('label' in component && component.label) || ('emoji' in component && component.emoji?.name) || '';
}
