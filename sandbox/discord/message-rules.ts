import { IncomingWebhookInteractionRequestSchema } from 'discord-api-spec/zod';
import { type APIAttachment, type APIEmbed, ComponentType, MessageFlags } from 'discord-api-types/v10';

import type { AttachmentForm } from './attachment-rules.ts';
import type { MessageBody } from './chat.ts';
import { componentMistakes, kindMistakes } from './component-rules.ts';
import type { Row } from './components.ts';
import { type Mistake, notEmulated, otherScheme, type Path, readForm, refuse, textsIn, when, within } from './forms.ts';

/** The body of a message or an edit: an absent field is unchanged, null clears it. */
export interface MessageForm {
  content?: string | null;
  embeds?: APIEmbed[] | null;
  components?: Row[] | null;
  attachments?: AttachmentForm[] | null;
  flags?: number | null;
}

const KINDS = [ComponentType.ActionRow, ComponentType.Button, ComponentType.StringSelect];

/** @throws ApiError 50035 with `at` before every path */
export function readMessage(body: unknown, at: Path = []): MessageForm {
  const schema = IncomingWebhookInteractionRequestSchema;
  const { poll, ...form } = readForm<MessageForm & { poll?: unknown }>(schema, body, at);
  const { flags, embeds, components } = form;
  // Rules of components do not know kinds that are not emulated.
  refuse(
    [...notEmulated(poll != null, ['poll']), ...within(['components'], kindMistakes(components ?? [], KINDS))],
    at,
  );
  // Of the flags that a bot may set, only this one is emulated; the code is a guess.
  const isFlagged = ((flags ?? 0) & ~MessageFlags.Ephemeral) !== 0;
  const mistakes = [
    ...when(isFlagged, ['flags'], 'MESSAGE_FLAGS_INVALID', 'These message flags cannot be set.'),
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

const LONGEST_TOTAL = 6_000; // over all embeds of a message; resources/message, "Embed Limits"
const TOO_LONG = `Embed size exceeds maximum size of ${LONGEST_TOTAL}`;

/** What the specification does not say of embeds. */
function embedMistakes(embeds: readonly APIEmbed[]): Mistake[] {
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
