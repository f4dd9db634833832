import {
  AttachmentResponseSchema,
  BasicGuildMemberResponseSchema,
  GuildChannelResponseSchema,
  GuildMemberResponseSchema,
  MessageResponseSchema,
  PrivateChannelResponseSchema,
  PrivateGroupChannelResponseSchema,
  ResolvedObjectsResponseSchema,
  UserPIIResponseSchema,
  UserResponseSchema,
} from 'discord-api-spec/zod';
import * as z from 'zod/mini';

/** A part of an event's `d` and the schema that it should have. */
export interface EventPart {
  at: string;
  schema: z.ZodMiniType;
  value: unknown;
}

// Gateway events are not in the specification. What they add to an object that is in it, by the documentation:
const Permissions = { permissions: z.optional(z.string()) };
/** interactions/receiving-and-responding, "Interaction Structure" */
const Member = z.extend(GuildMemberResponseSchema, Permissions);
/** interactions/receiving-and-responding, "Resolved Data Structure" */
const Resolved = z.extend(ResolvedObjectsResponseSchema, {
  messages: z.optional(z.record(z.string(), MessageResponseSchema)),
  attachments: z.optional(z.record(z.string(), AttachmentResponseSchema)),
  members: z.optional(z.record(z.string(), z.extend(BasicGuildMemberResponseSchema, Permissions))),
});
const Channel = z.union([GuildChannelResponseSchema, PrivateChannelResponseSchema, PrivateGroupChannelResponseSchema]);

const PARTS: Readonly<Record<string, readonly [at: string, schema: z.ZodMiniType][]>> = {
  READY: [['user', UserPIIResponseSchema]],
  INTERACTION_CREATE: [
    ['member', Member],
    ['user', UserResponseSchema],
    ['message', MessageResponseSchema],
    ['channel', Channel],
    ['data.resolved', Resolved],
  ],
};

/** The parts that are there. */
export function partsOf(type: string, d: unknown): EventPart[] {
  const parts = (PARTS[type] ?? []).map(([at, schema]) => ({ at, schema, value: within(d, at) }));
  return parts.filter(({ value }) => value !== undefined);
}

function within(value: unknown, at: string): unknown {
  const names = at === '' ? [] : at.split('.');
  return names.reduce((inner, name) => (inner as Record<string, unknown> | undefined)?.[name], value);
}
