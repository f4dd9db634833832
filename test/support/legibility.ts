import type { Page } from 'playwright-core';

/** Below this, WCAG 2 calls a text of normal size illegible: https://www.w3.org/TR/WCAG22/#contrast-minimum */
const LEAST_CONTRAST = 4.5;

/**
 * For the browser, whose types are not those of Node: every visible text with its contrast, shadow roots included. A
 * canvas lays the backgrounds over each other, as the browser does. Disabled controls may be pale.
 */
const CONTRASTS = `(() => {
  const pen = Object.assign(document.createElement('canvas'), { width: 1, height: 1 })
    .getContext('2d', { willReadFrequently: true });
  const paint = (colour, alpha = 1) => {
    pen.globalAlpha = alpha;
    pen.fillStyle = colour;
    pen.fillRect(0, 0, 1, 1);
  };
  const luminance = () => [...pen.getImageData(0, 0, 1, 1).data.slice(0, 3)]
    .map((part) => part / 255)
    .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4))
    .reduce((sum, part, index) => sum + part * [0.2126, 0.7152, 0.0722][index], 0);
  const parentOf = (node) => node.assignedSlot ?? node.parentElement ?? node.getRootNode().host;
  const contrastOf = (shown) => {
    const styles = [];
    for (let node = shown; node; node = parentOf(node)) styles.push(getComputedStyle(node));
    paint('#fff');
    for (const { backgroundColor } of styles.toReversed()) paint(backgroundColor);
    const behind = luminance();
    paint(styles[0].color, styles.reduce((alpha, { opacity }) => alpha * Number(opacity), 1));
    const [darker, lighter] = [luminance(), behind].sort((a, b) => a - b);
    return (lighter + 0.05) / (darker + 0.05);
  };
  const found = [];
  const visit = (root) => {
    for (const node of root.querySelectorAll('*')) {
      if (node.shadowRoot) visit(node.shadowRoot);
      const text = [...node.childNodes].filter(({ nodeType }) => nodeType === 3).map(({ data }) => data).join('').trim();
      if (text === '' || /^(STYLE|SCRIPT|OPTION)$/.test(node.tagName) || node.disabled || !node.checkVisibility()) continue;
      found.push({ text, contrast: contrastOf(node) });
    }
  };
  visit(document.body);
  return found;
})()`;

/** The texts on the page that stand out too little from what is behind them, and how many were looked at. */
export async function illegibleTexts(page: Page): Promise<{ count: number; pale: string[] }> {
  const texts: { text: string; contrast: number }[] = await page.evaluate(CONTRASTS);
  const pale = texts.filter(({ contrast }) => contrast < LEAST_CONTRAST);
  return { count: texts.length, pale: pale.map(({ text, contrast }) => `${contrast.toFixed(1)}: ${text}`) };
}
