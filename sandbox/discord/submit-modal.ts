import { type APITextInputComponent, InteractionType } from 'discord-api-types/v10';

import { apiMessage } from './api-message.ts';
import type { SubmittedModal } from './chat.ts';
import type { Field } from './components.ts';
import type { Conversation } from './conversation.ts';
import { placeOf } from './place.ts';
import { type InteractionServices, startInteraction } from './start-interaction.ts';

/** Submits the modal with which the bot answered an interaction. @throws Error with a sentence. */
export function submitModal({ interactionId, values }: SubmittedModal, services: InteractionServices): Conversation {
  const opened = services.conversations.find(interactionId);
  const modal = opened?.message.modal;
  if (!opened || !modal) throw new Error('The bot did not answer this with a form.');
  const fields = modal.components.map(({ component }) => component);
  const unknownName = Object.keys(values).find((name) => !fields.some(({ custom_id }) => custom_id === name));
  if (unknownName !== undefined) throw new Error(`The form has no field "${unknownName}".`);

  const { guildId, context, member } = opened.message;
  const place = placeOf({ memberId: member.id, guildId, context }, services.world);
  for (const field of fields) checkField(field, values[field.custom_id]);
  const { source, owners, metadata } = opened.details;
  return startInteraction(
    {
      type: InteractionType.ModalSubmit,
      trigger: 'modal',
      line: modal.title,
      place,
      owners,
      source: source && { ...source, payload: apiMessage(source.conversation.held(source.messageId), services.world) },
      data: { custom_id: modal.custom_id, components: filledIn(modal.components, values) },
      metadata: { triggering_interaction_metadata: metadata },
    },
    services,
  );
}

/** Validates the text in a field as Discord's client does. @throws Error with a sentence. */
export function checkField(field: APITextInputComponent, text = ''): void {
  const { custom_id, required = true, min_length: min = 0, max_length: max = 4_000 } = field;
  if (text === '' && required) throw new Error(`The form needs the field "${custom_id}".`);
  if (text === '' || (text.length >= min && text.length <= max)) return;
  throw new Error(`The field "${custom_id}" must have ${min} to ${max} characters.`);
}

/** The fields with the submitted values; interactions/receiving-and-responding, "Modal Submit Data Structure". */
export function filledIn(fields: readonly Field[], values: SubmittedModal['values']): object[] {
  return fields.map(({ type, id, component }) => {
    const { custom_id } = component;
    const filled = { type: component.type, id: component.id, custom_id, value: values[custom_id] ?? '' };
    return { type, id, component: filled };
  });
}
