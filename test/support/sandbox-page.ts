import type { Page } from 'playwright-core';
import { onTestFinished } from 'vitest';
import { startPageServer } from '../../sandbox/page-server.ts';
import { SAMPLE_CATALOG } from '../../sandbox/sample-cards.ts';
import { type PageVisit, visitPage } from './page-visit.ts';
import { startWorld, type World } from './world.ts';

/** Starts the whole sandbox and opens its page, until the test ends. */
export async function openSandbox(
  page: Page,
  options: Parameters<typeof startWorld>[0] = { catalog: SAMPLE_CATALOG },
): Promise<PageVisit & { world: World }> {
  const world = await startWorld(options);
  const server = await startPageServer({ port: 0, discord: world.discord, cardService: world.cardService });
  onTestFinished(() => server.close());
  return { world, ...(await visitPage(page, server.url)) };
}
