import { TIMESTAMP_STYLES, type TimestampStyle } from './timestamp.ts';

export type Token =
  | { type: 'text' | 'code' | 'code-block'; text: string }
  | { type: 'bold' | 'italic' | 'underline' | 'strike' | 'spoiler' | 'quote' | 'subtext' | 'item'; children: Token[] }
  | { type: 'heading'; level: number; children: Token[] }
  | { type: 'link'; href: string; children: Token[] }
  | { type: 'timestamp'; seconds: number; style: TimestampStyle }
  | { type: 'member'; id: string }
  | { type: 'mention'; text: string };

interface Rule {
  /** Sticky: matched at the current position. */
  pattern: RegExp;
  /** Only at the start of a line, and not inside another style. */
  block?: true;
  /** `undefined` = the rule does not apply. */
  token(groups: Record<string, string | undefined>, whole: string): Token | undefined;
}

/** JavaScript dates end at 8.64e12 seconds. */
const LAST_SECOND = 8.64e12;

// The first matching rule wins. Order and patterns follow simple-markdown.
const RULES: readonly Rule[] = [
  { pattern: /\\(?<text>[^\p{L}\p{N}\s])/uy, token: ({ text = '' }) => ({ type: 'text', text }) },
  {
    pattern: /```(?:[\w+-]+\n)?\n*(?<text>.+?)\n*```/sy,
    token: ({ text = '' }) => ({ type: 'code-block', text }),
  },
  {
    pattern: /(?<!`)(?<ticks>`+)(?!`)(?<text>.*?[^`])\k<ticks>(?!`)/sy,
    token: ({ text = '' }) => ({ type: 'code', text }),
  },
  {
    block: true,
    pattern: />>> (?<rest>.*)|(?<lines>> [^\n]*(?:\n> [^\n]*)*)\n?/sy,
    token: ({ rest, lines = '' }) => ({ type: 'quote', children: nested(rest ?? lines.replace(/^> /gm, '')) }),
  },
  {
    block: true,
    pattern: /(?<marks>#{1,3}) +(?<text>[^\n]+)\n?/y,
    token: ({ marks = '', text = '' }) => ({ type: 'heading', level: marks.length, children: nested(text) }),
  },
  {
    block: true,
    pattern: /-# +(?<text>[^\n]+)\n?/y,
    token: ({ text = '' }) => ({ type: 'subtext', children: nested(text) }),
  },
  {
    block: true,
    pattern: /[-*] +(?<text>[^\n]+)\n?/y,
    token: ({ text = '' }) => ({ type: 'item', children: nested(text) }),
  },
  { pattern: /<t:(?<seconds>-?\d{1,17})(?::(?<style>[a-zA-Z]))?>/y, token: timestamp },
  { pattern: /<@!?(?<id>\d{17,20})>/y, token: ({ id = '' }) => ({ type: 'member', id }) },
  {
    pattern: /<(?<mark>@&|#)(?<id>\d{17,20})>/y,
    token: ({ mark = '', id }) => ({ type: 'mention', text: `${mark[0]}${id}` }),
  },
  { pattern: /<\/(?<name>[^:>]{1,100}):\d{17,20}>/y, token: ({ name }) => ({ type: 'mention', text: `/${name}` }) },
  { pattern: /@(?:everyone|here)/y, token: (_, text) => ({ type: 'mention', text }) },
  {
    pattern: /\[(?<label>(?:\\.|[^[\]\\])+)\]\(<?(?<href>https?:\/\/[^\s<>()]+)>?\)/sy,
    token: ({ label = '', href = '' }) => link(href, nested(label)),
  },
  {
    pattern: /<(?<angled>https?:\/\/[^\s<>]+)>|(?<bare>https?:\/\/[^\s<]*[^\s<.,:;"')\]])/y,
    token: ({ angled, bare }) => link(angled ?? bare ?? '', [{ type: 'text', text: angled ?? bare ?? '' }]),
  },
  styled('bold', /\*\*(?<inner>(?:\\.|[^\\])+?)\*\*(?!\*)/sy),
  styled('underline', /__(?<inner>(?:\\.|[^\\])+?)__(?!_)/sy),
  styled('italic', /\*(?![\s*])(?<inner>(?:\*\*|\\.|[^\\*])+?)(?<!\s)\*(?!\*)/sy),
  styled('italic', /_(?<inner>(?:__|\\.|[^\\_])+?)_(?![\p{L}\p{N}_])/suy),
  styled('strike', /~~(?<inner>(?:\\.|[^\\])+?)~~/sy),
  styled('spoiler', /\|\|(?<inner>(?:\\.|[^\\])+?)\|\|/sy),
];

/** Text without anything that could begin a style; a letter before `_` keeps snake_case together. */
const PLAIN = /[\p{L}\p{N}]+(?:_[\p{L}\p{N}]+)*|./suy;

/** Discord's Markdown as tokens. Unknown syntax stays text. */
export function parseMarkdown(source: string): Token[] {
  return parse(source, { blocks: true });
}

function nested(source: string): Token[] {
  return parse(source, { blocks: false });
}

function parse(source: string, { blocks }: { blocks: boolean }): Token[] {
  const tokens: Token[] = [];
  for (let at = 0; at < source.length; ) {
    const atLineStart = blocks && (at === 0 || source[at - 1] === '\n');
    const { token, length } = firstFit(source, at, atLineStart);
    const last = tokens.at(-1);
    if (token.type === 'text' && last?.type === 'text') last.text += token.text;
    else tokens.push(token);
    at += length;
  }
  return tokens;
}

function firstFit(source: string, at: number, atLineStart: boolean): { token: Token; length: number } {
  for (const { pattern, block, token } of RULES) {
    if (block && !atLineStart) continue;
    const match = matchAt(pattern, source, at);
    const made = match && token(match.groups ?? {}, match[0]);
    if (made) return { token: made, length: match[0].length };
  }
  const text = matchAt(PLAIN, source, at)?.[0] ?? source.slice(at);
  return { token: { type: 'text', text }, length: text.length };
}

function matchAt(pattern: RegExp, source: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(source);
}

function styled(type: 'bold' | 'italic' | 'underline' | 'strike' | 'spoiler', pattern: RegExp): Rule {
  return { pattern, token: ({ inner = '' }) => ({ type, children: nested(inner) }) };
}

function link(href: string, children: Token[]): Token | undefined {
  return URL.canParse(href) ? { type: 'link', href, children } : undefined;
}

function timestamp({ seconds, style = 'f' }: Record<string, string | undefined>): Token | undefined {
  const knownStyle = TIMESTAMP_STYLES.find((candidate) => candidate === style);
  if (!knownStyle || Math.abs(Number(seconds)) > LAST_SECOND) return undefined;
  return { type: 'timestamp', seconds: Number(seconds), style: knownStyle };
}
