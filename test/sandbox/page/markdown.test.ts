import { expect, it } from 'vitest';
import { parseMarkdown, type Token } from '../../../sandbox/page/markdown.ts';
import { table } from '../../table.ts';

/** Texts as they are, whatever else is a token as `type(parts)`, with `¦` between two tokens and `⏎` for the end of a line. */
function written(tokens: readonly Token[]): string {
  const shown = tokens.map(({ type, ...token }) => {
    const parts = Object.values(token).map((part) => (Array.isArray(part) ? written(part) : String(part)));
    return type === 'text' ? parts.join() : `${type}(${parts.join(', ')})`;
  });
  return shown.join('¦').replaceAll('\n', '⏎');
}

it.each([
  ...table`
    plain text | Ember Drake | Ember Drake
    bold | a **b** c | a ¦bold(b)¦ c
    italic with stars | *a* | italic(a)
    italic with underscores | _a_ | italic(a)
    underline | __a__ | underline(a)
    strike | ~~a~~ | strike(a)
    bold inside of italic | ***a*** | bold(italic(a))
    styles inside of styles | **a __b__** | bold(a ¦underline(b))
    snake_case_names as they are | a_b_c | a_b_c
    stars between spaces as they are | 2 * 3 * 4 | 2 * 3 * 4
    a style that is never closed | **a | **a
    a quote over two lines | > a⏎> b⏎c | quote(a⏎b)¦c
    a quote to the end | >>> a⏎b | quote(a⏎b)
    a sign in the middle of a line | a > b | a > b
    a heading | ## a⏎b | heading(2, a)¦b
    a number sign | #1 | #1
    subtext | -# a | subtext(a)
    a list | - a⏎* b⏎c | item(a)¦item(b)¦c
    line breaks | a⏎b | a⏎b
    an address | see https://example.com/a. | see ¦link(https://example.com/a, https://example.com/a)¦.
    an address in angles | <https://example.com/a> | link(https://example.com/a, https://example.com/a)
    a masked link | [a](https://example.com/b) | link(https://example.com/b, a)
    javascript: as text | [a](javascript:alert(1)) | [a](javascript:alert(1))
    data: as text | [a](data:text/html,b) | [a](data:text/html,b)
    what no browser could open as text | <https://[> | <https://[>
    a timestamp without style | <t:1700000000> | timestamp(1700000000, f)
    a relative timestamp | <t:1700000000:R> | timestamp(1700000000, R)
    a timestamp before 1970 | <t:-5:t> | timestamp(-5, t)
    a timestamp of an unknown style as text | <t:5:x> | <t:5:x>
    a timestamp beyond all dates as text | <t:99999999999999:R> | <t:99999999999999:R>
    an escaped timestamp as text | \<t:5:R> | <t:5:R>
    a member, whose name is left to the page | <@12345678901234567> | member(12345678901234567)
    a member by an older form | <@!12345678901234567> | member(12345678901234567)
    a role | <@&123456789012345678> | mention(@123456789012345678)
    a channel | <#123456789012345678> | mention(#123456789012345678)
    a command | </card:123456789012345678> | mention(/card)
    everyone | @everyone | mention(@everyone)
    whoever is here | @here | mention(@here)
    escaped stars | \*\*a\*\* | **a**
    escaped underscores | \_\_a\_\_ | __a__
    an escaped link | \[a](https\://b) | [a](https://b)
    an escaped quote | \> a | > a
    an escaped heading | \# a | # a
    an escaped mention | \@everyone | @everyone
    a backslash before a letter | a\b | a\b
  `,
  ['a spoiler', '||a||', 'spoiler(a)'],
  ['an escaped spoiler', '\\|\\|a\\|\\|', '||a||'],
  ['code', '`**a**`', 'code(**a**)'],
  ['escaped code', '\\`a\\`', '`a`'],
  ['a code block', '```ts⏎let a⏎```', 'code-block(let a)'],
  ['a code block without language', '```a b⏎c```', 'code-block(a b⏎c)'],
])('Markdown is read: %s', (_, source = '', tokens) => {
  expect(written(parseMarkdown(source.replaceAll('⏎', '\n')))).toBe(tokens);
});

it.each(['*', '_', '`', '~', '|', '[', '<', '>', '> ', '\\', '**_', '[a](', '||`', '\n'])(
  'reading Markdown terminates on 4,096 characters of %j',
  (piece) => expect(parseMarkdown(piece.repeat(Math.ceil(4096 / piece.length)))).not.toHaveLength(0),
);
