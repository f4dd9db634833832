import { AllowedMentionsTypes as Kind } from 'discord-api-types/v10';
import * as z from 'zod';

import { distinct, snowflake } from './field-rules.ts';

const ids = distinct(snowflake, 100);

/** resources/message, "Allowed Mentions Object"; the leaf code is as reported. */
export const AllowedMentions = z
  .object({
    parse: distinct(z.literal([Kind.Everyone, Kind.Role, Kind.User]), 3)
      .nullable()
      .exactOptional(),
    roles: ids.nullable().exactOptional(),
    users: ids.nullable().exactOptional(),
    replied_user: z.boolean().nullable().exactOptional(),
  })
  .superRefine(({ parse, ...named }, context) => {
    const both = ([Kind.User, Kind.Role] as const).find((kind) => parse?.includes(kind) && named[kind]?.length);
    if (both === undefined) return;
    const message = `parse:["${both}"] and ${both}: [ids...] are mutually exclusive.`;
    context.addIssue({ code: 'custom', params: { code: 'MESSAGE_ALLOWED_MENTIONS_PARSE_EXCLUSIVE' }, message });
  });
