import '@skyra/discord-components-core/discord-code.js';
import '@skyra/discord-components-core/discord-pre.js';
import '@skyra/discord-components-core/discord-quote.js';
import '@skyra/discord-components-core/discord-spoiler.js';
import { element, linkTo } from './element.ts';
import { parseMarkdown, type Token } from './markdown.ts';
import { timeElement } from './ticking-times.ts';

// The library's <discord-bold> and similar elements have line breaks around their slot, which are visible with `pre-wrap`
const STYLE_TAGS = { bold: 'strong', italic: 'em', underline: 'u', strike: 's', subtext: 'small' } as const;

/** The language of a text, and the names for its mentions. */
export interface Reader {
  /** Discord locale. */
  locale: string;
  /** `undefined` for an unknown member. */
  nameOf(memberId: string): string | undefined;
}

/** Discord's Markdown as DOM nodes. Text always becomes text nodes, and links are http or https. */
export function markdown(source: string, reader: Reader): HTMLElement {
  return element('span', { className: 'markdown' }, ...nodes(parseMarkdown(source), reader));
}

function nodes(tokens: readonly Token[], reader: Reader): (Node | string)[] {
  return tokens.map((token) => node(token, reader));
}

function node(token: Token, reader: Reader): Node | string {
  switch (token.type) {
    case 'text':
      return token.text;
    case 'code':
      return element('discord-code', {}, token.text);
    case 'code-block':
      return element('discord-code', { multiline: true, embed: true }, token.text);
    case 'link':
      return linkTo(token.href, ...nodes(token.children.flatMap(withoutLinks), reader));
    case 'timestamp':
      return timeElement(token.seconds, token.style, reader.locale);
    case 'member':
      return element('span', { className: 'mention' }, `@${reader.nameOf(token.id) ?? 'unknown-user'}`);
    case 'mention':
      return element('span', { className: 'mention' }, token.text);
    case 'heading':
      return element('strong', { className: `heading-${token.level}` }, ...nodes(token.children, reader));
    case 'quote':
      return element('discord-quote', {}, element('span', {}, ...nodes(token.children, reader)));
    case 'item':
      return element('span', { className: 'item' }, ...nodes(token.children, reader));
    case 'spoiler':
      return spoilerNode(nodes(token.children, reader));
    default:
      return element(STYLE_TAGS[token.type], {}, ...nodes(token.children, reader));
  }
}

/** A link's label can contain another address, but HTML does not allow nested links. */
function withoutLinks(token: Token): Token[] {
  return token.type === 'link' ? token.children : [token];
}

function spoilerNode(hidden: (Node | string)[]): Node {
  const spoiler = element('discord-spoiler', { tabIndex: 0, role: 'button', ariaLabel: 'Spoiler' }, ...hidden);
  spoiler.addEventListener('keydown', (event) => {
    if (event.key === 'Enter' || event.key === ' ') spoiler.activated = true;
  });
  return spoiler;
}
