import { type ComponentChildren, createContext } from 'preact';
import { useContext, useEffect, useMemo, useState } from 'preact/hooks';
import { parseMarkdown, type Token } from './markdown.ts';
import { type TimestampStyle, timestampText } from './timestamp.ts';

/** The language of a text, and the names for its mentions. */
interface Reader {
  /** Discord locale. */
  locale: string;
  /** `undefined` for an unknown member. */
  nameOf(memberId: string): string | undefined;
}

/** Who reads; outside of the chat, in the page's language. */
export const Reading = createContext<Reader>({ locale: 'en', nameOf: () => undefined });

/** Discord's Markdown. Links are http or https, and whatever else it says is text. */
export function Markdown({ source }: { source: string }) {
  const tokens = useMemo(() => parseMarkdown(source), [source]);
  return (
    <span class="markdown">
      <Tokens tokens={tokens} />
    </span>
  );
}

const STYLE_TAGS = { bold: 'strong', italic: 'em', underline: 'u', strike: 's', subtext: 'small' } as const;

function Tokens({ tokens }: { tokens: readonly Token[] }) {
  const { nameOf } = useContext(Reading);
  return tokens.map((token) => shownToken(token, nameOf));
}

function shownToken(token: Token, nameOf: Reader['nameOf']) {
  const inner = 'children' in token && <Tokens tokens={token.children} />;
  switch (token.type) {
    case 'text':
      return token.text;
    case 'code':
      return <code>{token.text}</code>;
    case 'code-block':
      return <pre>{token.text}</pre>;
    case 'link':
      return (
        <Link href={token.href}>
          {/* Its label can contain another address, but HTML does not allow nested links */}
          <Tokens tokens={token.children.flatMap((child) => (child.type === 'link' ? child.children : [child]))} />
        </Link>
      );
    case 'timestamp':
      return <Time {...token} />;
    case 'member':
      return <span class="mention">@{nameOf(token.id) ?? 'unknown-user'}</span>;
    case 'mention':
      return <span class="mention">{token.text}</span>;
    case 'heading':
      return <strong class={`heading-${token.level}`}>{inner}</strong>;
    case 'quote':
      return <blockquote>{inner}</blockquote>;
    case 'item':
      return <span class="item">{inner}</span>;
    case 'spoiler':
      return <Spoiler>{inner}</Spoiler>;
    default: {
      const Style = STYLE_TAGS[token.type];
      return <Style>{inner}</Style>;
    }
  }
}

/** To somewhere else. */
export function Link({ href, children }: { href: string; children: ComponentChildren }) {
  return (
    <a href={href} target="_blank" rel="noopener noreferrer">
      {children}
    </a>
  );
}

function Spoiler({ children }: { children: ComponentChildren }) {
  const [isShown, setShown] = useState(false);
  if (isShown) return <span class="spoiler">{children}</span>;
  return (
    <button type="button" class="spoiler" aria-label="Spoiler" onClick={() => setShown(true)}>
      {children}
    </button>
  );
}

/** A time in words; relative ones keep counting. */
export function Time({ seconds, style }: { seconds: number; style: TimestampStyle }) {
  const { locale } = useContext(Reading);
  const [, setSecond] = useState(0);
  useEffect(() => {
    const ticking = style === 'R' ? setInterval(() => setSecond((before) => before + 1), 1_000) : undefined;
    return () => clearInterval(ticking);
  }, [style]);
  const nowMs = Date.now();
  // Not announced: a countdown inside the chat's live region would be read out every second
  return (
    <time title={timestampText(seconds, 'F', { locale, nowMs })} aria-live="off">
      {timestampText(seconds, style, { locale, nowMs })}
    </time>
  );
}
