import { install } from '@sinonjs/fake-timers';
import type { Browser, Locator, Page } from 'playwright-core';
import { startPageServer } from '../../sandbox/page-server.ts';
import { SAMPLE_CATALOG } from '../../sandbox/sample-cards.ts';
import { SAMPLE_MEMBERS } from '../../sandbox/sample-members.ts';
import { type Sandbox, startSandbox } from '../../sandbox/sandbox.ts';
import { createLog } from '../../src/log.ts';
import { CatalogDatabase } from '../../src/storage/sqlite/catalog/database.ts';
import { PATIENT } from '../support/backends.ts';
import { bookEarlierToday, requestsEarlier } from './earlier-today.ts';
import type { Scene, Shot } from './shot.ts';

/** An evening, far enough from midnight and from the next hour. */
const BEGIN_MS = Date.parse('2026-11-21T18:20:00Z');
const STEP_MS = 20_000;
const TICK_MS = 50;
const WAIT_MS = 60_000;
export const DESKTOP = { width: 1_180, height: 1_900 };

/** A page for scenes. */
export async function openStage(browser: Browser, deviceScaleFactor = 1): Promise<Page> {
  const page = await browser.newPage({
    viewport: DESKTOP,
    timezoneId: 'UTC',
    colorScheme: 'dark',
    deviceScaleFactor,
    reducedMotion: 'reduce', // each frame of a movement costs CPU time
  });
  page.setDefaultTimeout(WAIT_MS);
  return page;
}

/**
 * Plays a scene with a bot in this process, and calls `take` when the parts of a reply are there. Time stands still, for
 * the bot, its servers and the page, and jumps before the next reply, so that the same is shown at any speed.
 */
export async function play(
  scene: Scene,
  page: Page,
  take: (shot: Shot, parts: readonly Locator[]) => Promise<void>,
): Promise<void> {
  const clock = install({ now: BEGIN_MS, toFake: ['Date'] });
  await page.clock.setFixedTime(BEGIN_MS);
  try {
    await inSandbox(scene, page, async (sandbox) => {
      for (const [at, shot] of scene.shots.entries()) {
        if (shot.time !== 'stands') clock.setSystemTime(Math.max(Date.now(), BEGIN_MS + at * STEP_MS));
        await page.clock.setFixedTime(Date.now());
        const passing = shot.time === 'passes' ? setInterval(() => clock.tick(TICK_MS), TICK_MS) : undefined;
        await shot.before?.(sandbox);
        const parts = await shot.show(page);
        clearInterval(passing);
        await take(shot, parts);
        for (const _ of ['a list', 'a form']) await page.keyboard.press('Escape');
      }
    });
  } finally {
    clock.uninstall();
  }
}

async function inSandbox(
  { options, isLively }: Scene,
  page: Page,
  work: (sandbox: Sandbox) => Promise<void>,
): Promise<void> {
  const log = createLog({ level: 'silent', secrets: [] });
  const sandbox = await startSandbox({
    log,
    catalog: SAMPLE_CATALOG,
    ...options,
    discord: { lifetimes: PATIENT, members: SAMPLE_MEMBERS, ...options?.discord },
    service: { usedToday: isLively ? requestsEarlier(Date.now()) : 0, ...options?.service },
    env: { PRICE_CURRENCY: 'USD', ...options?.env },
  });
  if (isLively) {
    bookEarlierToday(sandbox);
    confirmCatalog(sandbox);
  }
  await sandbox.startBot();
  const server = await startPageServer({ port: 0, ...sandbox });
  try {
    await page.goto(server.url);
    await page.getByRole('button', { name: 'Send' }).waitFor();
    await work(sandbox);
  } finally {
    await page.goto('about:blank');
    await server.close();
    await sandbox.stop();
  }
}

/** As if the service had answered with every card of the catalog; then names are told from ids. */
function confirmCatalog({ config }: Sandbox): void {
  const database = CatalogDatabase.open(config.dataDir, createLog({ level: 'silent', secrets: [] }));
  database.upsert(SAMPLE_CATALOG, undefined);
  database.close();
}
