import { beforeAll, describe, expect, it } from 'vitest';
import { SAMPLE_CATALOG } from '../../sandbox/sample-cards.ts';
import {
  choose,
  composer,
  openPage,
  openSources,
  option,
  page,
  press,
  replyTo,
  say,
  sees,
  the,
  typeKeys,
} from '../support/page.ts';
import { startWorld } from '../support/world.ts';

beforeAll(openPage);

describe('the whole app', () => {
  async function openSandbox() {
    const world = await startWorld({ catalog: SAMPLE_CATALOG });
    return { world, faults: await openSources(world) };
  }

  it('gives a newcomer a card with one request by the first instruction, however fast it is followed', async () => {
    const { world, faults } = await openSandbox();
    const keys = await the('region', 'Welcome').locator('kbd').allTextContents();
    expect(keys.join(' ')).toBe('/card Enter ember Enter Enter');
    await typeKeys(keys);

    const reply = replyTo('/card id:base1-4');
    const picture = reply.locator('.embed-image');
    await picture.waitFor();
    expect(await reply.textContent()).toMatch(/Emberwing Drake.*36\.33 market.*999 of 1,000 new lookups left today/s);
    await expect.poll(() => picture.evaluate((it: { naturalWidth: number }) => it.naturalWidth)).toBeGreaterThan(0);
    expect(world.cardService.requests).toHaveLength(1);
    // What was asked for last is the first suggestion now
    await typeKeys(['/card', 'Enter']);
    await option('Emberwing Drake').waitFor();
    expect(faults).toEqual([]);
  });

  it('takes a whole line, and completes an option with Tab: what it adds begins with what differs from the default', async () => {
    await openSandbox();
    await typeKeys(['/card', 'Tab', 'ember']);
    await option('Emberwing Drake · 4/102 · First Light').waitFor();
    await typeKeys(['Tab', 'Tab', 'Enter', 'Tab', 'Enter', 'Enter']); // adds each of the other options, then sends
    await replyTo('/card id:base1-4 prices:false private:true').waitFor();

    await page.keyboard.type('/card');
    await option('/card id').waitFor();
    // As if typed faster than the list of commands loads
    await page.route('**/api/commands', () => {});
    await typeKeys([' deep-2 private:True prices:no', 'Enter']);
    await replyTo('/card id:deep-2 prices:false private:true').getByText('Only you can see this').waitFor();
  });

  it('answers /usage for its member alone, and offers it with Manage Server only, not in direct messages', async () => {
    await openSandbox();
    await say('/usage');
    await replyTo('/usage').locator('.embed').getByText('@Alice').waitFor();
    await choose('Member', 'Björn');
    await replyTo('/usage').waitFor({ state: 'detached' });
    await choose('Member', 'Alice');
    await replyTo('/usage').waitFor();
    await the('button', 'Dismiss message').press('Enter');
    await replyTo('/usage').waitFor({ state: 'detached' });

    await the('checkbox', 'with Manage Server').uncheck();
    await composer().fill('/');
    await option('/card id').waitFor();
    expect(await the('option', '/usage').count()).toBe(0);
    await press('cardbot');
    await say('/usage');
    await sees('There is no command /usage here.');
  });

  it('has switches that the card service obeys', async () => {
    const { world } = await openSandbox();
    const state = () => world.cardService.state();
    for (const [menu, label, switches] of [
      ['Outage', '503, wait 30 s', { down: true, downRetryAfterSeconds: 30 }],
      ['Outage', 'none', { down: false, downRetryAfterSeconds: 0 }],
      ['Speed', '2 s', { latencyMs: 2_000 }],
      ['Prices', '−10 %', { pricePercent: -10 }],
    ] as const) {
      await choose(menu, label);
      await expect.poll(() => state().switches, { message: label }).toMatchObject(switches);
    }
    await sees(/come back every minute/);
    await sees('The bot hears of it when it asks again');
    await press('429 storm for 30 s');
    const end = page.getByText(/Every request gets a 429/).locator('time');
    const atFirst = await end.textContent();
    await expect.poll(() => end.textContent()).not.toBe(atFirst); // relative times keep counting
    await press('End the 429 storm');
    await end.waitFor({ state: 'hidden' });
    for (const [button, left] of [
      ['Use up the day', 0],
      ['Refill the day', state().dayLimit],
    ] as const) {
      await press(button);
      await expect.poll(() => state().dayRemaining).toBe(left);
    }
  });

  it('shows the requests that reached it, those for several cards with their ids; a dropped connection loses no command', async () => {
    const { world } = await openSandbox();
    await say('/card nothing-1');
    const row = the('row').filter({ hasText: '/cards/nothing-1' });
    await row.getByRole('cell', { name: '404' }).waitFor();
    await world.cardService.fetch('http://cards.test/cards?ids=base1-4,base1-1');
    await the('cell', '2 cards: base1-4, base1-1').waitFor();

    await press('Drop the gateway connection');
    await expect.poll(() => world.discord.gateway.resumes).toBe(1);
    await say('/card base1-4');
    await page.locator('.embed').waitFor();
  });

  it('explains a mistake beside the composer, sends nothing and keeps the command', async () => {
    const { world } = await openSandbox();
    const isTold = (words: string) => the('alert').filter({ hasText: words }).waitFor();
    await say('/nope');
    await isTold('There is no command /nope here.');
    await world.stop(); // without a bot no command can be sent
    await say('/card base1-4');
    await isTold('No bot is connected');
    const id = the('combobox', 'id');
    await expect.poll(() => id.inputValue()).toBe('base1-4');
    await id.press('Escape');
    await say('/card a private:maybe');
    await isTold('The option "private" of /card must be true or false.');
    await page.context().setOffline(true);
    await press('Drop the gateway connection');
    await isTold('The sandbox does not answer.');
    expect(world.discord.messages()).toEqual([]);
  });

  it('opens a form for missing options; Escape closes its suggestions, and once more the form', async () => {
    await openSandbox();
    await say('/card private:True');
    await sees('/card needs the option "id".');
    await typeKeys(['deep-2', 'Enter', 'Enter']);
    await replyTo('/card id:deep-2 private:true').waitFor();

    await say('/card');
    await the('combobox', 'id').waitFor();
    // A busy machine may suggest the card that was looked up only after the first of them.
    await typeKeys(['Escape', 'Escape']);
    await expect.poll(() => page.locator('.suggestions').getByRole('option').count()).toBe(0);
    await expect.poll(() => composer().inputValue()).toBe('/card');
  });
});
