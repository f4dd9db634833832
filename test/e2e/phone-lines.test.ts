import type { Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import { LANGUAGES } from '../../src/render/languages.ts';
import { wrappedLines } from '../screenshots/lines.ts';
import { inLocale } from '../screenshots/scenes.ts';
import { DESKTOP, openStage, PHONE, play } from '../screenshots/stage.ts';
import { launchBrowser } from '../support/browser.ts';
import { onFinished } from '../support/on-finished.ts';

let stage: Page;

beforeAll(async () => {
  const browser = await launchBrowser();
  onFinished(() => browser.close());
  stage = await openStage(browser);
});

it.each([...LANGUAGES, 'es-419', 'en-GB'])(
  'price, curve and offers of a card are a line each on a phone in %s',
  async (locale) => {
    const { shots, ...scene } = inLocale(locale);
    await play({ ...scene, shots: shots.slice(0, 1) }, stage, async (_, parts) => {
      await stage.setViewportSize(PHONE);
      const [description] = await stage.locator('discord-embed-description').allTextContents();
      expect(description).toMatch(/[▁-█]/); // it has all of them
      await expect.poll(() => wrappedLines(parts)).toEqual([]);
      await stage.setViewportSize(DESKTOP);
    });
  },
);
