// Writes what every kind of reply in the sandbox says, and takes docs/replies/, the pictures of some; docs/chat.png, the chat
// alone; and docs/story.webp, a moving picture of the whole page. Names as arguments take their scenes
// alone. `--check` takes all pictures of replies and writes nothing.
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { install } from '@sinonjs/fake-timers';
import type { Page } from 'playwright-core';
import { startPageServer } from '../../sandbox/page/page-server.ts';
import type { Sandbox } from '../../sandbox/sandbox.ts';
import { startProgram } from '../support/bot-process.ts';
import { launchBrowser } from '../support/browser.ts';
import { scoped } from '../support/on-finished.ts';
import { film, styled } from './film.ts';
import { PICTURES, SCENES } from './scenes.ts';
import { BEGIN_MS, play } from './stage.ts';
import { readWords, writeWords } from './words.ts';

const FOLDER = 'docs/replies';
const DESKTOP = { width: 1_180, height: 1_900 };
const WAIT_MS = 60_000;
/** The page shows what has happened when nothing changes for so long. */
const QUIET_MS = 300;
const CHAT = { width: 900, height: 556 };
/** What is beside the chat is left out, and the suggestions stand beside the card, whose picture is smaller. */
const CHAT_ALONE = `
  .page { grid-template: minmax(0, 1fr) / minmax(0, 1fr) !important; }
  .page > :not(main), .channel, .guide, .welcome, .hint { display: none !important; }
  .suggestions { left: 460px !important; }
  .composer { padding-bottom: 14px !important; }
  .embed-image { grid-area: auto / 1 !important; max-height: 210px !important; }
`;
// For the browser, whose types are not those of Node.
const PICTURES_LOADED = 'Promise.all(Array.from(document.images, (image) => image.decode().catch(() => {})))';

/** Above and below. */
const MARGIN = 8;
const THEMES = [
  { colorScheme: 'dark', suffix: '' },
  { colorScheme: 'light', suffix: '-light' },
] as const;

const { positionals: wanted, values } = parseArgs({
  allowPositionals: true,
  options: { check: { type: 'boolean', default: false } },
});
const isAll = wanted.length === 0;
const isWriting = !values.check;
const scenes = SCENES.filter(({ shots }) => isAll || shots.some(({ name }) => wanted.includes(name)));
const words = isAll ? new Map<string, string>() : await readWords();
if (isWriting) {
  if (isAll) await rm(FOLDER, { recursive: true, force: true });
  await mkdir(FOLDER, { recursive: true });
}
const browser = await launchBrowser();
const stage = await openStage();
for (const scene of scenes) {
  const fake = install({ now: BEGIN_MS, toFake: ['Date'] });
  const setSystemTime = async (ms: number) => {
    fake.setSystemTime(ms);
    await stage.clock.setFixedTime(ms);
  };
  await play(
    scene,
    { setSystemTime },
    {
      begin: visit,
      async take({ name }, said) {
        words.set(name, said);
        if (PICTURES.includes(name)) await shoot(name);
        if (name === 'card') await shootChat();
      },
    },
  );
  fake.uninstall();
}
if (isWriting) await write();
await browser.close();

async function write(): Promise<void> {
  const inTurn = SCENES.flatMap(({ shots }) => shots.map(({ name }) => name)).filter((name) => words.has(name));
  await writeWords(new Map(inTurn.map((name) => [name, words.get(name) ?? ''])));
  for (const { colorScheme, suffix } of isAll || wanted.includes('story') ? THEMES : []) {
    await scoped(async () => {
      const sandbox = startProgram([process.execPath, 'sandbox/main.ts', '--port', '0'], {});
      await sandbox.wrote('and type: /card');
      const [, url = ''] = /Open (\S+)/.exec(sandbox.output()) ?? [];
      await film(browser, url, colorScheme, `docs/story${suffix}.webp`);
    });
  }
}

/** The page on which all replies are shown. */
async function openStage(): Promise<Page> {
  const page = await browser.newPage({
    viewport: DESKTOP,
    timezoneId: 'UTC',
    colorScheme: 'dark',
    deviceScaleFactor: 2,
    reducedMotion: 'reduce', // each frame of a movement costs CPU time
  });
  page.setDefaultTimeout(WAIT_MS);
  return page;
}

async function visit(sandbox: Sandbox): Promise<() => Promise<void>> {
  const server = await startPageServer({ port: 0, ...sandbox });
  await stage.goto(server.url);
  await stage.getByRole('button', { name: 'Send' }).waitFor();
  return async () => {
    await stage.goto('about:blank');
    await server.close();
  };
}

/** @param path of a file, which is left out when nothing is to be written */
function written(path: string): { path?: string } {
  return isWriting ? { path } : {};
}

/** The card, and the suggestions for another. */
async function shootChat(): Promise<void> {
  const composer = stage.getByRole('combobox', { name: /^Message / });
  await composer.fill('/card');
  await stage.getByRole('option', { name: '/card ' }).first().waitFor();
  await composer.press('Enter');
  await stage.locator('.command-form input').first().fill('emb');
  await stage.getByRole('option', { name: 'Emberwing Drake' }).first().waitFor();
  await stage.setViewportSize(CHAT);
  for (const { colorScheme, suffix } of THEMES) {
    await stage.emulateMedia({ colorScheme });
    await styled(stage, CHAT_ALONE);
    await stage.evaluate(PICTURES_LOADED);
    await stage.mouse.move(CHAT.width - 1, CHAT.height - 1); // the menu of a message appears under the mouse
    await stage.screenshot(written(`docs/chat${suffix}.png`));
    await styled(stage, '');
  }
  await stage.emulateMedia({ colorScheme: 'dark' });
  await stage.setViewportSize(DESKTOP);
  for (const _ of ['a list', 'a form']) await stage.keyboard.press('Escape');
}

/** The last message. */
async function shoot(name: string): Promise<void> {
  if (name === 'watch-told') await stage.getByRole('button', { name: 'cardbot' }).click();
  await becomesQuiet();
  const message = stage.locator('.message').last();
  await message.scrollIntoViewIfNeeded();
  await stage.mouse.move(0, 0);
  const box = await message.boundingBox();
  if (box === null) throw new Error(`${name} is not on the page`);
  const clip = { x: box.x, y: box.y - MARGIN, width: box.width, height: box.height + 2 * MARGIN };
  await stage.screenshot({ ...written(join(FOLDER, `${name}.jpg`)), type: 'jpeg', quality: 80, scale: 'css', clip });
}

async function becomesQuiet(): Promise<void> {
  const read = () => stage.locator('main').innerText();
  let [before, now] = ['', await read()];
  while (now === '' || now !== before) {
    await stage.waitForTimeout(QUIET_MS);
    [before, now] = [now, await read()];
  }
  await stage.evaluate(PICTURES_LOADED);
}
