import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { sandboxAs } from '../../sandbox/shaped-service.ts';
import { confirmCards, offered } from '../support/confirmed-cards.ts';
import { composer, openPage, replyTo, say } from '../support/page-visit.ts';
import { openSandbox } from '../support/sandbox-page.ts';

let page: Page;

beforeAll(async () => {
  page = await openPage();
});

/** As fast as possible: names of keys are pressed, everything else is typed. */
async function typeKeys(keys: readonly string[]): Promise<void> {
  for (const key of keys) {
    if (/^(Enter|Tab|↓)$/.test(key)) await page.keyboard.press(key === '↓' ? 'ArrowDown' : key);
    else await page.keyboard.type(key);
  }
}

describe('a newcomer', () => {
  it('finds the focus in the composer and gets a card by keyboard alone', async () => {
    const { world, externalUrls, pageErrors } = await openSandbox(page);

    await page.keyboard.type('/');
    const commands = page.getByRole('listbox', { name: 'Commands' }).getByRole('option');
    await commands.first().waitFor();
    const [first, second] = await commands.allTextContents();
    expect([first, second]).toEqual([expect.stringMatching(/^\/card/), expect.stringMatching(/^\/cards/)]);
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('Enter');
    await page.keyboard.type('base1-4');
    await page.keyboard.press('Enter');

    const reply = replyTo(page, '/card id:base1-4');
    const picture = reply.locator('discord-embed img');
    await picture.waitFor();
    const text = await reply.textContent();
    expect(text).toContain('Emberwing Drake');
    expect(text).toContain('36.33 market');
    expect(text).toContain('999 of 1,000 new lookups left today');
    await expect
      .poll(() => picture.evaluate((image: { naturalWidth: number }) => image.naturalWidth))
      .toBeGreaterThan(0);
    expect(world.cardService.requests).toHaveLength(1);
    expect({ externalUrls, pageErrors }).toEqual({ externalUrls: [], pageErrors: [] });
  });

  it('gets a card with one request by the first instruction on the page, however fast it is followed', async () => {
    const { world, pageErrors } = await openSandbox(page);
    await offered(world, 'base1-4'); // on a busy machine the first search of a bot is too late for Discord

    const keys = await page.getByRole('region', { name: 'Welcome' }).locator('kbd').allTextContents();
    expect(keys.join(' ')).toBe('/card Enter ember ↓ Enter Enter');
    await typeKeys(keys);

    const reply = replyTo(page, '/card id:base1-4');
    await reply.getByText('Emberwing Drake').waitFor();
    expect(world.cardService.requests).toHaveLength(1);

    // What was asked for last is the first suggestion now
    await page.keyboard.type('/card');
    await page.keyboard.press('Enter');
    await page.getByRole('option', { name: 'Emberwing Drake' }).waitFor();
    expect(pageErrors).toEqual([]);
  });

  it('gets a card with its price from the service that --service names, of which no day is shown that it has not', async () => {
    const { world, pageErrors } = await openSandbox(page, sandboxAs('scryfall'));
    const id = '00000000-0000-4000-8000-000000000004';
    await offered(world, id);
    await typeKeys(['/card', 'Enter', 'ember', '↓', 'Enter', 'Enter']);
    const reply = replyTo(page, `/card id:${id}`);
    await reply.getByText('Emberwing Drake').waitFor();
    expect(await reply.textContent()).toMatch(/Magic: The Gathering · First Light · 4 · Holo Rare\s+\$36\.33 market/);
    await page.getByText(`1 card: ${id}`).waitFor();
    await page.getByText('Left right now').waitFor();
    for (const ofDay of ['Left today', 'The day'])
      expect(await page.getByText(ofDay).filter({ visible: true }).count()).toBe(0);
    expect(pageErrors).toEqual([]);
  });

  it('completes an option with Tab, and what it adds begins with what differs from the default', async () => {
    await openSandbox(page);
    await typeKeys(['/card', 'Tab', 'ember']);
    await page.getByRole('option', { name: 'Emberwing Drake · 4/102 · First Light' }).waitFor();
    await typeKeys(['Tab', 'Tab', 'Enter', 'Tab', 'Enter', 'Enter']); // adds each of the other options, then sends
    await replyTo(page, '/card id:base1-4 prices:false private:true').waitFor();
  });

  it('chooses among several cards, or asks the service all the same, by keyboard alone', async () => {
    const { world, pageErrors } = await openSandbox(page);
    await confirmCards(world);

    await say(page, '/card first light');
    const menu = replyTo(page, '/card id:first light').getByRole('combobox', { name: 'Choose a card' });
    await menu.waitFor();
    // From the composer back to the last message
    const focus = async () => {
      await page.keyboard.press('Shift+Tab');
      return menu.evaluate(
        (it: object) => it === (globalThis as { document?: { activeElement: object } }).document?.activeElement,
      );
    };
    await expect.poll(focus).toBe(true);
    for (const key of ['ArrowDown', 'Enter']) await page.keyboard.press(key);
    await page.locator('discord-embed').waitFor();

    await say(page, '/card Emberwing Dragon');
    const ask = replyTo(page, '/card id:Emberwing Dragon').getByRole('button', { name: 'Ask the card service anyway' });
    await ask.press('Enter');
    await page.getByText('No card has the id Emberwing Dragon.').waitFor();
    expect(world.cardService.requests).toHaveLength(2);
    expect(pageErrors).toEqual([]);
  });

  it('can type a whole line', async () => {
    await openSandbox(page);

    await page.keyboard.type('/card');
    await page.getByRole('option', { name: '/card id' }).waitFor();
    // As if typed faster than the list of commands loads
    await page.route('**/api/commands?*', () => {});
    await page.keyboard.type(' deep-2 private:True prices:no');
    await page.keyboard.press('Enter');

    const reply = replyTo(page, '/card id:deep-2 prices:false private:true');
    await reply.locator('discord-embed').waitFor();
    await reply.getByText('Only you can see this').waitFor();
  });
});

