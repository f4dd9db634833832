import { InteractionType } from 'discord-api-types/v10';

import { apiMessage } from './api-message.ts';
import type { SubmittedModal } from './chat.ts';
import { fieldsOf } from './components.ts';
import type { Conversation } from './conversation.ts';
import { checkField, filledIn } from './modal-answers.ts';
import { placeOf } from './place.ts';
import { type InteractionServices, needBot, startInteraction } from './start-interaction.ts';

/** Submits the modal with which the bot answered an interaction. @throws Error with a sentence. */
export function submitModal({ interactionId, values }: SubmittedModal, services: InteractionServices): Conversation {
  const opened = services.conversations.find(interactionId);
  const modal = opened?.message.modal;
  if (!opened || !modal) throw new Error('The bot did not answer this with a form.');
  const fields = fieldsOf(modal.components);
  const unknownName = Object.keys(values).find((name) => !fields.some(({ custom_id }) => custom_id === name));
  if (unknownName !== undefined) throw new Error(`The form has no field "${unknownName}".`);

  const { guildId, context, member } = opened.message;
  const place = placeOf({ memberId: member.id, guildId, context }, services.world);
  for (const field of fields) checkField(field, values[field.custom_id]);
  needBot(services);
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
