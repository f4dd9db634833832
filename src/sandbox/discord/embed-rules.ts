import type { APIEmbed } from 'discord-api-types/v10';
import * as z from 'zod';

import { address, complaint, integer, list, requiredText, text, unused, withoutAnyNulls } from './field-rules.ts';

const LONGEST_TOTAL = 6_000; // over all embeds of a message; resources/message, "Embed limits"

const link = address(['http', 'https']).exactOptional();
const picture = address(['http', 'https', 'attachment']);
// Bots may set the alternative text since discord/discord-api-docs#8373. No length is documented; this is that of a
// component's media.
const media = z.object({
  url: picture,
  description: text({ max: 1_024 }).exactOptional(),
  width: unused(z.int()),
  height: unused(z.int()),
  placeholder: unused(text({ max: 64 })),
  placeholder_version: unused(integer({ min: 0, max: 2 ** 31 - 1 })),
  is_animated: unused(z.boolean()),
});

const timestamp = z
  .string()
  .refine((value) => !Number.isNaN(Date.parse(value)), complaint('DATE_TIME_TYPE_PARSE', 'Should be ISO8601.'));

const field = z.object({
  name: requiredText(256),
  value: requiredText(1_024),
  inline: z.boolean().default(false),
});

/** One embed within Discord's limits; unknown fields are dropped. */
const Embed = z
  .object({
    title: text({ max: 256 }).exactOptional(),
    description: text({ max: 4_096 }).exactOptional(),
    url: link,
    timestamp: timestamp.exactOptional(),
    color: integer({ min: 0, max: 0xff_ff_ff }).exactOptional(),
    footer: z.object({ text: requiredText(2_048), icon_url: picture.exactOptional() }).exactOptional(),
    image: media.exactOptional(),
    thumbnail: media.exactOptional(),
    author: z.object({ name: requiredText(256), url: link, icon_url: picture.exactOptional() }).exactOptional(),
    fields: list(field, { max: 25 }).exactOptional(),
    type: unused(text({ max: 152_133 })),
    provider: unused(z.object({ name: text({ max: 256 }).exactOptional(), url: link })),
    video: unused(media.partial()),
  })
  .refine(showsSomething, {
    ...complaint('BASE_TYPE_REQUIRED', 'This field is required'),
    path: ['description'],
  });

export const Embeds = z.preprocess(
  withoutAnyNulls,
  list(Embed, { max: 10 }).refine(
    (embeds) => embeds.reduce((total, embed) => total + embedLength(embed), 0) <= LONGEST_TOTAL,
    complaint('MAX_EMBED_SIZE_EXCEEDED', `Embed size exceeds maximum size of ${LONGEST_TOTAL}`),
  ),
);

function showsSomething(embed: APIEmbed): boolean {
  const { title, description, footer, image, thumbnail, author, fields } = embed;
  return Boolean(title || description || footer || image || thumbnail || author || fields?.length);
}

/** Characters that count towards the total of 6,000. */
function embedLength({ title, description, footer, author, fields = [] }: APIEmbed): number {
  const texts = [title, description, footer?.text, author?.name, ...fields.flatMap(({ name, value }) => [name, value])];
  return texts.reduce((total, part) => total + (part?.length ?? 0), 0);
}
