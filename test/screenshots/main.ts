// Writes what every kind of reply in the sandbox says, and takes docs/replies/, the pictures of some; docs/chat.png, the chat
// alone; docs/sandbox.png, the whole page; and docs/story.webp, a moving picture of it. Names as arguments take their scenes
// alone.
import { spawn } from 'node:child_process';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Locator, Page } from 'playwright-core';
import { launchBrowser } from '../support/browser.ts';
import { film } from './film.ts';
import { PICTURES, SCENES } from './scenes.ts';
import { DESKTOP, openStage, play } from './stage.ts';
import { readWords, wordsOf, writeWords } from './words.ts';

const FOLDER = 'docs/replies';
const WHOLE_PAGE = { width: 1_280, height: 960 };
const CHAT = { width: 900, height: 556 };
/** What is beside the chat is left out, and the suggestions stand beside the card, whose picture is smaller. */
const CHAT_ALONE = `
  body { grid-template: minmax(0, 1fr) / minmax(0, 1fr) !important; }
  body > :not(main), .channel, .guide, .welcome, .hint { display: none !important; }
  .suggestions { left: 460px !important; }
  .composer { padding-bottom: 14px !important; }
`;
// For the browser, whose types are not those of Node. The page's policy allows no style element.
const LEAVE_OUT = `document.adoptedStyleSheets = [new CSSStyleSheet()];
document.adoptedStyleSheets[0].replaceSync(${JSON.stringify(CHAT_ALONE)});
document.querySelector('discord-embed').shadowRoot.querySelector('.discord-embed-image').style.maxHeight = '210px';`;
const SHOW_ALL = 'document.adoptedStyleSheets = [];';
const PICTURES_LOADED = 'Promise.all(Array.from(document.images, (image) => image.decode().catch(() => {})))';

type Box = NonNullable<Awaited<ReturnType<Locator['boundingBox']>>>;

/** Above and below. */
const MARGIN = 8;
const THEMES = [
  { colorScheme: 'dark', suffix: '', messages: 'discord-messages:not([light-theme])' },
  { colorScheme: 'light', suffix: '-light', messages: 'discord-messages[light-theme]' },
] as const;

const wanted = process.argv.slice(2);
const isAll = wanted.length === 0;
const scenes = SCENES.filter(({ shots }) => isAll || shots.some(({ name }) => wanted.includes(name)));
const words = isAll ? new Map<string, string>() : await readWords();
if (isAll) await rm(FOLDER, { recursive: true, force: true });
await mkdir(FOLDER, { recursive: true });
const browser = await launchBrowser();
const stage = await openStage(browser, 2);
for (const scene of scenes) {
  await play(scene, stage, async (shot, parts) => {
    if (shot.isChat) await shootChat(stage, shot.name);
    if (PICTURES.includes(shot.name)) await shoot(stage, shot.name, parts);
    words.set(shot.name, await wordsOf(parts));
  });
}
const inTurn = SCENES.flatMap(({ shots }) => shots.map(({ name }) => name)).filter((name) => words.has(name));
await writeWords(new Map(inTurn.map((name) => [name, words.get(name) ?? ''])));
if (isAll || wanted.includes('sandbox')) await inSandboxProgram(shootSandbox);
for (const { colorScheme, suffix } of isAll || wanted.includes('story') ? THEMES : []) {
  await inSandboxProgram((url) => film(browser, url, colorScheme, `docs/story${suffix}.webp`));
}
await browser.close();

async function shootChat(page: Page, name: string): Promise<void> {
  await page.setViewportSize(CHAT);
  for (const { colorScheme, suffix, messages } of THEMES) {
    await page.emulateMedia({ colorScheme });
    await page.locator(messages).waitFor({ state: 'attached' }); // then they are redrawn
    await page.evaluate(LEAVE_OUT);
    await page.evaluate(PICTURES_LOADED);
    await page.mouse.move(CHAT.width - 1, CHAT.height - 1); // the menu of a message appears under the mouse
    await page.screenshot({ path: `docs/${name}${suffix}.png` });
    await page.evaluate(SHOW_ALL);
  }
  await page.emulateMedia({ colorScheme: 'dark' });
  await page.setViewportSize(DESKTOP);
}

async function shoot(page: Page, name: string, parts: readonly Locator[]): Promise<void> {
  await page.evaluate(PICTURES_LOADED);
  await page.mouse.move(0, 0);
  const boxes = await boxesInView(page, parts);
  const x = Math.min(...boxes.map((box) => box.x));
  const margin = boxes.length === 1 ? MARGIN : 0; // parts of the page have one of their own
  const y = Math.min(...boxes.map((box) => box.y)) - margin;
  const width = Math.max(...boxes.map((box) => box.x + box.width)) - x;
  const height = Math.max(...boxes.map((box) => box.y + box.height)) + margin - y;
  const path = join(FOLDER, `${name}.jpg`);
  await page.screenshot({ path, type: 'jpeg', quality: 80, scale: 'css', clip: { x, y, width, height } });
}

async function boxesInView(page: Page, parts: readonly Locator[]): Promise<Box[]> {
  for (let tries = 1; ; tries++) {
    try {
      for (const part of [page.locator('main'), ...parts]) await part.scrollIntoViewIfNeeded();
      const boxes = await Promise.all(parts.map((part) => part.boundingBox()));
      if (boxes.every((box) => box !== null)) return boxes;
    } catch (error) {
      if (tries >= 5) throw error; // a message may be redrawn meanwhile
    }
  }
}

/** @param work gets the address of the page of `npm run sandbox` */
async function inSandboxProgram(work: (url: string) => Promise<void>): Promise<void> {
  const sandbox = spawn(process.execPath, ['sandbox/main.ts', '--port', '0'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let url: string | undefined;
  for await (const line of createInterface(sandbox.stdout)) {
    url = /Open (\S+)/.exec(line)?.[1];
    if (url) break;
  }
  sandbox.stdout.resume(); // its log
  await work(url ?? '').finally(() => sandbox.kill());
}

/** As somebody finds it who has pressed the first button. */
async function shootSandbox(url: string): Promise<void> {
  const page = await browser.newPage({ viewport: WHOLE_PAGE, timezoneId: 'UTC', colorScheme: 'dark' });
  await page.goto(url);
  await page.getByRole('button', { name: 'Find a card by name' }).click();
  await page.getByText('The card itself took').waitFor();
  await page.mouse.move(0, 0);
  await page.evaluate(PICTURES_LOADED);
  await page.screenshot({ path: 'docs/sandbox.png' });
  await page.close();
}
