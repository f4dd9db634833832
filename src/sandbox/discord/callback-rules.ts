import {
  type APIModalInteractionResponseCallbackData,
  InteractionType as Asked,
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

// interactions/receiving-and-responding, "Interaction Callback Type"; launching an activity is not played.
const ANSWERS: Record<Exclude<Asked, Asked.Ping>, readonly Type[]> = {
  [Asked.ApplicationCommand]: [Type.ChannelMessageWithSource, Type.DeferredChannelMessageWithSource, Type.Modal],
  [Asked.ApplicationCommandAutocomplete]: [Type.ApplicationCommandAutocompleteResult],
  [Asked.MessageComponent]: [
    Type.ChannelMessageWithSource,
    Type.DeferredChannelMessageWithSource,
    Type.DeferredMessageUpdate,
    Type.UpdateMessage,
    Type.Modal,
  ],
  [Asked.ModalSubmit]: [
    Type.ChannelMessageWithSource,
    Type.DeferredChannelMessageWithSource,
    Type.DeferredMessageUpdate,
    Type.UpdateMessage,
  ],
};
const UPDATES: readonly Type[] = [Type.DeferredMessageUpdate, Type.UpdateMessage];

// Once for all: a schema costs more to make than to use.
const ENVELOPES = {
  [Asked.ApplicationCommand]: envelopes(Asked.ApplicationCommand),
  [Asked.ApplicationCommandAutocomplete]: envelopes(Asked.ApplicationCommandAutocomplete),
  [Asked.MessageComponent]: envelopes(Asked.MessageComponent),
  [Asked.ModalSubmit]: envelopes(Asked.ModalSubmit),
};

// A deferred answer takes only this flag; interactions/receiving-and-responding
const DeferData = z.object({ flags: flags(MessageFlags.Ephemeral).exactOptional() });

export type Callback =
  | { kind: 'reply'; ephemeral: boolean; form: MessageForm }
  | { kind: 'defer'; ephemeral: boolean }
  | { kind: 'update'; form: MessageForm }
  | { kind: 'deferUpdate' }
  | { kind: 'modal'; modal: APIModalInteractionResponseCallbackData };

export interface Answerable {
  type: Exclude<Asked, Asked.Ping>;
  /** Whether a message's component led here, so that this message can be updated. */
  hasSource: boolean;
}

/** @throws ApiError 50035 when the body breaks a rule, with paths under `data` as Discord names them. */
export function parseCallback(body: unknown, asked: Answerable): Callback {
  const { type, data } = parseForm(envelope(asked), body);
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
  const { data } = parseForm(envelope({ type: Asked.ApplicationCommandAutocomplete, hasSource: false }), body);
  const { choices } = parseForm(Choices, data, ['data']);
  return choices.map(({ name, name_localizations, value }) => ({ name: name_localizations?.[locale] ?? name, value }));
}

function envelopes(asked: Answerable['type']) {
  const answers = ANSWERS[asked];
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
