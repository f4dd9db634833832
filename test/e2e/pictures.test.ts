import { readFile } from 'node:fs/promises';
import type { Locator, Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import { wrappedLines } from '../screenshots/lines.ts';
import { inLocale, SCENES, TRANSLATED } from '../screenshots/scenes.ts';
import { reply, type Shot } from '../screenshots/shot.ts';
import { DESKTOP, openStage, PHONE, play } from '../screenshots/stage.ts';
import { frameDurationsMs } from '../screenshots/webp.ts';
import { readWords, wordsOf } from '../screenshots/words.ts';
import { launchBrowser } from '../support/browser.ts';
import { onFinished } from '../support/on-finished.ts';

const NAMES = SCENES.flatMap(({ shots }) => shots.map(({ name }) => name));

/** What is below it is not drawn, and is read all the same. */
const WINDOW = { width: DESKTOP.width, height: 600 };

let stage: Page;
let taken: ReadonlyMap<string, string>;

beforeAll(async () => {
  const browser = await launchBrowser();
  onFinished(() => browser.close());
  stage = await openStage(browser);
  await stage.setViewportSize(WINDOW);
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

it.each(SCENES.filter((scene) => !TRANSLATED.includes(scene)))(
  'the pictures from $shots.0.name on still say what the bot says',
  async (scene) => {
    await play(scene, stage, saysTheSame);
  },
);

async function saysTheSame({ name }: Shot, parts: readonly Locator[]): Promise<void> {
  const message = `the picture "${name}" is out of date: run \`npm run screenshots\` and look at it`;
  await expect.poll(() => wordsOf(parts), { message }).toBe(taken.get(name));
}

/** Known cards with a past, whose pictures stand beside their text. */
const LIST: Shot = { name: 'list', show: reply('/cards ids:base1-4, base1-1', 'Wick, Who Waits') };
/** Of which no pictures are taken. */
const OTHERS = ['en', 'es-419', 'en-GB'].map((locale) => inLocale(locale));

it.each([...TRANSLATED, ...OTHERS])(
  'from $shots.0.name on, the pictures still say what the bot says, and price, curve and offers of a card, and price and change in a list, are a line each on a phone',
  async (scene) => {
    const [card, ...others] = scene.shots;
    if (!card) throw new Error('there is a card');
    const shots = TRANSLATED.includes(scene) ? [card, ...others, LIST] : [card, LIST];
    await play({ ...scene, shots }, stage, async (shot, parts) => {
      if (taken.has(shot.name)) await saysTheSame(shot, parts);
      if (shot === card || shot === LIST) await hasLinesOnPhone(shot, parts);
    });
  },
);

async function hasLinesOnPhone(shot: Shot, parts: readonly Locator[]): Promise<void> {
  await stage.setViewportSize(PHONE);
  const descriptions = await stage.locator('discord-embed-description').allTextContents();
  expect(descriptions.at(-1)).toMatch(shot === LIST ? /[▲▼↑↓]/ : /[▁-█]/); // it has all of them
  await expect.poll(() => wrappedLines(parts)).toEqual([]);
  await stage.setViewportSize(WINDOW);
}
