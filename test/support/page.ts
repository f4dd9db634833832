import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Locator, Page } from 'playwright-core';
import { expect, onTestFinished } from 'vitest';
import { type PageServerOptions, startPageServer } from '../../sandbox/page/page-server.ts';
import { startUnderNpm } from './bot-process.ts';
import { launchBrowser } from './browser.ts';
import { onFinished } from './on-finished.ts';

export type Size = readonly [width: number, height: number];
export const PHONE: Size = [390, 844];
export const DESKTOP: Size = [1_280, 800];
/** For the browser: axe-core. */
export const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

const WAIT_MS = 60_000;

// Logged by the browser when the server answers 4xx, which some tests expect
const EXPECTED_ERROR = /^Failed to load resource: the server responded with a status of 422/;

/** One for all tests of a file that says `beforeAll(openPage)`: a page per test would cost a browser process each. */
export let page: Page;

export async function openPage(): Promise<void> {
  const browser = await launchBrowser();
  onFinished(() => browser.close());
  // Each frame of a movement costs CPU time.
  const context = await browser.newContext({ timezoneId: 'UTC', reducedMotion: 'reduce' });
  // Shorter than the test's timeout, so that a failure names the missing element
  context.setDefaultTimeout(WAIT_MS);
  page = await context.newPage();
}

/** `npm run sandbox`. Resolves when its page can be visited, at `url`. */
export async function startSandboxProgram(...options: string[]) {
  const program = startUnderNpm(['run', 'sandbox', '--', '--port', '0', ...options]);
  await program.wrote('and type: /card');
  return { ...program, url: /http:\/\/127\S+/.exec(program.output())?.[0] ?? expect.fail(program.output()) };
}

/** The page of what a test has started. @returns as `visitPage` does */
export async function openSources(sources: Omit<PageServerOptions, 'port'>) {
  const server = await startPageServer({ port: 0, ...sources });
  onTestFinished(() => server.close());
  return await visitPage(server.url);
}

/** Opens the sandbox's page until the test ends, and then resets `page`. */
export async function visitPage(url: string) {
  onTestFinished(async () => {
    page.removeAllListeners();
    await page.unrouteAll({ behavior: 'ignoreErrors' });
    await page.context().setOffline(false);
    await page.emulateMedia({ colorScheme: null });
    await page.goto('about:blank');
  });
  /**
   * Requested addresses that are not on this machine, uncaught errors, and errors and warnings on the console, such as
   * violations of the page's policies.
   */
  const faults: string[] = [];
  page.on('request', (request) => {
    const { protocol, hostname } = new URL(request.url());
    if (protocol !== 'data:' && hostname !== '127.0.0.1') faults.push(request.url());
  });
  page.on('console', (message) => {
    const isUnexpected = ['error', 'warning'].includes(message.type()) && !EXPECTED_ERROR.test(message.text());
    if (isUnexpected) faults.push(message.text());
  });
  page.on('pageerror', (error) => faults.push(error.message));

  await resize(DESKTOP);
  await page.goto(url);
  await the('button', 'Send').waitFor();
  await composer().waitFor();
  return faults;
}

export const resize = ([width, height]: Size) => page.setViewportSize({ width, height });

/** A part of the page by its role, and by its name where there are several. */
export function the(role: Parameters<Page['getByRole']>[0], name: string | RegExp = /(?:)/): Locator {
  return page.getByRole(role, { name });
}

export const choose = (menu: string, label: string) => the('combobox', menu).selectOption({ label });
export const press = (name: string) => page.getByRole('button', { name, exact: true }).click();
/** Resolves when it is on the page. */
export const sees = (words: string | RegExp) => page.getByText(words).waitFor();
export const option = (name: string) => the('option', name).first();

/** The input line, which has the focus when the page opens. */
export function composer(): Locator {
  return the('combobox', /^Message /);
}

/** Types a whole line and presses Enter. */
export async function say(line: string): Promise<void> {
  await composer().fill(line);
  await composer().press('Enter');
}

/** As fast as possible: names of keys are pressed, everything else is typed. */
export async function typeKeys(keys: readonly string[]): Promise<void> {
  for (const key of keys) {
    if (/^(Enter|Tab|↓|Escape)$/.test(key)) await page.keyboard.press(key === '↓' ? 'ArrowDown' : key);
    else await page.keyboard.type(key);
  }
}

/** The reply to a command, by the line as the emulated Discord writes it. */
export function replyTo(commandLine: string): Locator {
  return page.locator('.message').filter({ has: page.locator(`[title=${JSON.stringify(commandLine)}]`) });
}

/** The guided minute. */
export const guide = () => the('region', 'A guided minute');

/** Resolves when the line below what to watch says it. */
export async function happened(text: string | RegExp): Promise<void> {
  const said = guide().getByRole('status').locator('p.good');
  await expect.poll(() => said.textContent()).toMatch(text);
}

/** Polls until a part is within what is visible of the chat. */
export async function expectInView(part: Locator): Promise<void> {
  const isInView = async () => {
    const [box, log] = await Promise.all([part.boundingBox(), the('log').boundingBox()]);
    return box && log && box.y >= log.y && box.y + box.height <= log.y + log.height;
  };
  await expect.poll(isInView, { message: String(part) }).toBe(true);
}
