import { beforeAll, expect, it } from 'vitest';
import {
  choose,
  expectInView,
  happened,
  openPage,
  page,
  press,
  replyTo,
  say,
  sees,
  startSandboxProgram,
  the,
  visitPage,
} from '../support/page.ts';

const FOUND = '“ember” found 3 cards with 0 requests. The card itself took 1 request for Alice, and 0 for Björn.';
/** Three, if the machine is not too busy to take the members one after the other. */
const CROWD = /^30 members asked, 30 got their card, and the card service received [1-3] requests?\.$/;
const TOLD =
  "The watch took 0 requests. Amara's lookup renewed the card with 1 request, its price had crossed Alice's line, and the bot wrote to her.";

beforeAll(openPage);

it('npm run sandbox has a guided minute, each step of which says what happened, in figures, at any time, and Ctrl-C stops it after the lookup in progress is answered', {
  timeout: 240_000,
}, async () => {
  const program = await startSandboxProgram('--quick');
  const faults = await visitPage(program.url);
  // Whoever one was, and wherever
  await choose('Member', 'Zoe');
  await press('cardbot');
  await press('Find a card by name');
  await the('heading', '#card-talk').waitFor();
  await happened(FOUND);
  expect(await page.getByText('Alice types “ember”').isVisible()).toBe(true);
  await the('row').filter({ hasText: '/cards/promo-7' }).getByText('for Alice').waitFor();

  // Each begins with everything as at the start: with a bot, although there is none
  await press('Kill the process');
  await page.getByText('The bot (stopped)').waitFor();
  await sees('cardbot is gone.');
  await press('Find a card by name');
  // With another, although that is killed while it starts
  await page.getByText('The bot (starting)').waitFor();
  await press('Kill the process');
  await press('Kill the bot while members wait');
  await happened(/^3 replies said “thinking…” .* and 3 of 3 got their cards, with \d requests in all\.$/);
  await press('Thirty ask at once');
  await happened(CROWD);
  await sees(/Requests that reached it: [1-3]$/);
  await expect.poll(() => page.locator('.askers .card').count()).toBe(30);
  // Although the card that is watched has been renewed meanwhile
  await say('/card base1-4');
  await replyTo('/card id:base1-4').getByText('(edited)').waitFor();
  await press('A price moves');
  await happened(TOLD);
  await expectInView(page.getByText('Emberwing Drake is at $39.96, above your target of $38.00.'));
  // With a switch that was used
  const outage = the('combobox', 'Outage');
  await outage.selectOption('503, wait 2 min');
  await press('The day runs out');
  await happened(
    /^1 request found the day used up\. 1 known card still appeared, and 5 of 5 members .* were told .* with 0 requests\./,
  );
  expect(await outage.inputValue()).toBe('none');
  await expectInView(page.getByText("Today's new lookups are used up.").last());
  // After a day that was used up
  await press('The service says 429');
  await happened(
    /^1 request got a 429 that said to wait 2 s, and 0 more arrived in that time\. Then (\d requests? answered 3 of 3 members\.|2 requests answered 3 of 3 members: cards that waited together left as one list, which counts as one request\.)$/,
  );
  expect(faults).toEqual([]);

  const isSlow = page.waitForResponse('**/api/set');
  await choose('Speed', '2 s');
  await isSlow;
  const before = program.output().length;
  await say('/card tide-18');
  await the('row').filter({ hasText: '/cards/tide-18' }).waitFor(); // which has no answer yet
  program.ctrlC();
  expect(await program.ended).toBe(0);
  expect(program.output().slice(before)).toContain('"outcome":"answered"');
});
