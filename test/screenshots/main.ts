// Takes docs/replies/: every kind of reply in the sandbox, in the dark and the light theme, on a desktop and on a phone;
// and docs/sandbox.png, the whole page. Names of scenes' pictures as arguments take those scenes alone.
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser, Locator, Page } from 'playwright-core';
import { createLog } from '../../src/log.ts';
import { startPageServer } from '../../src/sandbox/page-server.ts';
import { SAMPLE_CATALOG } from '../../src/sandbox/sample-cards.ts';
import { type Sandbox, startSandbox } from '../../src/sandbox/sandbox.ts';
import { CatalogDatabase } from '../../src/storage/sqlite/catalog/database.ts';
import { launchBrowser } from '../support/browser.ts';
import { bookEarlierToday, requestsEarlier } from './earlier-today.ts';
import { SCENES } from './scenes.ts';
import { reply, type Scene, type Shot } from './shot.ts';

const FOLDER = 'docs/replies';
const DESKTOP = { width: 1_180, height: 1_900 };
const PHONE = { width: 390, height: 2_400 };
const WHOLE_PAGE = { width: 1_280, height: 960 };
type Box = NonNullable<Awaited<ReturnType<Locator['boundingBox']>>>;

/** Above and below. */
const MARGIN = 8;
const WAIT_MS = 60_000;
const THEMES = [
  { colorScheme: 'dark', suffix: '', messages: 'discord-messages:not([light-theme])' },
  { colorScheme: 'light', suffix: '-light', messages: 'discord-messages[light-theme]' },
] as const;

// For the browser, whose types are not those of Node.
const PICTURES_LOADED = 'Promise.all(Array.from(document.images, (image) => image.decode().catch(() => {})))';

const wanted = process.argv.slice(2);
const scenes = SCENES.filter(({ shots }) => wanted.length === 0 || shots.some(({ name }) => wanted.includes(name)));
if (wanted.length === 0) await rm(FOLDER, { recursive: true, force: true });
await mkdir(FOLDER, { recursive: true });
const browser = await launchBrowser();
for (const scene of scenes) {
  await inSandbox(scene, browser, async (page, sandbox) => {
    for (const { name, before, show, again } of scene.shots) {
      const end = await before?.(sandbox);
      const shown = await show(page);
      if (typeof end === 'function') end();
      await shoot(page, name, shown, again);
      for (const _ of ['a list', 'a form']) await page.keyboard.press('Escape');
    }
  });
}
if (wanted.length === 0 || wanted.includes('sandbox')) await inSandbox({ shots: [] }, browser, shootPage);
await browser.close();

async function inSandbox(
  { options, isLively }: Scene,
  browser: Browser,
  work: (page: Page, sandbox: Sandbox) => Promise<void>,
): Promise<void> {
  const log = createLog({ level: 'silent', secrets: [] });
  const usedToday = isLively ? requestsEarlier(Date.now()) : 0;
  const service = { usedToday, ...options?.service };
  const sandbox = await startSandbox({ log, catalog: SAMPLE_CATALOG, ...options, service });
  if (isLively) {
    await (await sandbox.startBot()).stop(); // it creates the files
    bookEarlierToday(sandbox);
    confirmCatalog(sandbox);
  }
  await sandbox.startBot();
  const { discord, cardService } = sandbox;
  const server = await startPageServer({ port: 0, discord, cardService });
  const page = await browser.newPage({ viewport: DESKTOP, timezoneId: 'UTC', colorScheme: 'dark' });
  page.setDefaultTimeout(WAIT_MS);
  await page.goto(server.url);
  await page.getByRole('button', { name: 'Send' }).waitFor();
  await work(page, sandbox);
  await page.close();
  await server.close();
  await sandbox.stop();
}

/** As if the service had answered with every card of the catalog; then names are told from ids. */
function confirmCatalog({ config }: Sandbox): void {
  const database = CatalogDatabase.open(config.dataDir, createLog({ level: 'silent', secrets: [] }));
  database.upsert(SAMPLE_CATALOG, undefined);
  database.close();
}

async function shoot(page: Page, name: string, parts: readonly Locator[], again: Shot['again']): Promise<void> {
  for (const { colorScheme, suffix, messages } of THEMES) {
    await page.emulateMedia({ colorScheme });
    await page.locator(messages).waitFor({ state: 'attached' }); // then they are redrawn
    await again?.(page);
    await picture(page, parts, `${name}${suffix}`);
    await page.setViewportSize(PHONE);
    await picture(page, parts, `${name}-phone${suffix}`);
    await page.setViewportSize(DESKTOP);
  }
}

async function picture(page: Page, parts: readonly Locator[], name: string): Promise<void> {
  await page.evaluate(PICTURES_LOADED);
  await page.mouse.move(0, 0);
  const boxes = await boxesInView(page, parts);
  const x = Math.min(...boxes.map((box) => box.x));
  const margin = boxes.length === 1 ? MARGIN : 0; // parts of the page have one of their own
  const y = Math.min(...boxes.map((box) => box.y)) - margin;
  const width = Math.max(...boxes.map((box) => box.x + box.width)) - x;
  const height = Math.max(...boxes.map((box) => box.y + box.height)) + margin - y;
  const path = join(FOLDER, `${name}.jpg`);
  await page.screenshot({ path, type: 'jpeg', quality: 80, clip: { x, y, width, height } });
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

/** The page as somebody finds it who has tried two cards. */
async function shootPage(page: Page): Promise<void> {
  await page.setViewportSize(WHOLE_PAGE);
  await reply('/card id:nope-7', 'No card')(page);
  await reply('/card id:base1-4', 'left today')(page);
  await page.mouse.move(0, 0);
  await page.evaluate(PICTURES_LOADED);
  await page.screenshot({ path: 'docs/sandbox.png' });
}
