import { expect, it, onTestFinished } from 'vitest';
import { launchBrowser } from '../support/browser.ts';
import { replyTo, say } from '../support/page-visit.ts';
import { openSandbox } from '../support/sandbox-page.ts';

it('shows the wait after a 429, and then the card; what is past ticks on', async () => {
  const browser = await launchBrowser();
  onTestFinished(() => browser.close());
  const { page, world, complaints } = await openSandbox(browser);
  // Stated from the request on, not from here: a wait is shown when more than 3 s of it are to come
  const body = { _tag: 'RateLimitExceeded', message: 'Rate limit exceeded.', retryAfter: 5 };
  world.cardService.script({ status: 429, headers: { 'retry-after': '5' }, body });

  await say(page, '/card base1-4');

  const reply = replyTo(page, '/card id:base1-4');
  await reply.getByText(/^Your turn comes/).waitFor();
  expect(await reply.locator('discord-time').textContent()).toMatch(/^\d+:\d\d\s[AP]M$/);
  await reply.locator('discord-embed').waitFor();
  expect(world.cardService.requests.map(({ status }) => status)).toEqual([429, 200]);

  await say(page, '/card nowhere-1');
  const age = replyTo(page, '/card id:nowhere-1').locator('discord-time');
  const atFirst = await age.textContent();
  await expect.poll(() => age.textContent(), { timeout: 3_000 }).not.toBe(atFirst);
  expect(complaints).toEqual([]);
});
