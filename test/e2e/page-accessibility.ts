import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';
import { expect, it, onTestFinished } from 'vitest';
import { composer, say, visitPage } from '../support/page-visit.ts';

const PHONE = { width: 390, height: 844 };
/** A phone, an iPhone SE, a desktop at 200 %, and the least that WCAG 2 asks for: 1280 pixels at 400 %. */
const SMALL = [
  [PHONE.width, PHONE.height],
  [320, 640],
  [640, 480],
  [320, 256],
] as const;

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
/** For the browser: what axe-core finds wrong, and where. Only colours depend on the theme. */
const violations = (themes: 'first theme' | 'second theme') =>
  `axe.run(${
    themes === 'second theme' ? "{ runOnly: ['color-contrast'] }" : "{ resultTypes: ['violations'] }"
  }).then(({ violations }) => violations.flatMap(({ id, nodes }) => nodes.map(({ target }) => id + ': ' + target.join(' '))))`;
/** For the browser: the menus with a choice that is wider than the menu, and placeholders wider than their field. */
const CUT = `[...document.querySelectorAll('select, input')].flatMap((field) => {
  if (field.closest('discord-message') || !field.checkVisibility()) return []; // a menu in a reply may cut, as Discord's
  const { font, paddingLeft, paddingRight } = getComputedStyle(field);
  const arrow = field.matches('select') ? 20 : 0;
  const pen = Object.assign(document.createElement('canvas').getContext('2d'), { font });
  const texts = field.matches('select') ? [...field.options].map(({ text }) => text) : [field.placeholder];
  return texts.filter((text) => {
    if (field.matches('select')) field.value = [...field.options].find((option) => option.text === text).value;
    return pen.measureText(text).width + parseFloat(paddingLeft) + parseFloat(paddingRight) + arrow > field.offsetWidth;
  });
})`;
/** For the browser: the lower edge of the composer, and how far the page can be scrolled. */
const EDGES = `({
  composer: Math.round(document.querySelector('.row').getBoundingClientRect().bottom),
  right: document.documentElement.scrollWidth,
  bottom: document.documentElement.scrollHeight,
})`;

/** Rules of the sandbox's page, on the sandbox that another file has started. */
export function followsAccessibilityRules(of: () => { page: Page; url: string; beginAnew(): Promise<void> }): void {
  it('axe-core finds nothing wrong in any state, dark or light, and the composer is in sight on every small screen', async () => {
    const { page, beginAnew } = of();
    onTestFinished(() => page.emulateMedia({ colorScheme: null }));
    await beginAnew();
    await expectNoViolation(page, 'empty');
    await expectComposerInSight(page, 'empty');
    await composer(page).fill('/');
    await page.getByRole('option', { name: '/card id' }).waitFor();
    await expectNoViolation(page, 'commands');
    await composer(page).press('Enter');
    await page.keyboard.type('ember');
    await page.getByRole('option', { name: 'Emberwing Drake · 4/102 · First Light' }).waitFor();
    await expectNoViolation(page, 'suggestions');
    for (const key of ['Tab', 'Tab', 'Enter']) await page.keyboard.press(key);
    await page.getByRole('combobox', { name: 'prices', exact: true }).waitFor();
    await expectNoViolation(page, 'form');
    for (const _ of ['the form', 'its name']) await page.keyboard.press('Escape');
    await useIt(page);
    await page.getByText('Apps').first().press('Enter');
    await expectNoViolation(page, 'used');
    await expectComposerInSight(page, 'used');
    await page.reload();
    await page.locator('discord-embed').first().waitFor();
    await expectComposerInSight(page, 'opened again after use');
    await page.setViewportSize(PHONE);
    for (const tab of ['Chat', 'Card service']) {
      await page.getByRole('tab', { name: tab }).click();
      await expectNoViolation(page, `${tab} on a phone`);
    }
  });

  it('tabs are changed with arrow keys; a command that is sent shows the chat', async () => {
    const { page, url } = of();
    await visitPage(page, url);
    await page.setViewportSize(PHONE);
    await page.getByRole('tab', { name: 'Chat' }).press('ArrowRight');
    await page.getByRole('heading', { name: 'The card service' }).waitFor();
    expect(await page.getByRole('log').isVisible()).toBe(false);
    await say(page, '/card base1-4');
    await page.getByRole('log').waitFor();
  });

  it.each([
    [1_280, 960],
    [320, 640],
  ])('no choice and no placeholder is cut at %i pixels', async (width, height) => {
    const { page, url } = of();
    await visitPage(page, url);
    await page.setViewportSize({ width, height });
    await expect.poll(() => page.evaluate(CUT)).toEqual([]); // once it is laid out
    if (width > 800) return;
    await page.getByRole('tab', { name: 'Card service' }).click();
    await expect.poll(() => page.evaluate(CUT)).toEqual([]); // once it is laid out
  });

  it('the menu of a message appears on hover or focus only', async () => {
    const { page, url } = of();
    await visitPage(page, url);
    const message = page.locator('discord-message').filter({ hasText: 'Anyone trading a Wax Golem' });
    const menu = message.locator('.apps');
    await menu.waitFor();
    const isShown = () =>
      menu.evaluate((it: object) => Reflect.get(globalThis, 'getComputedStyle')(it).opacity === '1');
    await page.mouse.move(0, 0);
    expect(await isShown()).toBe(false);
    await message.hover();
    expect(await isShown()).toBe(true);
    await page.mouse.move(0, 0);
    await menu.getByText('Apps').focus();
    expect(await isShown()).toBe(true);
  });
}

async function expectNoViolation(page: Page, state: string): Promise<void> {
  for (const [colorScheme, theme] of [
    ['dark', 'first theme'],
    ['light', 'second theme'],
  ] as const) {
    await page.emulateMedia({ colorScheme });
    if (!(await page.evaluate("'axe' in globalThis"))) await page.evaluate(AXE);
    // Once messages are drawn in this theme
    await expect.poll(() => page.evaluate(violations(theme)), { message: `${state}, ${colorScheme}` }).toEqual([]);
  }
}

async function expectComposerInSight(page: Page, state: string): Promise<void> {
  const before = page.viewportSize() ?? PHONE;
  for (const [width, height] of SMALL) {
    await page.setViewportSize({ width, height });
    for (const name of ['Chat', 'Card service']) {
      await page.getByRole('tab', { name }).click();
      const edges = (await page.evaluate(EDGES)) as { composer: number };
      expect({ state, name, ...edges }).toMatchObject({ right: width, bottom: height });
      expect(edges.composer, `${state}, ${name}`).toBeLessThanOrEqual(height);
    }
  }
  await page.setViewportSize(before);
}

async function useIt(page: Page): Promise<void> {
  await say(page, '/card base1-4');
  await say(page, '/cards base1-4,tide-27 private:True');
  await say(page, '/card first light');
  await expect.poll(() => page.locator('discord-embed').count()).toBe(3);
  await page.getByText('Which of these cards do you mean?').waitFor();
  await page.getByRole('button', { name: 'The day runs out' }).click();
  await page.getByText('The day stays used up').waitFor();
}
