import type { Page } from 'playwright-core';
import { contrast } from './contrast.ts';

/** Below this, WCAG 2 calls a text of normal size illegible: https://www.w3.org/TR/WCAG22/#contrast-minimum */
const LEAST_CONTRAST = 4.5;

/**
 * For the browser, whose types are not those of Node: every visible text with its colour and the one behind it, shadow roots included. A
 * canvas lays the backgrounds over each other, as the browser does. Disabled controls may be pale.
 */
const COLOURS = `(() => {
  const pen = Object.assign(document.createElement('canvas'), { width: 1, height: 1 })
    .getContext('2d', { willReadFrequently: true });
  const paint = (colour, alpha = 1) => {
    pen.globalAlpha = alpha;
    pen.fillStyle = colour;
    pen.fillRect(0, 0, 1, 1);
  };
  const painted = () => pen.getImageData(0, 0, 1, 1).data.slice(0, 3).reduce((colour, part) => colour * 256 + part, 0);
  const parentOf = (node) => node.assignedSlot ?? node.parentElement ?? node.getRootNode().host;
  const coloursOf = (shown) => {
    const styles = [];
    for (let node = shown; node; node = parentOf(node)) styles.push(getComputedStyle(node));
    paint('#fff');
    for (const { backgroundColor } of styles.toReversed()) paint(backgroundColor);
    const behind = painted();
    paint(styles[0].color, styles.reduce((alpha, { opacity }) => alpha * Number(opacity), 1));
    return [painted(), behind];
  };
  const found = [];
  const visit = (root) => {
    for (const node of root.querySelectorAll('*')) {
      if (node.shadowRoot) visit(node.shadowRoot);
      const text = [...node.childNodes].filter(({ nodeType }) => nodeType === 3).map(({ data }) => data).join('').trim();
      if (text === '' || /^(STYLE|SCRIPT|OPTION)$/.test(node.tagName) || node.disabled || !node.checkVisibility()) continue;
      found.push({ text, colours: coloursOf(node) });
    }
  };
  visit(document.body);
  return found;
})()`;

/** The texts on the page that stand out too little from what is behind them, and how many were looked at. */
export async function illegibleTexts(page: Page): Promise<{ count: number; pale: string[] }> {
  const found: { text: string; colours: [number, number] }[] = await page.evaluate(COLOURS);
  const texts = found.map(({ text, colours }) => ({ text, contrast: contrast(...colours) }));
  const pale = texts.filter(({ contrast }) => contrast < LEAST_CONTRAST);
  return { count: texts.length, pale: pale.map(({ text, contrast }) => `${contrast.toFixed(1)}: ${text}`) };
}