it('/usage is answered for its member alone, and offered only with Manage Server, not in direct messages', async () => {
  await openSandbox(page);
  await say(page, '/usage');
  await replyTo(page, '/usage').locator('discord-embed').waitFor();
  expect(await replyTo(page, '/usage').textContent()).toContain('@Alice 1');
  await page.getByRole('combobox', { name: 'Member' }).selectOption({ label: 'Björn' });
  await replyTo(page, '/usage').waitFor({ state: 'detached' });
  await page.getByRole('combobox', { name: 'Member' }).selectOption({ label: 'Alice' });
  await replyTo(page, '/usage').waitFor();

  await page.getByRole('checkbox', { name: 'with Manage Server' }).uncheck();
  await composer(page).fill('/');
  await page.getByRole('option', { name: '/card id' }).waitFor();
  expect(await page.getByRole('option', { name: '/usage' }).count()).toBe(0);
  await page.getByRole('button', { name: 'cardbot' }).click();
  await say(page, '/usage');
  await page.getByText('There is no command /usage here.').waitFor();
});

describe('the card service', () => {
  it('obeys its switches', async () => {
    const { world } = await openSandbox(page);
    const { cardService } = world;

    await page.getByRole('combobox', { name: 'Plan' }).selectOption('pro');
    await page.getByText('of 50,000').waitFor();
    await page.getByRole('combobox', { name: 'Limiter' }).selectOption('lets requests wait');
    await page.getByText('100 are answered every minute, the others wait').waitFor();
    await page.getByText('of 201').waitFor();
    expect(cardService.state().switches.limiter).toBe('delaying');
    await page.getByRole('combobox', { name: 'Limiter' }).selectOption('a burst, then a steady pace');
    await page.getByText('100 come back every minute').waitFor();
    await page.getByRole('combobox', { name: 'Outage' }).selectOption('503, wait 30 s');
    await expect.poll(() => cardService.state().switches).toMatchObject({ down: true, downRetryAfterSeconds: 30 });
    await page.getByRole('combobox', { name: 'Outage' }).selectOption('none');
    await expect.poll(() => cardService.state().switches).toMatchObject({ down: false, downRetryAfterSeconds: 0 });
    await page.getByRole('combobox', { name: 'Speed' }).selectOption('2 s');
    await expect.poll(() => cardService.state().switches.latencyMs).toBe(2_000);
    await page.getByRole('combobox', { name: 'Prices' }).selectOption('−10 %');
    await page.getByText('The bot hears of it when it asks again').waitFor();
    await expect.poll(() => cardService.state().switches.pricePercent).toBe(-10);
    await page.getByRole('combobox', { name: 'Lists' }).selectOption('by id');
    await page.getByRole('combobox', { name: 'Counts' }).selectOption('every card');
    await page.getByRole('combobox', { name: 'Refuses' }).selectOption('over 5 ids: 413');
    await expect
      .poll(() => cardService.state().switches)
      .toMatchObject({ bulkShape: 'by id', bulkCost: 'each', bulkRefusal: 'over 5 ids: 413' });
    await page.getByRole('button', { name: '429 storm for 30 s' }).click();
    await page.getByText(/Every request gets a 429/).waitFor();
    expect(cardService.state().switches.stormUntilMs).toBeGreaterThan(Date.now());
    await page.getByRole('button', { name: 'End the 429 storm' }).click();
    await page.getByText(/Every request gets a 429/).waitFor({ state: 'hidden' });
    await page.getByRole('button', { name: 'Use up the day' }).click();
    await expect.poll(() => cardService.state().dayRemaining).toBe(0);
    await page.getByRole('button', { name: 'Refill the day' }).click();
    await expect.poll(() => cardService.state().dayRemaining).toBe(50_000);
  });

  it('shows the requests that reached it, those for several cards with their ids; a dropped connection loses no command', async () => {
    const { world } = await openSandbox(page);
    await say(page, '/card nothing-1');
    const row = page.getByRole('row').filter({ hasText: '/cards/nothing-1' });
    await row.getByRole('cell', { name: '404' }).waitFor();
    await world.cardService.fetch('http://cards.test/cards?ids=base1-4,base1-1');
    await page.getByRole('cell', { name: '2 cards: base1-4, base1-1' }).waitFor();

    await page.getByRole('button', { name: 'Drop the gateway connection' }).click();
    await expect.poll(() => world.discord.gateway.resumes).toBe(1);
    await say(page, '/card base1-4');
    await page.locator('discord-embed').waitFor();
  });

  it('shows the wait after a 429 and then the card; relative times keep counting', async () => {
    const { world, pageErrors } = await openSandbox(page);
    // Counted from the request on: a wait is shown when it exceeds 3 s
    const body = { _tag: 'RateLimitExceeded', message: 'Rate limit exceeded.', retryAfter: 5 };
    world.cardService.script({ status: 429, headers: { 'retry-after': '5' }, body });

    await say(page, '/card base1-4');

    const reply = replyTo(page, '/card id:base1-4');
    await reply.getByText(/^You're in line/).waitFor();
    expect(await reply.locator('discord-time').textContent()).toMatch(/^\d+:\d\d:\d\d\s[AP]M$/);
    await reply.locator('discord-embed').waitFor();
    expect(world.cardService.requests.map(({ status }) => status)).toEqual([429, 200]);

    await page.getByRole('button', { name: '429 storm for 30 s' }).click();
    const end = page.getByText(/Every request gets a 429/).locator('discord-time');
    const atFirst = await end.textContent();
    await expect.poll(() => end.textContent()).not.toBe(atFirst);
    expect(pageErrors).toEqual([]);
  });
});

describe('a mistake', () => {
  it('is explained beside the composer, and nothing is sent', async () => {
    const { world } = await openSandbox(page);
    const problems = [
      ['/nope', 'There is no command /nope here.'],
      ['/card a private:maybe', 'The option "private" of /card must be true or false.'],
    ] as const;

    for (const [line, words] of problems) {
      await say(page, line);
      await page.getByRole('alert').filter({ hasText: words }).waitFor();
    }
    await page.context().setOffline(true);
    await page.getByRole('button', { name: 'Drop the gateway connection' }).click();
    await page.getByRole('alert').filter({ hasText: 'The sandbox does not answer.' }).waitFor();
    expect(world.discord.messages()).toEqual([]);
  });

  it('that only the emulated Discord detects is shown in its words, and the command is kept', async () => {
    const { world } = await openSandbox(page);
    // Without a bot no command can be sent
    await world.stop();
    await say(page, '/card base1-4');
    await page.getByRole('alert').filter({ hasText: 'No bot is connected' }).waitFor();
    await expect.poll(() => page.getByRole('combobox', { name: 'id' }).inputValue()).toBe('base1-4');
  });

  it('opens a form for missing options; Escape closes its suggestions, and once more the form', async () => {
    await openSandbox(page);

    await say(page, '/card private:True');
    await page.getByText('/card needs the option "id".').waitFor();
    await page.keyboard.type('deep-2');
    await page.keyboard.press('Enter');
    await replyTo(page, '/card id:deep-2 private:true').waitFor();

    await say(page, '/card');
    await page.getByRole('combobox', { name: 'id' }).waitFor();
    const suggestions = page.locator('.suggestions').getByRole('option');
    // A busy machine may suggest the card that was looked up only after the first of them.
    for (const _ of ['suggestions', 'form']) await page.keyboard.press('Escape');
    await expect.poll(() => suggestions.count()).toBe(0);
    await expect.poll(() => composer(page).inputValue()).toBe('/card');
  });
});
