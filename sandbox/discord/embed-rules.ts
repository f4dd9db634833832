import type { APIEmbed } from 'discord-api-types/v10';

import { type Mistake, otherScheme, type Path, textsIn, when, within } from './form-error.ts';

const LONGEST_TOTAL = 6_000; // over all embeds of a message; resources/message, "Embed Limits"
const TOO_LONG = `Embed size exceeds maximum size of ${LONGEST_TOTAL}`;

/** What the specification does not say of embeds. */
export function embedMistakes(embeds: readonly APIEmbed[]): Mistake[] {
  const total = embeds.flatMap(countedTexts).reduce((sum, text = '') => sum + text.length, 0);
  return [
    ...embeds.flatMap((embed, index) => within([index], mistakesIn(embed))),
    ...when(total > LONGEST_TOTAL, [], 'MAX_EMBED_SIZE_EXCEEDED', TOO_LONG),
  ];
}

function countedTexts({ title, description, footer, author, fields = [] }: APIEmbed): (string | undefined)[] {
  return [title, description, footer?.text, author?.name, ...fields.flatMap(({ name, value }) => [name, value])];
}

function mistakesIn(embed: APIEmbed): Mistake[] {
  const addresses = textsIn(embed).filter(({ path }) => path.at(-1)?.endsWith('url'));
  return [
    ...missingIn(embed).flatMap((path) => when(true, path, 'BASE_TYPE_REQUIRED', 'This field is required')),
    ...addresses.flatMap(({ path, text }) => otherScheme(path, text, schemesAt(path.join('.')))),
  ];
}

/** resources/message, "Embed Structure": a page is on the web, a picture can be a file of the message. */
function schemesAt(path: string): string[] {
  return ['url', 'author.url'].includes(path) ? ['http', 'https'] : ['http', 'https', 'attachment'];
}

/** Texts that, as reported, are neither absent nor blank; and of an embed that nothing can be seen of, the description. */
function missingIn({ title, description, footer, image, thumbnail, author, fields = [] }: APIEmbed): Path[] {
  const isSeen = title || description || footer || image || thumbnail || author || fields.length > 0;
  return [
    ...(isSeen ? [] : [['description']]),
    ...(author && !author.name ? [['author', 'name']] : []),
    ...(footer && !footer.text ? [['footer', 'text']] : []),
    ...(image && !image.url ? [['image', 'url']] : []),
    ...(thumbnail && !thumbnail.url ? [['thumbnail', 'url']] : []),
    ...fields.flatMap(({ name, value }, index) => [
      ...(name ? [] : [['fields', index, 'name']]),
      ...(value ? [] : [['fields', index, 'value']]),
    ]),
  ];
}
