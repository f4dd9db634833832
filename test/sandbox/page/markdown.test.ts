import { describe, expect, it } from 'vitest';
import { parseMarkdown, type Token } from '../../../sandbox/page/markdown.ts';

type Span = 'bold' | 'italic' | 'underline' | 'strike' | 'spoiler' | 'quote' | 'subtext' | 'item';

const text = (text: string): Token => ({ type: 'text', text });
const around = (type: Span, inner: string): Token => ({ type, children: [text(inner)] });
const MEMBER: Token = { type: 'member', id: '12345678901234567' };
const linkTo = (href: string, label = href): Token => ({ type: 'link', href, children: [text(label)] });

describe('parseMarkdown', () => {
  it.each<[string, string, Token[]]>([
    ['plain text', 'Ember Drake', [text('Ember Drake')]],
    ['bold', 'a **b** c', [text('a '), around('bold', 'b'), text(' c')]],
    ['italic with stars', '*a*', [around('italic', 'a')]],
    ['italic with underscores', '_a_', [around('italic', 'a')]],
    ['underline', '__a__', [around('underline', 'a')]],
    ['strike', '~~a~~', [around('strike', 'a')]],
    ['a spoiler', '||a||', [around('spoiler', 'a')]],
    ['bold inside of italic', '***a***', [{ type: 'bold', children: [around('italic', 'a')] }]],
    ['styles inside of styles', '**a __b__**', [{ type: 'bold', children: [text('a '), around('underline', 'b')] }]],
    ['snake_case_names as they are', 'a_b_c', [text('a_b_c')]],
    ['stars between spaces as they are', '2 * 3 * 4', [text('2 * 3 * 4')]],
    ['a style that is never closed', '**a', [text('**a')]],
    ['code', '`**a**`', [{ type: 'code', text: '**a**' }]],
    ['a code block', '```ts\nlet a\n```', [{ type: 'code-block', text: 'let a' }]],
    ['a code block without language', '```a b\nc```', [{ type: 'code-block', text: 'a b\nc' }]],
    ['a quote over two lines', '> a\n> b\nc', [around('quote', 'a\nb'), text('c')]],
    ['a quote to the end', '>>> a\nb', [around('quote', 'a\nb')]],
    ['a sign in the middle of a line', 'a > b', [text('a > b')]],
    ['a heading', '## a\nb', [{ type: 'heading', level: 2, children: [text('a')] }, text('b')]],
    ['a number sign', '#1', [text('#1')]],
    ['subtext', '-# a', [around('subtext', 'a')]],
    ['a list', '- a\n* b\nc', [around('item', 'a'), around('item', 'b'), text('c')]],
    ['line breaks', 'a\nb', [text('a\nb')]],
    // Links lead only to http and https.
    ['an address', 'see https://example.com/a.', [text('see '), linkTo('https://example.com/a'), text('.')]],
    ['an address in angles', '<https://example.com/a>', [linkTo('https://example.com/a')]],
    ['a masked link', '[a](https://example.com/b)', [linkTo('https://example.com/b', 'a')]],
    ['javascript: as text', '[a](javascript:alert(1))', [text('[a](javascript:alert(1))')]],
    ['data: as text', '[a](data:text/html,b)', [text('[a](data:text/html,b)')]],
    ['what no browser could open as text', '<https://[>', [text('<https://[>')]],
    ['a timestamp without style', '<t:1700000000>', [{ type: 'timestamp', seconds: 1_700_000_000, style: 'f' }]],
    ['a relative timestamp', '<t:1700000000:R>', [{ type: 'timestamp', seconds: 1_700_000_000, style: 'R' }]],
    ['a timestamp before 1970', '<t:-5:t>', [{ type: 'timestamp', seconds: -5, style: 't' }]],
    ['a timestamp of an unknown style as text', '<t:5:x>', [text('<t:5:x>')]],
    ['a timestamp beyond all dates as text', '<t:99999999999999:R>', [text('<t:99999999999999:R>')]],
    ['an escaped timestamp as text', '\\<t:5:R>', [text('<t:5:R>')]],
    ['a member, whose name is left to the page', '<@12345678901234567>', [MEMBER]],
    ['a member by an older form', '<@!12345678901234567>', [MEMBER]],
  ])('reads %s', (_, source, tokens) => {
    expect(parseMarkdown(source)).toEqual(tokens);
  });

  it.each<[string, string]>([
    ['<@&123456789012345678>', '@123456789012345678'],
    ['<#123456789012345678>', '#123456789012345678'],
    ['</card:123456789012345678>', '/card'],
    ['@everyone', '@everyone'],
    ['@here', '@here'],
  ])('shows the mention %s as %s', (source, shown) => {
    expect(parseMarkdown(source)).toEqual([{ type: 'mention', text: shown }]);
  });

  it.each([
    ['\\*\\*a\\*\\*', '**a**'],
    ['\\_\\_a\\_\\_', '__a__'],
    ['\\|\\|a\\|\\|', '||a||'],
    ['\\`a\\`', '`a`'],
    ['\\[a](https\\://b)', '[a](https://b)'],
    ['\\> a', '> a'],
    ['\\# a', '# a'],
    ['\\@everyone', '@everyone'],
    ['a\\b', 'a\\b'],
  ])('takes %s literally after a backslash', (source, shown) => {
    expect(parseMarkdown(source)).toEqual([text(shown)]);
  });

  const PIECES = ['*', '_', '`', '~', '|', '[', '<', '>', '> ', '\\', '**_', '[a](', '||`', '\n'];
  it.each(PIECES)('terminates on 4,096 characters of %j', (piece) => {
    expect(parseMarkdown(piece.repeat(Math.ceil(4096 / piece.length)))).not.toHaveLength(0);
  });
});
