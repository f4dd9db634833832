import { readdir, readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import { PICTURES, SCENES } from '../screenshots/scenes.ts';
import { DESKTOP, openStage, play } from '../screenshots/stage.ts';
import { frameDurationsMs } from '../screenshots/webp.ts';
import { readWords, wordsOf } from '../screenshots/words.ts';
import { launchBrowser } from '../support/browser.ts';
import { onFinished } from '../support/on-finished.ts';

const NAMES = SCENES.flatMap(({ shots }) => shots.map(({ name }) => name));

/** What is below it is not drawn, and is read all the same. */
const WINDOW = { width: DESKTOP.width, height: 600 };

let stage: Page;
let written: ReadonlyMap<string, string>;

beforeAll(async () => {
  const browser = await launchBrowser();
  onFinished(() => browser.close());
  stage = await openStage(browser);
  await stage.setViewportSize(WINDOW);
  written = await readWords();
});

it('every reply has its words, and docs/replies.md shows every picture', async () => {
  expect([...written.keys()]).toEqual(NAMES);
  const [page, files] = await Promise.all([readFile('docs/replies.md', 'utf8'), readdir('docs/replies')]);
  expect(files.toSorted()).toEqual([...PICTURES.map((name) => `${name}.jpg`), 'words.txt'].toSorted());
  expect(PICTURES.filter((name) => !page.includes(`/${name}.`))).toEqual([]);
});

it.each(['docs/story.webp', 'docs/story-light.webp'])('%s lasts 10 to 15 s and is below 1.5 MB', async (file) => {
  const picture = await readFile(file);
  const lastsMs = frameDurationsMs(picture).reduce((sum, ms) => sum + ms, 0);
  expect(lastsMs).toBeGreaterThanOrEqual(10_000);
  expect(lastsMs).toBeLessThanOrEqual(15_000);
  expect(picture.length).toBeLessThan(1_500_000);
});

it.each(SCENES)('from $shots.0.name on, the bot still says what docs/replies/words.txt has', async (scene) => {
  await play(scene, stage, async ({ name }, parts) => {
    const message = `the words of "${name}" are out of date: run \`npm run screenshots\` and look at its picture`;
    await expect.poll(() => wordsOf(parts), { message }).toBe(written.get(name));
  });
});
