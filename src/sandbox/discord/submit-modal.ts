import { type APIComponentInLabel, ComponentType, InteractionType } from 'discord-api-types/v10';

import { apiMessage } from './api-message.ts';
import type { SubmittedModal } from './chat.ts';
import { fieldsOf } from './components.ts';
import type { Conversation } from './conversation.ts';
import { placeOf } from './place.ts';
import { type InteractionServices, needBot, startInteraction } from './start-interaction.ts';

/** Sends off the modal that the bot answered an interaction with. @throws Error in plain words. */
export function submitModal({ interactionId, values }: SubmittedModal, services: InteractionServices): Conversation {
  const opened = services.conversations.find(interactionId);
  const modal = opened?.message.modal;
  if (!opened || !modal) throw new Error('The bot did not answer this with a form.');
  const fields = fieldsOf(modal.components);
  const stranger = Object.keys(values).find((name) => !fields.some(({ custom_id }) => custom_id === name));
  if (stranger !== undefined) throw new Error(`The form has no field "${stranger}".`);
  for (const field of fields) check(field, values[field.custom_id]);
  needBot(services);

  const { guildId, context, member } = opened.message;
  const { source, owners, metadata } = opened.details;
  return startInteraction(
    {
      type: InteractionType.ModalSubmit,
      trigger: 'modal',
      line: modal.title,
      place: placeOf({ memberId: member.id, guildId, context }, services.world),
      owners,
      source: source && { ...source, payload: apiMessage(source.conversation.held(source.messageId), services.world) },
      data: { custom_id: modal.custom_id, components: filled(modal.components, values) },
      metadata: { triggering_interaction_metadata: metadata },
    },
    services,
  );
}

function check(field: APIComponentInLabel, value: string | readonly string[] | undefined): void {
  const required = 'required' in field ? (field.required ?? true) : true;
  const length = value?.length ?? 0;
  if (required && length === 0) throw new Error(`The form needs the field "${field.custom_id}".`);
  if (field.type !== ComponentType.TextInput || length === 0) return;
  const { min_length: min = 0, max_length: max = 4_000 } = field;
  if (length < min || length > max)
    throw new Error(`The field "${field.custom_id}" must have ${min} to ${max} characters.`);
}

/** The components in the form of an answer; interactions/receiving-and-responding, "Modal Submit Data Structure". */
function filled(components: readonly unknown[], values: SubmittedModal['values']): object[] {
  return (components as Record<string, unknown>[]).map(({ type, id, components: inner, component, custom_id }) => ({
    type,
    ...(id !== undefined && { id }),
    ...(Array.isArray(inner) && { components: filled(inner, values) }),
    ...(component !== undefined && { component: filled([component], values)[0] }),
    ...(typeof custom_id === 'string' && { custom_id, ...answerOf(type as ComponentType, values[custom_id]) }),
  }));
}

function answerOf(type: ComponentType, value: string | readonly string[] = []): object {
  const given = typeof value === 'string' ? [value] : [...value];
  return type === ComponentType.TextInput ? { value: given[0] ?? '' } : { values: given };
}
