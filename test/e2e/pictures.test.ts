import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import { SCENES } from '../screenshots/scenes.ts';
import { openStage, play } from '../screenshots/stage.ts';
import { frameDurationsMs } from '../screenshots/webp.ts';
import { readWords, wordsOf } from '../screenshots/words.ts';
import { launchBrowser } from '../support/browser.ts';
import { onFinished } from '../support/on-finished.ts';

const NAMES = SCENES.flatMap(({ shots }) => shots.map(({ name }) => name));

let stage: Page;
let taken: ReadonlyMap<string, string>;

beforeAll(async () => {
  const browser = await launchBrowser();
  onFinished(() => browser.close());
  stage = await openStage(browser);
  taken = await readWords();
});

it('every scene has its picture, and docs/replies.md or the README shows it', async () => {
  const pages = await Promise.all(['docs/replies.md', 'README.md'].map((file) => readFile(file, 'utf8')));
  expect([...taken.keys()]).toEqual(NAMES);
  expect(NAMES.filter((name) => !pages.some((page) => page.includes(`/${name}.`)))).toEqual([]);
});

it.each(['docs/story.webp', 'docs/story-light.webp'])('%s lasts 10 to 15 s and is below 1.5 MB', async (file) => {
  const picture = await readFile(file);
  const lastsMs = frameDurationsMs(picture).reduce((sum, ms) => sum + ms, 0);
  expect(lastsMs).toBeGreaterThanOrEqual(10_000);
  expect(lastsMs).toBeLessThanOrEqual(15_000);
  expect(picture.length).toBeLessThan(1_500_000);
});

it.each(SCENES)('the pictures from $shots.0.name on still say what the bot says', async (scene) => {
  await play(scene, stage, async ({ name }, parts) => {
    const message = `the picture "${name}" is out of date: run \`npm run screenshots\` and look at it`;
    await expect.poll(() => wordsOf(parts), { message }).toBe(taken.get(name));
  });
});
