import { InteractionResponseType, MessageFlags } from 'discord-api-types/v10';
import * as z from 'zod';

import { parseForm } from './form-error.ts';
import { flags, MessageForm } from './message-rules.ts';

/** The two answers to a slash command that the emulated Discord plays; modals and activities are refused. */
const Envelope = z.object({
  type: z.literal([
    InteractionResponseType.ChannelMessageWithSource,
    InteractionResponseType.DeferredChannelMessageWithSource,
  ]),
  data: z.unknown().optional(),
});

// A deferred answer takes only this flag; interactions/receiving-and-responding
const DeferData = z.object({ flags: flags(MessageFlags.Ephemeral).exactOptional() });

export type Callback = { kind: 'reply'; ephemeral: boolean; form: MessageForm } | { kind: 'defer'; ephemeral: boolean };

/** @throws ApiError 50035 when the body breaks a rule, with paths under `data` as Discord names them. */
export function parseCallback(body: unknown): Callback {
  const { type, data } = parseForm(Envelope, body);
  if (type === InteractionResponseType.DeferredChannelMessageWithSource) {
    return { kind: 'defer', ephemeral: isEphemeral(parseForm(DeferData, data ?? {}, ['data'])) };
  }
  const form = parseForm(MessageForm, data, ['data']);
  return { kind: 'reply', ephemeral: isEphemeral(form), form };
}

export function isEphemeral(form: { flags?: number | null }): boolean {
  return ((form.flags ?? 0) & MessageFlags.Ephemeral) !== 0;
}
