import '@skyra/discord-components-core/discord-embed.js';
import '@skyra/discord-components-core/discord-embed-description.js';
import '@skyra/discord-components-core/discord-embed-field.js';
import '@skyra/discord-components-core/discord-embed-fields.js';
import '@skyra/discord-components-core/discord-embed-footer.js';
import type { APIEmbed, APIEmbedField } from 'discord-api-types/v10';
import { element, linkTo } from './element.ts';
import { markdown, type Reader } from './markdown-view.ts';
import { usePageStyle } from './shadow-style.ts';

/**
 * An embed as Discord shows it: Markdown in title, description and field values, not in author and footer.
 *
 * Title and author are passed in slots, not in the component's attributes: those render no Markdown, and treat any word
 * of 17 digits as an emoji to be loaded from Discord's CDN.
 */
export function embedElement(embed: APIEmbed, reader: Reader): HTMLElement {
  const { color, author, title, url, description, fields = [], footer, timestamp } = embed;
  const made = element('discord-embed', {
    slot: 'embeds',
    color: color ? `#${color.toString(16).padStart(6, '0')}` : undefined,
    image: embed.image?.proxy_url,
    thumbnail: embed.thumbnail?.proxy_url,
  });
  usePageStyle(made);
  if (embed.image) describe(made, '.discord-embed-image', embed.image);
  if (embed.thumbnail) describe(made, '.discord-embed-thumbnail', embed.thumbnail);
  if (author) made.append(inSlot('description', 'embed-author', author.name));
  if (title) made.append(inSlot('description', 'embed-title', titleNode(title, url, reader)));
  if (description) {
    made.append(element('discord-embed-description', { slot: 'description' }, markdown(description, reader)));
  }
  if (fields.length > 0) made.append(fieldsElement(fields, reader));

  const when = timestamp === undefined ? [] : [new Date(timestamp).toLocaleString(reader.locale)];
  const footnote = [footer?.text ?? [], when].flat().join(' • ');
  if (footnote) made.append(element('discord-embed-footer', { slot: 'footer' }, footnote));
  return made;
}

/** The component gives every picture the same alternative text. */
function describe(
  made: HTMLElementTagNameMap['discord-embed'],
  picture: string,
  { description = 'Image' }: { description?: string },
): void {
  void made.updateComplete.then(() => made.shadowRoot?.querySelector(picture)?.setAttribute('alt', description));
}

function titleNode(title: string, url: string | undefined, reader: Reader): Node {
  const words = markdown(title, reader);
  if (!url || !/^https?:/i.test(url)) return words;
  return linkTo(url, words);
}

/** Up to three inline fields form a row; the component needs the column of each. */
function fieldsElement(fields: readonly APIEmbedField[], reader: Reader): HTMLElement {
  const made = element('discord-embed-fields', { slot: 'fields' });
  let column = 0;
  for (const { name, value, inline } of fields) {
    column = inline ? (column % 3) + 1 : 0;
    const field = element('discord-embed-field', { inline: inline ?? false });
    if (inline) field.setAttribute('inline-index', String(column));
    field.append(element('div', { className: 'field-name' }, markdown(name, reader)), markdown(value, reader));
    made.append(field);
  }
  return made;
}

function inSlot(slot: string, className: string, content: Node | string): HTMLElement {
  return element('div', { slot, className }, content);
}
