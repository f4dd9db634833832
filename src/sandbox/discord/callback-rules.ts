import {
  type APIModalInteractionResponseCallbackData,
  InteractionType,
  MessageFlags,
  InteractionResponseType as Type,
} from 'discord-api-types/v10';
import * as z from 'zod';

import type { Choice } from './chat.ts';
import { Choices } from './choice-rules.ts';
import { parseForm } from './form-error.ts';
import { refuseRepeated } from './layout-rules.ts';
import { flags, MessageForm } from './message-rules.ts';
import { ModalForm } from './modal-rules.ts';

// interactions/receiving-and-responding, "Interaction Callback Type"; launching an activity is not emulated.
const ANSWERS: Record<Exclude<InteractionType, InteractionType.Ping>, readonly Type[]> = {
  [InteractionType.ApplicationCommand]: [
    Type.ChannelMessageWithSource,
    Type.DeferredChannelMessageWithSource,
    Type.Modal,
  ],
  [InteractionType.ApplicationCommandAutocomplete]: [Type.ApplicationCommandAutocompleteResult],
  [InteractionType.MessageComponent]: [
    Type.ChannelMessageWithSource,
    Type.DeferredChannelMessageWithSource,
    Type.DeferredMessageUpdate,
    Type.UpdateMessage,
    Type.Modal,
  ],
  [InteractionType.ModalSubmit]: [
    Type.ChannelMessageWithSource,
    Type.DeferredChannelMessageWithSource,
    Type.DeferredMessageUpdate,
    Type.UpdateMessage,
  ],
};
const UPDATES: readonly Type[] = [Type.DeferredMessageUpdate, Type.UpdateMessage];

// Created once, because creating a schema costs more than using it.
const ENVELOPES = {
  [InteractionType.ApplicationCommand]: envelopes(InteractionType.ApplicationCommand),
  [InteractionType.ApplicationCommandAutocomplete]: envelopes(InteractionType.ApplicationCommandAutocomplete),
  [InteractionType.MessageComponent]: envelopes(InteractionType.MessageComponent),
  [InteractionType.ModalSubmit]: envelopes(InteractionType.ModalSubmit),
};

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
  const { type, data } = parseForm(envelope(answerable), body);
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
  const { data } = parseForm(
    envelope({ type: InteractionType.ApplicationCommandAutocomplete, hasSource: false }),
    body,
  );
  const { choices } = parseForm(Choices, data, ['data']);
  return choices.map(({ name, name_localizations, value }) => ({ name: name_localizations?.[locale] ?? name, value }));
}

function envelopes(answerable: Answerable['type']) {
  const answers = ANSWERS[answerable];
  return { withSource: oneOf(answers), withoutSource: oneOf(answers.filter((type) => !UPDATES.includes(type))) };
}

function oneOf(types: readonly Type[]) {
  return z.object({ type: z.literal(types as [Type, ...Type[]]), data: z.unknown().optional() });
}

function envelope({ type, hasSource }: Answerable) {
  const { withSource, withoutSource } = ENVELOPES[type];
  return hasSource ? withSource : withoutSource;
}

export function isEphemeral(form: { flags?: number | null }): boolean {
  return ((form.flags ?? 0) & MessageFlags.Ephemeral) !== 0;
}
