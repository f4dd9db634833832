import {
  type APIAttachment,
  type APIEmbed,
  type APIMessageTopLevelComponent,
  MessageFlags,
} from 'discord-api-types/v10';
import * as z from 'zod';

import { AttachmentForm } from './attachment-rules.ts';
import { Embeds } from './embed-rules.ts';
import { complaint, text } from './field-rules.ts';

// Flags a bot may set; interactions/receiving-and-responding, "Messages"
const SETTABLE =
  MessageFlags.SuppressEmbeds |
  MessageFlags.Ephemeral |
  MessageFlags.SuppressNotifications |
  MessageFlags.IsVoiceMessage |
  MessageFlags.IsComponentsV2;

/** Message flags, of which only those in `allowed` may be set. The leaf code is a guess. */
export function flags(allowed: number) {
  return z
    .int()
    .nullable()
    .refine(
      (value) => value === null || (value & ~allowed) === 0,
      complaint('MESSAGE_FLAGS_INVALID', 'These message flags cannot be set.'),
    );
}

const components = z
  .array(z.looseObject({}))
  .max(5)
  .transform((rows) => rows as unknown as APIMessageTopLevelComponent[]);

/** What a bot sends for a message or an edit of one: an absent field stays as it was, null clears it. */
export const MessageForm = z
  .object({
    content: text({ max: 2_000 }).nullable().exactOptional(),
    embeds: Embeds.nullable().exactOptional(),
    flags: flags(SETTABLE).exactOptional(),
    components: components.nullable().exactOptional(),
    attachments: z.array(AttachmentForm).nullable().exactOptional(),
  })
  .refine((form) => !(isV2(form.flags) && (form.content || form.embeds?.length)), {
    ...complaint(
      'MESSAGE_CANNOT_USE_LEGACY_FIELDS_WITH_COMPONENTS_V2',
      'The content and embeds fields cannot be used with components V2.',
    ),
    path: ['content'],
  });
export type MessageForm = z.infer<typeof MessageForm>;

/** What a reply shows. */
export interface Reply {
  content: string;
  embeds: APIEmbed[];
  components: APIMessageTopLevelComponent[];
  attachments: APIAttachment[];
}

export const EMPTY_REPLY: Reply = { content: '', embeds: [], components: [], attachments: [] };

/**
 * The reply after an edit: absent fields stay, null and empty ones are cleared.
 *
 * @param attachments what the message has of files afterwards
 */
export function edited(reply: Reply, form: MessageForm, attachments: APIAttachment[]): Reply {
  return {
    content: form.content === undefined ? reply.content : (form.content ?? ''),
    embeds: form.embeds === undefined ? reply.embeds : (form.embeds ?? []),
    components: form.components === undefined ? reply.components : (form.components ?? []),
    attachments,
  };
}

/** Such a message is refused with 50006. */
export function isEmpty({ content, embeds, components, attachments }: Reply): boolean {
  return content === '' && embeds.length + components.length + attachments.length === 0;
}

function isV2(value: number | null | undefined): boolean {
  return ((value ?? 0) & MessageFlags.IsComponentsV2) !== 0;
}
