import type { Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import { LANGUAGES } from '../../src/render/languages.ts';
import { wrappedLines } from '../screenshots/lines.ts';
import { inLocale } from '../screenshots/scenes.ts';
import { reply, type Shot } from '../screenshots/shot.ts';
import { DESKTOP, openStage, PHONE, play } from '../screenshots/stage.ts';
import { launchBrowser } from '../support/browser.ts';
import { onFinished } from '../support/on-finished.ts';

let stage: Page;

beforeAll(async () => {
  const browser = await launchBrowser();
  onFinished(() => browser.close());
  stage = await openStage(browser);
});

/** Known cards with a past, whose pictures stand beside their text. */
const LIST: Shot = { name: 'list', show: reply('/cards ids:base1-4, base1-1', 'Wick, Who Waits') };

it.each([...LANGUAGES, 'es-419', 'en-GB'])(
  'price, curve and offers of a card, and price and change in a list, are a line each on a phone in %s',
  async (locale) => {
    const { shots, ...scene } = inLocale(locale);
    await play({ ...scene, shots: [...shots.slice(0, 1), LIST] }, stage, async ({ name }, parts) => {
      await stage.setViewportSize(PHONE);
      const descriptions = await stage.locator('discord-embed-description').allTextContents();
      expect(descriptions.at(-1)).toMatch(name === 'list' ? /[▲▼↑↓]/ : /[▁-█]/); // it has all of them
      await expect.poll(() => wrappedLines(parts)).toEqual([]);
      await stage.setViewportSize(DESKTOP);
    });
  },
);
