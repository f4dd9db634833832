import type { Locator, Page } from 'playwright-core';
import { onTestFinished } from 'vitest';
import { launchBrowser } from './browser.ts';
import { onFinished } from './on-finished.ts';

export interface PageVisit {
  /** Requested addresses that are not on this machine. */
  externalUrls: string[];
  /** Uncaught errors, and errors and warnings on the console, such as violations of the page's policies. */
  pageErrors: string[];
}

const WAIT_MS = 60_000;
const VIEWPORT = { width: 1280, height: 800 };

// Logged by the browser when the server answers 4xx, which some tests expect
const EXPECTED_ERROR = /^Failed to load resource: the server responded with a status of 422/;

/** One page for all tests of a file: a page per test would cost a browser process each. */
export async function openPage(): Promise<Page> {
  const browser = await launchBrowser();
  onFinished(() => browser.close());
  // Each frame of a movement costs CPU time.
  const context = await browser.newContext({ viewport: VIEWPORT, timezoneId: 'UTC', reducedMotion: 'reduce' });
  // Shorter than the test's timeout, so that a failure names the missing element
  context.setDefaultTimeout(WAIT_MS);
  return await context.newPage();
}

/** Opens the sandbox's page until the test ends, and then resets `page`. */
export async function visitPage(page: Page, url: string): Promise<PageVisit> {
  onTestFinished(async () => {
    page.removeAllListeners();
    await page.unrouteAll({ behavior: 'ignoreErrors' });
    await page.context().setOffline(false);
    await page.setViewportSize(VIEWPORT);
    await page.goto('about:blank');
  });
  const externalUrls: string[] = [];
  const pageErrors: string[] = [];
  page.on('request', (request) => {
    const { protocol, hostname } = new URL(request.url());
    if (protocol !== 'data:' && hostname !== '127.0.0.1') externalUrls.push(request.url());
  });
  page.on('console', (message) => {
    const isUnexpected = ['error', 'warning'].includes(message.type()) && !EXPECTED_ERROR.test(message.text());
    if (isUnexpected) pageErrors.push(message.text());
  });
  page.on('pageerror', (error) => pageErrors.push(error.message));

  await page.goto(url);
  await page.getByRole('button', { name: 'Send' }).waitFor();
  await composer(page).waitFor();
  return { externalUrls, pageErrors };
}

/** The input line, which has the focus when the page opens. */
export function composer(page: Page): Locator {
  return page.getByRole('combobox', { name: /^Message / });
}

/** Types a whole line and presses Enter. */
export async function say(page: Page, line: string): Promise<void> {
  await composer(page).fill(line);
  await composer(page).press('Enter');
}

/** The reply to a command, by the line as the emulated Discord writes it. */
export function replyTo(page: Page, commandLine: string): Locator {
  return page.locator('discord-message').filter({ has: page.locator(`[title=${JSON.stringify(commandLine)}]`) });
}
