import {
  type APIModalInteractionResponseCallbackData,
  InteractionType,
  MessageFlags,
  InteractionResponseType as Type,
} from 'discord-api-types/v10';
import * as z from 'zod';

import type { Choice } from './chat.ts';
import { Choices } from './command-option-rules.ts';
import { mistake, parseForm } from './form-error.ts';
import { refuseRepeated } from './layout-rules.ts';
import { flags, MessageForm } from './message-rules.ts';
import { ModalForm } from './modal-rules.ts';

// interactions/receiving-and-responding, "Interaction Callback Type"; launching an activity is not emulated.
const REPLIES = [Type.ChannelMessageWithSource, Type.DeferredChannelMessageWithSource] as const;
const UPDATES: readonly number[] = [Type.DeferredMessageUpdate, Type.UpdateMessage];
const ANSWERS: Record<Exclude<InteractionType, InteractionType.Ping>, readonly number[]> = {
  [InteractionType.ApplicationCommand]: [...REPLIES, Type.Modal],
  [InteractionType.ApplicationCommandAutocomplete]: [Type.ApplicationCommandAutocompleteResult],
  [InteractionType.MessageComponent]: [...REPLIES, ...UPDATES, Type.Modal],
  [InteractionType.ModalSubmit]: [...REPLIES, ...UPDATES],
};

const Envelope = z.object({ type: z.number(), data: z.unknown().optional() });

// A deferred answer allows only this flag; interactions/receiving-and-responding
const DeferData = z.object({ flags: flags(MessageFlags.Ephemeral).exactOptional() });

export type Callback =
  | { kind: 'reply'; ephemeral: boolean; form: MessageForm }
  | { kind: 'defer'; ephemeral: boolean }
  | { kind: 'update'; form: MessageForm }
  | { kind: 'deferUpdate' }
  | { kind: 'modal'; modal: APIModalInteractionResponseCallbackData };

export interface Answerable {
  type: Exclude<InteractionType, InteractionType.Ping>;
  /** Whether the interaction came from a component of a message, which can then be updated. */
  hasSource: boolean;
}

/** @throws ApiError 50035 for an invalid body, with Discord's paths under `data`. */
export function parseCallback(body: unknown, answerable: Answerable): Callback {
  const { type, data } = envelope(body, answerable);
  switch (type) {
    case Type.DeferredChannelMessageWithSource:
      return { kind: 'defer', ephemeral: isEphemeral(parseForm(DeferData, data ?? {}, ['data'])) };
    case Type.DeferredMessageUpdate:
      return { kind: 'deferUpdate' };
    case Type.UpdateMessage:
      return { kind: 'update', form: parseForm(MessageForm, data ?? {}, ['data']) };
    case Type.Modal: {
      const modal = parseForm(ModalForm, data, ['data']);
      refuseRepeated(modal.components, ['data', 'components']);
      return { kind: 'modal', modal };
    }
    default: {
      const form = parseForm(MessageForm, data, ['data']);
      return { kind: 'reply', ephemeral: isEphemeral(form), form };
    }
  }
}

/** @throws ApiError 50035 */
export function parseChoices(body: unknown, locale: string): Choice[] {
  const { data } = envelope(body, { type: InteractionType.ApplicationCommandAutocomplete, hasSource: false });
  const { choices } = parseForm(Choices, data, ['data']);
  return choices.map(({ name, name_localizations, value }) => ({ name: name_localizations?.[locale] ?? name, value }));
}

function envelope(body: unknown, { type, hasSource }: Answerable) {
  const read = parseForm(Envelope, body);
  const allowed = ANSWERS[type].filter((each) => hasSource || !UPDATES.includes(each));
  if (allowed.includes(read.type)) return read;
  throw mistake(['type'], 'BASE_TYPE_CHOICES', `Value must be one of {${allowed.join(', ')}}.`);
}

export function isEphemeral(form: { flags?: number | null }): boolean {
  return ((form.flags ?? 0) & MessageFlags.Ephemeral) !== 0;
}
