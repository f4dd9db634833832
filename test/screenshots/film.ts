import { writeFile } from 'node:fs/promises';
import type { Browser, Page } from 'playwright-core';
import { type Frame, movingPicture } from './webp.ts';

const SIZE = { width: 1_000, height: 600 };
/** For each key, as somebody types who is looking. */
const TYPING_MS = 160;
const GLANCE_MS = 700;
/** What has happened can be read. */
const READ_MS = 1_800;
/** On any machine. */
const LASTS_MS = 13_000;
const SHORTEST_MS = 40;
const QUALITY = 0.8;
/** What is beside the story is left out: other places, and switches. */
const STORY_ALONE = `
  .page { grid-template: minmax(0, 1fr) / minmax(0, 1fr) 260px !important; }
  .left, .channel, .hint, .panel > :last-child { display: none !important; }
  .guide { padding: 8px !important; }
  .composer { padding-bottom: 14px !important; caret-color: transparent; }
`;
// For the browser, whose types are not those of Node.
const DIFFERENCE = new Function(
  'frame',
  `return (async () => {
  const picture = await createImageBitmap(await (await fetch('data:image/png;base64,' + frame.png)).blob());
  const { width, height } = picture;
  const canvas = new OffscreenCanvas(width, height);
  const pen = canvas.getContext('2d', { alpha: false, willReadFrequently: true });
  pen.drawImage(picture, 0, 0);
  const pixels = new Uint32Array(pen.getImageData(0, 0, width, height).data.buffer);
  const before = globalThis.before;
  globalThis.before = pixels;
  let [left, top, right, bottom] = before ? [width, height, -1, -1] : [0, 0, width - 1, height - 1];
  if (before) pixels.forEach((pixel, at) => {
    if (pixel === before[at]) return;
    const [x, y] = [at % width, Math.floor(at / width)];
    [left, top, right, bottom] = [Math.min(left, x), Math.min(top, y), Math.max(right, x), Math.max(bottom, y)];
  });
  if (right < 0) return undefined;
  const [x, y] = [left - (left % 2), top - (top % 2)];
  const part = new OffscreenCanvas(right + 1 - x, bottom + 1 - y);
  part.getContext('2d', { alpha: false }).drawImage(picture, -x, -y);
  const bytes = new Uint8Array(await (await part.convertToBlob({ type: 'image/webp', quality: frame.quality })).arrayBuffer());
  return { webp: bytes.toBase64(), x, y, width: part.width, height: part.height };
})();`,
) as (frame: {
  png: string;
  quality: number;
}) => Promise<(Omit<Frame, 'webp' | 'durationMs'> & { webp: string }) | undefined>;

interface Shown {
  png: string;
  durationMs: number;
}

/** The story in the page of a sandbox that nobody has used: a name is found, thirty ask, the bot is killed and answers. */
export async function film(browser: Browser, url: string, colorScheme: 'dark' | 'light', path: string): Promise<void> {
  const page = await browser.newPage({ viewport: SIZE, timezoneId: 'UTC', colorScheme });
  await page.goto(url);
  await page.getByRole('button', { name: 'Send' }).waitFor();
  await styled(page, STORY_ALONE);
  const seen = await record(page);
  await page.close();
  await writeFile(path, movingPicture(await framesOf(browser, seen)));
}

/** Adds this to the page's style until it is called again. The page's policy allows no style element. */
export async function styled(page: Page, css: string): Promise<void> {
  await page.evaluate(`document.adoptedStyleSheets = [new CSSStyleSheet()];
document.adoptedStyleSheets[0].replaceSync(${JSON.stringify(css)});`);
}

async function tellStory(page: Page): Promise<void> {
  const pause = (ms: number) => page.waitForTimeout(ms);
  const type = (text: string) => page.keyboard.type(text, { delay: TYPING_MS });
  const happened = page.getByRole('region', { name: 'A guided minute' }).locator('p.good');
  await pause(GLANCE_MS);
  await type('/card');
  await page.keyboard.press('Enter');
  await type('ember');
  await page.getByRole('option', { name: 'Emberwing Drake' }).first().waitFor();
  await pause(GLANCE_MS);
  await page.keyboard.press('Enter');
  await page.keyboard.press('Enter');
  await page.locator('.embed img').last().waitFor();
  await pause(READ_MS);
  await page.getByRole('button', { name: 'Thirty ask at once' }).click();
  await happened.getByText('30 members asked').waitFor();
  await pause(READ_MS);
  await page.getByRole('button', { name: 'Kill the bot while members wait' }).click();
  await happened.getByText('when the bot was killed').waitFor();
  await pause(READ_MS);
}

/** What the page shows while the story is told, whenever it changes. */
async function record(page: Page): Promise<Shown[]> {
  const session = await page.context().newCDPSession(page);
  const seen: { png: string; atMs: number }[] = [];
  session.on('Page.screencastFrame', ({ data, metadata: { timestamp = 0 }, sessionId }) => {
    seen.push({ png: data, atMs: timestamp * 1_000 });
    void session.send('Page.screencastFrameAck', { sessionId });
  });
  await session.send('Page.startScreencast', { format: 'png' });
  await tellStory(page);
  await session.send('Page.stopScreencast');
  const endMs = Date.now();
  const inTurn = seen.sort((a, b) => a.atMs - b.atMs);
  const speed = (endMs - (inTurn[0]?.atMs ?? 0)) / LASTS_MS;
  return inTurn.map(({ png, atMs }, at) => ({ png, durationMs: ((inTurn[at + 1]?.atMs ?? endMs) - atMs) / speed }));
}

async function framesOf(browser: Browser, shown: readonly Shown[]): Promise<Frame[]> {
  const page = await browser.newPage();
  const frames: Frame[] = [];
  let skippedMs = 0;
  for (const { png, durationMs } of shown) {
    skippedMs += durationMs;
    if (skippedMs < SHORTEST_MS) continue;
    const changed = await page.evaluate(DIFFERENCE, { png, quality: QUALITY });
    const last = frames.at(-1);
    if (changed) frames.push({ ...changed, webp: Buffer.from(changed.webp, 'base64'), durationMs: skippedMs });
    else if (last) last.durationMs += skippedMs;
    skippedMs = 0;
  }
  await page.close();
  return frames.map((frame) => ({ ...frame, durationMs: Math.round(frame.durationMs) }));
}
