import { type APIAttachment, type APIEmbed, MessageFlags } from 'discord-api-types/v10';

import type { AttachmentForm } from './attachment-rules.ts';
import type { MessageBody } from './chat.ts';
import { componentMistakes } from './component-rules.ts';
import type { Row } from './components.ts';
import { embedMistakes } from './embed-rules.ts';
import { type Mistake, type Path, refuse, when, within } from './form-error.ts';
import { readForm } from './form-reader.ts';

/** The body of a message or an edit: an absent field is unchanged, null clears it. */
export interface MessageForm {
  content?: string | null;
  embeds?: APIEmbed[] | null;
  components?: Row[] | null;
  attachments?: AttachmentForm[] | null;
  flags?: number | null;
}

/** @throws ApiError 50035 with `at` before every path */
export function readMessage(body: unknown, at: Path = []): MessageForm {
  const form = readForm<MessageForm>('IncomingWebhookInteractionRequest', body, at);
  const { flags, embeds, components } = form;
  const mistakes = [
    ...flagMistakes(flags),
    ...within(['embeds'], embedMistakes(embeds ?? [])),
    ...within(['components'], componentMistakes(components ?? [])),
  ];
  refuse(mistakes, at);
  return embeds ? { ...form, embeds: embeds.map(completed) } : form;
}

/** In Discord's answers every field says whether it is inline, even if the bot did not. */
function completed({ fields, ...embed }: APIEmbed): APIEmbed {
  return { ...embed, ...(fields && { fields: fields.map((field) => ({ inline: false, ...field })) }) };
}

/** Of the flags that a bot may set, only this one is emulated. The code is a guess. */
export function flagMistakes(flags: MessageForm['flags']): Mistake[] {
  const isWrong = ((flags ?? 0) & ~MessageFlags.Ephemeral) !== 0;
  return when(isWrong, ['flags'], 'MESSAGE_FLAGS_INVALID', 'These message flags cannot be set.');
}

export const EMPTY_REPLY: MessageBody = { content: '', embeds: [], components: [], attachments: [] };

/**
 * The reply after an edit: absent fields are unchanged, null and empty ones are cleared.
 *
 * @param attachments the files of the message after the edit
 */
export function edited(reply: MessageBody, form: MessageForm, attachments: APIAttachment[]): MessageBody {
  const { content, embeds, components } = form;
  return {
    content: content === undefined ? reply.content : (content ?? ''),
    embeds: embeds === undefined ? reply.embeds : (embeds ?? []),
    components: components === undefined ? reply.components : (components ?? []),
    attachments,
  };
}

/** An empty message is refused with 50006. */
export function isEmpty({ content, embeds, components, attachments }: MessageBody): boolean {
  return content === '' && embeds.length + components.length + attachments.length === 0;
}
