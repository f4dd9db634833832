import { execFileSync } from 'node:child_process';
import { PassThrough } from 'node:stream';
import { parseEnv } from 'node:util';
import type { Locator, Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { runCli } from '../../src/cli/program.ts';
import { stopSignal } from '../../src/stop-signal.ts';
import { startAppBot } from '../support/app-bot.ts';
import { type BotProcess, startUnderNpm } from '../support/bot-process.ts';
import { openPage, replyTo, say, visitPage } from '../support/page-visit.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { followsAccessibilityRules } from './page-accessibility.ts';

const FOUND = '“ember” found 3 cards with 0 requests. The card itself took 1 request for Alice, and 0 for Björn.';
/** Three, if the machine is not too busy to take the members one after the other. */
const CROWD = /^30 members asked, 30 got their card, and the card service received [1-3] requests?\.$/;
const TOLD =
  "The watch took 0 requests. Björn's lookup renewed the card with 1 request, its price had crossed Alice's line, and the bot wrote to her.";
const READING_MS = 2_000;
/** Of the height of a phone. */
const LEAST_CHAT = 0.6;

const LOWEST_PORT = 20_000;

let sandbox: BotProcess;
let page: Page;
let url: string;

beforeAll(async () => {
  sandbox = startSandboxProgram();
  [page] = await Promise.all([openPage(), sandbox.wrote('and type: /card')]);
  url = urlOf(sandbox);
});

function startSandboxProgram(...options: string[]) {
  return startUnderNpm(['run', 'sandbox', '--', '--port', '0', ...options]);
}

function urlOf(program: BotProcess): string {
  return /http:\/\/127\S+/.exec(program.output())?.[0] ?? expect.fail(program.output());
}

async function press(name: string): Promise<void> {
  await page.getByRole('button', { name, exact: true }).click();
}

/** Resolves when the line below what to watch says it. */
async function happened(text: string | RegExp): Promise<void> {
  const status = page.getByRole('region', { name: 'A guided minute' }).getByRole('status');
  await status.locator('p.good').filter({ hasText: text }).waitFor();
}

/** Everything is as when the sandbox was started: it is reset when another test has used it. */
async function beginAnew(): Promise<void> {
  await visitPage(page, url);
  const count = page.getByRole('heading', { name: 'Requests that reached it' });
  if ((await count.textContent())?.endsWith(': 0')) return;
  await reset();
}

async function reset(): Promise<void> {
  const isReset = page.waitForResponse((response) => response.url().endsWith('/api/reset')); // what follows may hold before
  await press('Reset sandbox');
  await isReset;
  await page.getByText('Requests that reached it: 0').waitFor();
  await expect.poll(() => page.locator('discord-message').count()).toBe(1);
  await page.getByText('Process (running)').waitFor();
}

describe('the page', () => {
  followsAccessibilityRules(() => ({ page, url, beginAnew }));
});

/** As narrow and as low as the window of any desktop in use, and a phone. */
it.each([
  [1280, 625],
  [390, 844],
])('has name and price of the first card in view at %s × %s, and the steps in one row', async (width, height) => {
  await beginAnew();
  await visitPage(page, url);
  await page.setViewportSize({ width, height });
  const steps = page.getByRole('region', { name: 'A guided minute' }).getByRole('button');
  const rows = await Promise.all((await steps.all()).map(async (step) => (await step.boundingBox())?.y));
  expect(new Set(rows).size).toBe(1);
  for (const key of ['/card', 'Enter', 'ember', 'ArrowDown', 'Enter', 'Enter']) {
    await (/^[A-Z]/.test(key) ? page.keyboard.press(key) : page.keyboard.type(key));
    if (key === 'ember') await page.getByRole('option', { name: 'Emberwing Drake' }).first().waitFor();
  }
  const embed = page.locator('discord-embed');
  await embed.locator('img').last().waitFor();
  for (const text of ['Emberwing Drake', 'market']) await expectInView(embed.getByText(text).first());
});

async function expectInView(part: Locator): Promise<void> {
  const isInView = async () => {
    const [box, log] = await Promise.all([part.boundingBox(), page.getByRole('log').boundingBox()]);
    return box && log && box.y >= log.y && box.y + box.height <= log.y + log.height;
  };
  await expect.poll(isInView, { message: String(part) }).toBe(true);
}

it('leaves the chat three fifths of a phone, whatever the guide says', async () => {
  await beginAnew();
  await page.setViewportSize({ width: 390, height: 844 });
  const guide = page.getByRole('region', { name: 'A guided minute' });
  expect(await guide.getByRole('list').innerText()).not.toMatch(/[^\d\s]/); // numbers alone
  await press('The day runs out');
  await happened('The day stays used up');
  for (const [width, height] of [
    [390, 844],
    [320, 568],
  ] as const) {
    await page.setViewportSize({ width, height });
    const [chat, steps, text] = await Promise.all(
      [page.getByRole('log'), guide.getByRole('list'), guide.getByRole('status')].map((part) => part.boundingBox()),
    );
    if (!chat || !steps || !text) throw new Error('something is not there');
    expect(chat.height / height).toBeGreaterThan(LEAST_CHAT - 0.005); // pixels are whole
    expect(text.y).toBeGreaterThanOrEqual(steps.y + steps.height);
    expect(text.y + text.height).toBeLessThanOrEqual(chat.y);
    await expectInView(page.getByText("Today's new lookups are used up."));
  }
});

it('each step of the guided minute says what happened, in figures, at any time', async () => {
  const { pageErrors, externalUrls } = await visitPage(page, url);
  const asked = page.locator('discord-message').filter({ hasText: 'Alice used' });
  await press('Reset sandbox');
  await asked.first().waitFor({ state: 'detached' });
  const pressedAtMs = Date.now();
  await press('Find a card by name');
  await page.getByText('Alice types “ember”').waitFor();
  await asked.waitFor();
  expect(Date.now() - pressedAtMs).toBeGreaterThanOrEqual(READING_MS);
  await happened(FOUND);
  expect(await page.getByText('Alice types “ember”').isVisible()).toBe(true);
  await page.getByRole('row').filter({ hasText: '/cards/promo-7' }).getByText('for Alice').waitFor();
  await press('Find a card by name');
  await happened('The card was known already, so it took 0 requests for Alice, and 0 for Björn.');
  await press('Kill the bot while members wait');
  await happened(/^3 replies said “thinking…” .* and 3 of 3 got their cards, with \d requests in all\.$/);

  // The sandbox is reset whenever it is not as at the start: without a bot
  await press('Kill the process');
  await page.getByText('Process (stopped)').waitFor();
  await press('Find a card by name');
  // Nor with one that is killed while it is reset
  await page.getByText('Process (starting)').waitFor();
  await press('Kill the process');
  await press('Find a card by name');
  await happened(FOUND);
  // While another step runs
  await press('The service says 429');
  await page.getByText(/Every request gets a 429/).waitFor();
  await press('Thirty ask at once');
  await happened(CROWD);
  await page.getByText(/Requests that reached it: [1-3]$/).waitFor();
  await expect.poll(() => page.locator('.askers .card').count()).toBe(30);
  // With a switch that was used
  const outage = page.getByRole('combobox', { name: 'Outage' });
  await outage.selectOption('503, wait 2 min');
  await press('The day runs out');
  await happened(
    /^1 request found the day used up\. 1 known card still appeared, and 5 of 5 members .* were told .* with 0 requests\./,
  );
  expect(await outage.inputValue()).toBe('none');
  await expectInView(page.getByText("Today's new lookups are used up."));
  // After a day that was used up
  await press('The service says 429');
  await happened(
    /^1 request got a 429 that said to wait 8 s, and 0 more arrived in that time\. Then (\d requests? answered 3 of 3 members\.|2 requests answered 3 of 3 members: cards that waited together left as one list, which counts as one request\.)$/,
  );
  // Whoever one was, and wherever
  await page.getByRole('combobox', { name: 'Member' }).selectOption({ label: 'Zoe' });
  await press('Find a card by name');
  await page.getByRole('heading', { name: '#card-talk' }).waitFor();
  await happened(FOUND);
  // Although the card that is watched has been renewed meanwhile
  await say(page, '/card base1-4');
  await replyTo(page, '/card id:base1-4').getByText('(edited)').waitFor();
  await press('A price moves');
  await happened(TOLD);
  await expectInView(page.getByText('Emberwing Drake is at $39.96, above your target of $38.00.'));
  expect({ pageErrors, externalUrls }).toEqual({ pageErrors: [], externalUrls: [] });
});

it('the chat has what members write, and looks up the cards that they name', async () => {
  await beginAnew();
  await say(page, 'I have two of them.');
  const posts = page.locator('discord-message');
  await posts.filter({ hasText: 'I have two of them.' }).waitFor();
  const seeded = posts.filter({ hasText: 'Anyone trading a Wax Golem for base1-4?' });
  await seeded.getByText('Apps').press('Enter');
  await seeded.getByRole('button', { name: 'Look up cards' }).press('Enter');
  await page.getByText('Only you can see this').waitFor();
  await expect
    .poll(() => page.locator('discord-embed').allTextContents())
    .toEqual([
      expect.stringContaining('Wax Golem'),
      expect.stringMatching(/Emberwing Drake.*\$36\.33 market.*in 7 days/s),
    ]);
});

it('a place where the bot was not added says what that means', async () => {
  await visitPage(page, url);
  const words = page.getByRole('region', { name: 'Welcome' }).getByText('The bot was not added here.');
  for (const [place, isAdded] of [
    ['Book Club', false],
    ['Collectors', true],
    ['Friends', false],
    ['cardbot', true],
  ] as const) {
    await press(place);
    await words.waitFor({ state: isAdded ? 'hidden' : 'visible' });
  }
});

it('says beside the switch of the key when a bot asks again that was refused', async () => {
  await beginAnew();
  const revoked = page.getByRole('checkbox', { name: 'The API key is revoked (401)' });
  const words = page.getByText('A bot that was refused shows only cards that it knows, and asks again a minute later');
  await words.waitFor({ state: 'hidden' });
  await revoked.check();
  await words.waitFor();
  for (const id of ['tide-11', 'tide-18']) await say(page, `/card ${id}`); // one may be the card's fault
  await words.filter({ hasText: /also when its key is accepted before: in \d\d seconds\.$/ }).waitFor();
  await revoked.uncheck();
  await say(page, '/card tide-27');
  await replyTo(page, '/card id:tide-27').getByText("can't reach").waitFor();
  expect(await words.isVisible()).toBe(true);
  await reset();
  await words.waitFor({ state: 'hidden' });
});

it('a sandbox that is killed leaves no process behind', async () => {
  const program = startSandboxProgram();
  await program.wrote('"msg"'); // the bot's first line
  const [pid = expect.fail('npm runs nothing')] = childrenOf(program.child.pid);
  const children = childrenOf(pid);
  expect(children.length).toBeGreaterThan(0);
  process.kill(pid, 'SIGKILL');
  await expect.poll(() => children.filter(isAlive)).toEqual([]);
});

it('without its bot it prints the lines for the .env of another, the same at each start, and how to import its cards', async () => {
  const port = String(LOWEST_PORT + 3 * (process.pid % 3_000)); // below those that the system gives to others
  const before = startSandboxProgram('--no-bot', '--port', port);
  await before.wrote('catalog -- import');
  before.ctrlC();
  await before.ended;
  const program = startSandboxProgram('--no-bot', '--port', port);
  await program.wrote('catalog -- import');
  const envLines = ({ output }: BotProcess) => output().split(/For your .env, while this runs:|The names/)[1] ?? '';
  expect(envLines(program)).toBe(envLines(before));
  const env = parseEnv(envLines(program)) as Record<string, string>;
  expect(Object.keys(env).sort()).toEqual([
    'CARD_SERVICE_API_KEY',
    'CARD_SERVICE_URL',
    'DISCORD_API_URL',
    'DISCORD_TOKEN',
  ]);
  const DATA_DIR = temporaryFolder();
  const context = {
    env: { ...env, DATA_DIR },
    folder: '.',
    stdin: process.stdin,
    stdout: new PassThrough(),
    stderr: process.stderr,
    stopSignal,
  };
  expect(await runCli(['commands', 'register'], context)).toBe(0);
  const [, list = ''] = /npm run catalog -- import (\S+)/.exec(program.output()) ?? [];
  expect(await runCli(['catalog', 'import', list], context)).toBe(0);
  const bot = await startAppBot({ ...env, DATA_DIR });
  await bot.wrote('gateway ready');
  await visitPage(page, urlOf(program));
  await say(page, '/card wick who waits');
  await page.locator('discord-embed').getByText('Wick, Who Waits').first().waitFor();
  expect(await page.getByRole('region', { name: 'A guided minute' }).isVisible()).toBe(false);
});

function childrenOf(pid = 0): number[] {
  return execFileSync('pgrep', ['-P', String(pid)], { encoding: 'utf8' })
    .trim()
    .split('\n')
    .map(Number);
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
