import type { Locator, Page } from 'playwright-core';
import { onTestFinished } from 'vitest';
import { launchBrowser } from './browser.ts';
import { whenOver } from './when-over.ts';

export interface PageVisit {
  /** Addresses asked for that are not on this machine. */
  strangers: string[];
  /** Errors and warnings on the console (broken policies of the page show up here), and uncaught ones. */
  complaints: string[];
}

const WAIT_MS = 8_000;
const VIEWPORT = { width: 1280, height: 800 };

// Said by the browser itself when the server answers 4xx, which some tests are about
const EXPECTED_COMPLAINT = /^Failed to load resource: the server responded with a status of 422/;

/** For every visit of a file, and gone after it: a page of its own would cost each test a process of the browser. */
export async function openPage(): Promise<Page> {
  const browser = await launchBrowser();
  whenOver(() => browser.close());
  const context = await browser.newContext({ viewport: VIEWPORT, timezoneId: 'UTC' });
  // Shorter than the test's own limit, so that a failure says what was waited for
  context.setDefaultTimeout(WAIT_MS);
  return await context.newPage();
}

/** The sandbox's page, until the test ends; whatever the test changes about `page` does not outlive it. */
export async function visitPage(page: Page, url: string): Promise<PageVisit> {
  onTestFinished(async () => {
    page.removeAllListeners();
    await page.unrouteAll({ behavior: 'ignoreErrors' });
    await page.context().setOffline(false);
    await page.setViewportSize(VIEWPORT);
    await page.goto('about:blank');
  });
  const strangers: string[] = [];
  const complaints: string[] = [];
  page.on('request', (request) => {
    const { protocol, hostname } = new URL(request.url());
    if (protocol !== 'data:' && hostname !== '127.0.0.1') strangers.push(request.url());
  });
  page.on('console', (message) => {
    const told = ['error', 'warning'].includes(message.type()) && !EXPECTED_COMPLAINT.test(message.text());
    if (told) complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(error.message));

  await page.goto(url);
  await page.getByRole('button', { name: 'Send' }).waitFor();
  await composer(page).waitFor();
  return { strangers, complaints };
}

/** The line that has the focus from the start. */
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
