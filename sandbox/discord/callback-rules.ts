import {
  InteractionApplicationCommandAutocompleteCallbackStringDataSchema,
  ModalInteractionCallbackRequestDataSchema,
} from 'discord-api-spec/zod';
import { ComponentType, InteractionType, InteractionResponseType as Type } from 'discord-api-types/v10';

import type { Choice, Modal } from './chat.ts';
import { type ChoiceForm, choiceMistakes } from './command-rules.ts';
import { fieldsIn, mistake, readForm, refuse, when } from './forms.ts';
import { type ArrivedMessage, isEphemeral, kindMistakes, readMessage, repeatedIds } from './message-rules.ts';
import type { RequestBody } from './rest.ts';

// interactions/receiving-and-responding, "Interaction Callback Type"; launching an activity is not emulated.
const REPLIES = [Type.ChannelMessageWithSource, Type.DeferredChannelMessageWithSource] as const;
const UPDATES: readonly number[] = [Type.DeferredMessageUpdate, Type.UpdateMessage];
const ANSWERS: Record<Exclude<InteractionType, InteractionType.Ping>, readonly number[]> = {
  [InteractionType.ApplicationCommand]: [...REPLIES, Type.Modal],
  [InteractionType.ApplicationCommandAutocomplete]: [Type.ApplicationCommandAutocompleteResult],
  [InteractionType.MessageComponent]: [...REPLIES, ...UPDATES, Type.Modal],
  [InteractionType.ModalSubmit]: [...REPLIES, ...UPDATES],
};

export type Callback =
  | { kind: 'reply'; sent: ArrivedMessage }
  | { kind: 'defer'; ephemeral: boolean }
  | { kind: 'update'; sent: ArrivedMessage }
  | { kind: 'deferUpdate' }
  | { kind: 'modal'; modal: Modal };

interface Answerable {
  type: Exclude<InteractionType, InteractionType.Ping>;
  /** Whether the interaction came from a component of a message, which can then be updated. */
  hasSource: boolean;
}

/** @throws ApiError 50035 for an invalid body, with Discord's paths under `data`. */
export function parseCallback({ json, files }: RequestBody, answerable: Answerable): Callback {
  const { type, data } = envelope(json, answerable);
  const arrived = (body: unknown) => ({ form: readMessage(body, ['data']), uploads: files, at: ['data'] });
  switch (type) {
    case Type.DeferredChannelMessageWithSource:
      return { kind: 'defer', ephemeral: isEphemeral(readMessage(data ?? {}, ['data'])) };
    case Type.DeferredMessageUpdate:
      return { kind: 'deferUpdate' };
    case Type.UpdateMessage:
      return { kind: 'update', sent: arrived(data ?? {}) };
    case Type.Modal: {
      const modal = readForm<Modal>(ModalInteractionCallbackRequestDataSchema, data, ['data']);
      const { components } = modal; // interactions/receiving-and-responding, "Modal"
      const mistakes = [
        ...kindMistakes(components, [ComponentType.Label, ComponentType.TextInput]),
        ...when(components.length > 5, [], 'BASE_TYPE_BAD_LENGTH'),
        ...repeatedIds(components),
      ];
      refuse(mistakes, ['data', 'components']);
      return { kind: 'modal', modal };
    }
    default:
      return { kind: 'reply', sent: arrived(data) };
  }
}

/** @throws ApiError 50035 */
export function parseChoices(body: unknown, locale: string): Choice[] {
  const { data } = envelope(body, { type: InteractionType.ApplicationCommandAutocomplete, hasSource: false });
  const schema = InteractionApplicationCommandAutocompleteCallbackStringDataSchema;
  const { choices } = readForm<{ choices?: ChoiceForm[] | null }>(schema, data, ['data']);
  if (!choices) throw mistake(['data', 'choices'], 'BASE_TYPE_REQUIRED');
  refuse(choiceMistakes(choices), ['data', 'choices']);
  return choices.map(({ name, name_localizations, value }) => ({ name: name_localizations?.[locale] ?? name, value }));
}

function envelope(body: unknown, { type, hasSource }: Answerable) {
  const { type: named, data } = fieldsIn(body);
  if (named === undefined) throw mistake(['type'], 'BASE_TYPE_REQUIRED');
  const allowed = ANSWERS[type].filter((each) => hasSource || !UPDATES.includes(each));
  const answer = allowed.find((each) => each === named);
  if (answer !== undefined) return { type: answer, data };
  throw mistake(['type'], 'BASE_TYPE_CHOICES');
}
