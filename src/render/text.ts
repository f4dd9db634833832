// Characters that hide, reverse or break text: controls, bidirectional overrides, zero-width and other invisible characters.
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\u{115F}\u{1160}\u{3164}\u{FFA0}]/gu;

// Every character that begins something in Discord's Markdown, bare links, mentions, emoji and time stamps included,
// which discord.js's escapeMarkdown leaves as they are; and the dot of an address: Discord renders bare invites, too.
const MARKUP = /[\\*_~|`<>[\]()#:@+-]|\.(?=\p{L})|^\d+(?=\.\s)/gu;

// Most texts need no change, and this check saves a good part of the time that an embed takes.
const SIMPLE = /^[!-~]+(?: [!-~]+)*$/;
const SIMPLE_WITHOUT_MARKUP = /^[A-Za-z0-9]+(?:[ '/][A-Za-z0-9]+)*$/;

/**
 * Text of the service for a place where Discord renders Markdown: it shows as its own characters, mentions no member and
 * is no link. At most `maxLength` UTF-16 units, the escapes included.
 */
export function plainMarkdown(text: string, maxLength: number): string {
  if (text.length <= maxLength && SIMPLE_WITHOUT_MARKUP.test(text)) return text;
  const escaped = plainText(text, maxLength).replace(MARKUP, (found) =>
    /\d/.test(found) ? `${found}\\` : `\\${found}`,
  );
  return clip(escaped, maxLength);
}

/** Text of the service for a place without Markdown, such as a footer. */
export function plainText(text: string, maxLength: number): string {
  if (text.length <= maxLength && SIMPLE.test(text)) return text;
  return clip(text.replace(/\s+/g, ' ').replace(INVISIBLE, '').trim(), maxLength);
}

/** Cuts at a whole character, and marks the cut with an ellipsis. */
export function clip(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text;
  const kept = text.slice(0, maxLength - 1).replace(/[\uD800-\uDBFF]$/, '');
  return `${withoutHalfEscape(kept)}…`;
}

function withoutHalfEscape(text: string): string {
  const backslashes = /\\*$/.exec(text)?.[0].length ?? 0;
  return backslashes % 2 === 1 ? text.slice(0, -1) : text;
}
