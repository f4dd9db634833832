import '@skyra/discord-components-core/discord-code.js';
import '@skyra/discord-components-core/discord-pre.js';
import '@skyra/discord-components-core/discord-quote.js';
import '@skyra/discord-components-core/discord-spoiler.js';
import { element } from './element.ts';
import { parseMarkdown, type Token } from './markdown.ts';
import { timeElement } from './ticking-times.ts';

// The library's <discord-bold> and its like put line breaks around their slot, which show where white space is kept
const STYLE_TAGS = { bold: 'strong', italic: 'em', underline: 'u', strike: 's', subtext: 'small' } as const;

/** Discord's Markdown as nodes. Text only ever becomes text, and addresses are http or https. */
export function markdown(source: string, locale: string): HTMLElement {
  return element('span', { className: 'markdown' }, ...nodes(parseMarkdown(source), locale));
}

function nodes(tokens: readonly Token[], locale: string): (Node | string)[] {
  return tokens.map((token) => node(token, locale));
}

function node(token: Token, locale: string): Node | string {
  switch (token.type) {
    case 'text':
      return token.text;
    case 'code':
      return element('discord-code', {}, token.text);
    case 'code-block':
      return element('discord-code', { multiline: true, embed: true }, token.text);
    case 'link':
      return linkNode(token.href, nodes(token.children.flatMap(withoutLinks), locale));
    case 'timestamp':
      return timeElement(token.seconds, token.style, locale);
    case 'mention':
      return element('span', { className: 'mention' }, token.text);
    case 'heading':
      return element('strong', { className: `heading-${token.level}` }, ...nodes(token.children, locale));
    case 'quote':
      return element('discord-quote', {}, element('span', {}, ...nodes(token.children, locale)));
    case 'spoiler':
      return spoilerNode(nodes(token.children, locale));
    default:
      return element(STYLE_TAGS[token.type], {}, ...nodes(token.children, locale));
  }
}

function linkNode(href: string, label: (Node | string)[]): Node {
  return element('a', { href, target: '_blank', rel: 'noopener noreferrer' }, ...label);
}

/** A link's label may hold another address, but a link inside of a link is no HTML. */
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
