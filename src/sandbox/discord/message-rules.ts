import {
  type APIAttachment,
  type APIEmbed,
  type APIMessageTopLevelComponent,
  type APIPoll,
  AllowedMentionsTypes as Kind,
  MessageFlags,
} from 'discord-api-types/v10';
import * as z from 'zod';

import { AttachmentForm } from './attachment-rules.ts';
import { MessageComponents } from './component-rules.ts';
import { Embeds } from './embed-rules.ts';
import { complaint, distinct, list, snowflake, text, unused } from './field-rules.ts';
import { mistake } from './form-error.ts';
import { refuseLayout } from './layout-rules.ts';
import { openPoll, PollForm } from './poll-rules.ts';

const mentioned = distinct(snowflake, 100);

/** resources/message, "Allowed Mentions Object"; the leaf code is as reported. */
const AllowedMentions = z
  .object({
    parse: distinct(z.literal([Kind.Everyone, Kind.Role, Kind.User]), 3)
      .nullable()
      .exactOptional(),
    roles: mentioned.nullable().exactOptional(),
    users: mentioned.nullable().exactOptional(),
    replied_user: z.boolean().nullable().exactOptional(),
  })
  .superRefine(({ parse, ...named }, context) => {
    const both = ([Kind.User, Kind.Role] as const).find((kind) => parse?.includes(kind) && named[kind]?.length);
    if (both === undefined) return;
    const message = `parse:["${both}"] and ${both}: [ids...] are mutually exclusive.`;
    context.addIssue({ code: 'custom', params: { code: 'MESSAGE_ALLOWED_MENTIONS_PARSE_EXCLUSIVE' }, message });
  });

// Flags that a bot may set; interactions/receiving-and-responding, "Messages"
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

/** The body of a message or an edit: an absent field is unchanged, null clears it. */
export const MessageForm = z.object({
  content: text({ max: 2_000 }).nullable().exactOptional(),
  embeds: Embeds.nullable().exactOptional(),
  flags: flags(SETTABLE).exactOptional(),
  components: MessageComponents.nullable().exactOptional(),
  attachments: list(AttachmentForm, { max: 10 }).nullable().exactOptional(),
  allowed_mentions: AllowedMentions.nullable().exactOptional(),
  poll: PollForm.nullable().exactOptional(),
  tts: unused(z.boolean()),
});
export type MessageForm = z.infer<typeof MessageForm>;

/** The content of a reply. */
export interface Reply {
  content: string;
  embeds: APIEmbed[];
  components: APIMessageTopLevelComponent[];
  attachments: APIAttachment[];
  /** The lasting flags: suppressed embeds and components V2. */
  flags: number;
  poll?: APIPoll;
}

export const EMPTY_REPLY: Reply = { content: '', embeds: [], components: [], attachments: [], flags: 0 };

/**
 * The reply after an edit: absent fields are unchanged, null and empty ones are cleared. Components V2 cannot be undone.
 *
 * @param attachments the files of the message after the edit
 */
export function edited(reply: Reply, form: MessageForm, attachments: APIAttachment[]): Reply {
  const { poll, flags: newFlags = 0 } = form;
  const suppress = form.flags === undefined ? reply.flags : (newFlags ?? 0);
  return {
    ...reply,
    content: form.content === undefined ? reply.content : (form.content ?? ''),
    embeds: form.embeds === undefined ? reply.embeds : (form.embeds ?? []),
    components: form.components === undefined ? reply.components : (form.components ?? []),
    attachments,
    flags: (suppress & MessageFlags.SuppressEmbeds) | ((reply.flags | (newFlags ?? 0)) & MessageFlags.IsComponentsV2),
    ...(poll && { poll: openPoll(poll, Date.now()) }),
  };
}

/** An empty message is refused with 50006. */
export function isEmpty({ content, embeds, components, attachments, poll }: Reply): boolean {
  return content === '' && embeds.length + components.length + attachments.length === 0 && poll === undefined;
}

/** Validates the combination of a message's parts. @throws ApiError 50035 with `at` before every path */
export function refuseUnfit(reply: Reply, at: readonly string[] = []): void {
  const isV2 = (reply.flags & MessageFlags.IsComponentsV2) !== 0;
  const legacy = { content: reply.content !== '', embeds: reply.embeds.length > 0, poll: reply.poll !== undefined };
  const field = Object.entries(legacy).find(([, isUsed]) => isV2 && isUsed)?.[0];
  if (field !== undefined) {
    const words = `The '${field}' field cannot be used when using MessageFlags.IS_COMPONENTS_V2`;
    throw mistake([...at, field], 'MESSAGE_CANNOT_USE_LEGACY_FIELDS_WITH_COMPONENTS_V2', words);
  }
  refuseLayout(reply.components, isV2, [...at, 'components']);
}
