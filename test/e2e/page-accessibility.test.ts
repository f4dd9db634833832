import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';
import { beforeAll, expect, it, onTestFinished } from 'vitest';
import { startUnderNpm } from '../support/bot-process.ts';
import { composer, openPage, say, visitPage } from '../support/page-visit.ts';

const PHONE = { width: 390, height: 844 };
/** An iPhone SE, a desktop at 200 %, and the least that WCAG 2 asks for: 1280 pixels at 400 %. */
const SMALL = [
  [320, 640],
  [640, 480],
  [320, 256],
] as const;

/** For the browser: what axe-core finds wrong, and where. */
const VIOLATIONS = `axe.run({ resultTypes: ['violations'] }).then(({ violations }) =>
  violations.flatMap(({ id, nodes }) => nodes.map(({ target }) => id + ': ' + target.join(' '))))`;
/** For the browser: the menus with a choice that is wider than the menu, and placeholders wider than their field. */
const CUT = `[...document.querySelectorAll('select, input')].flatMap((field) => {
  const { font, paddingLeft, paddingRight } = getComputedStyle(field);
  const arrow = field.matches('select') ? 20 : 0;
  const pen = Object.assign(document.createElement('canvas').getContext('2d'), { font });
  const texts = field.matches('select') ? [...field.options].map(({ text }) => text) : [field.placeholder];
  return field.checkVisibility() ? texts.filter((text) => {
    if (field.matches('select')) field.value = [...field.options].find((option) => option.text === text).value;
    return pen.measureText(text).width + parseFloat(paddingLeft) + parseFloat(paddingRight) + arrow > field.offsetWidth;
  }) : [];
})`;
/** For the browser: the lower edge of the composer, and how far the page can be scrolled. */
const EDGES = `({
  composer: Math.round(document.querySelector('.row').getBoundingClientRect().bottom),
  right: document.documentElement.scrollWidth,
  bottom: document.documentElement.scrollHeight,
})`;

let page: Page;
let axe: string;
let url: string;

beforeAll(async () => {
  const sandbox = startUnderNpm(['run', 'sandbox', '--', '--port', '0']);
  axe = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
  page = await openPage();
  await sandbox.wrote('and type: /card');
  url = /http:\S+/.exec(sandbox.output())?.[0] ?? expect.fail(sandbox.output());
});

/** With a bot that has searched once: on a busy machine its first search is too late for Discord. */
async function openSandbox(): Promise<void> {
  await post('/api/reset', {});
  const whereabouts = { memberId: '1180000000000000101', guildId: null, manageGuild: false };
  const search = { command: 'card', options: { id: 'ember' }, focused: 'id', ...whereabouts };
  await expect.poll(() => post('/api/choices', search)).toContain('Emberwing Drake');
  await visitPage(page, url);
}

async function post(path: string, body: object): Promise<string> {
  const headers = { 'Content-Type': 'application/json', Origin: url };
  const response = await fetch(`${url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
  return await response.text();
}

async function expectNoViolation(state: string): Promise<void> {
  for (const colorScheme of ['dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme });
    await page.evaluate(axe);
    const violations = await page.evaluate(VIOLATIONS);
    expect({ state, colorScheme, violations }).toEqual({ state, colorScheme, violations: [] });
  }
}

async function useIt(): Promise<void> {
  await say(page, '/card base1-4');
  await say(page, '/cards base1-4,tide-27 private:True');
  await say(page, '/card first light');
  await expect.poll(() => page.locator('discord-embed').count()).toBe(3);
  await page.getByText('Which of these cards do you mean?').waitFor();
  await page.getByRole('button', { name: 'The day runs out' }).click();
  await page.getByText('The day stays used up').waitFor();
}

it('axe-core finds nothing wrong with any state of the page, dark or light', async () => {
  onTestFinished(() => page.emulateMedia({ colorScheme: null }));
  await openSandbox();
  await expectNoViolation('empty');
  await composer(page).fill('/');
  await page.getByRole('option', { name: '/card id' }).waitFor();
  await expectNoViolation('commands');
  await composer(page).press('Enter');
  await page.keyboard.type('ember');
  await page.getByRole('option', { name: 'Emberwing Drake · First Light' }).waitFor();
  await expectNoViolation('suggestions');
  for (const key of ['Tab', 'Tab', 'Enter']) await page.keyboard.press(key);
  await page.getByRole('combobox', { name: 'prices' }).waitFor();
  await expectNoViolation('form');
  for (const _ of ['the form', 'its name']) await page.keyboard.press('Escape');
  await useIt();
  await page.getByText('Apps').first().press('Enter');
  await expectNoViolation('after use');
  await page.setViewportSize(PHONE);
  await expectNoViolation('the chat on a phone');
  await page.getByRole('tab', { name: 'Card service' }).click();
  await expectNoViolation('the card service on a phone');
});

it('the composer is in sight on every small screen, in both tabs, before and after use', async () => {
  await openSandbox();
  for (const state of ['empty', 'used', 'opened again after use']) {
    await page.setViewportSize(PHONE);
    if (state === 'used') await useIt();
    if (state === 'opened again after use') await page.reload();
    for (const [width, height] of [[PHONE.width, PHONE.height], ...SMALL] as const) {
      await page.setViewportSize({ width, height });
      for (const name of ['Chat', 'Card service']) {
        await page.getByRole('tab', { name }).click();
        const edges = await page.evaluate(EDGES);
        expect({ state, name, ...(edges as object) }).toMatchObject({ right: width, bottom: height });
        expect((edges as { composer: number }).composer, `${state}, ${name}`).toBeLessThanOrEqual(height);
      }
    }
  }
});

it('tabs are changed with arrow keys; a command that is sent shows the chat', async () => {
  await visitPage(page, url);
  await page.setViewportSize(PHONE);
  await page.getByRole('tab', { name: 'Chat' }).press('ArrowRight');
  await page.getByText('Left today', { exact: true }).waitFor();
  expect(await page.getByRole('log').isVisible()).toBe(false);
  await say(page, '/card base1-4');
  await page.locator('discord-embed').last().waitFor();
});

it.each([
  [1_280, 960],
  [320, 640],
])('no choice and no placeholder is cut at %i pixels', async (width, height) => {
  await openSandbox(); // a menu in a reply may cut its choices, as Discord's does
  await page.setViewportSize({ width, height });
  await expect.poll(() => page.evaluate(CUT)).toEqual([]); // once it is laid out
  if (width > 800) return;
  await page.getByRole('tab', { name: 'Card service' }).click();
  await expect.poll(() => page.evaluate(CUT)).toEqual([]); // once it is laid out
});

it('the menu of a message appears on hover or focus only', async () => {
  await visitPage(page, url);
  const message = page.getByText('Anyone trading a Wax Golem');
  await message.waitFor();
  const isShown = () => page.evaluate("getComputedStyle(document.querySelector('.apps')).opacity === '1'");
  await page.mouse.move(0, 0);
  expect(await isShown()).toBe(false);
  await message.hover();
  expect(await isShown()).toBe(true);
  await page.mouse.move(0, 0);
  await page.getByText('Apps').first().focus();
  expect(await isShown()).toBe(true);
});
