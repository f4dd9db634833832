import type { Locator } from 'playwright-core';

/** In the browser, whose types are not those of Node: each line of an element's text, and on how many it is shown. */
const readLines = new Function(
  'element',
  `const lines = [{ text: '', middles: [] }];
  const texts = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  for (let node = texts.nextNode(); node; node = texts.nextNode()) {
    let from = 0;
    for (const [at, part] of node.data.split('\\n').entries()) {
      if (at > 0) lines.push({ text: '', middles: [] });
      const range = document.createRange();
      range.setStart(node, from);
      range.setEnd(node, from + part.length);
      lines.at(-1).text += part;
      for (const { top, bottom, width } of range.getClientRects()) {
        if (width > 0) lines.at(-1).middles.push((top + bottom) / 2);
      }
      from += part.length + 1;
    }
  }
  return lines;`,
) as (element: object) => { text: string; middles: number[] }[];

/** Bold and small text of one line are not centred alike. */
const SAME_LINE = 6;
const MOVED = /[▲▼↑↓▁-█]/;
/** A price and its change, the curve and its range, and what the card is offered for. */
const OF_PRICE = /[▲▼↑↓▁-█]|\p{Sc}|[A-Z]{3}\s\d/u;

/** The lines of a card's price, where it has a past, that are two in the width of the page. */
export async function wrappedLines(parts: readonly Locator[]): Promise<string[]> {
  const descriptions = await Promise.all(parts.map((part) => part.locator('discord-embed-description').all()));
  const read = await Promise.all(descriptions.flat().map((description) => description.evaluate(readLines)));
  return read
    .filter((lines) => lines.some(({ text }) => MOVED.test(text)))
    .flatMap((lines) => lines.filter(({ text }) => OF_PRICE.test(text)))
    .filter(({ middles }) => Math.max(...middles) - Math.min(...middles) > SAME_LINE)
    .map(({ text }) => text);
}
