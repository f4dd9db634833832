import { execFileSync } from 'node:child_process';
import { parseEnv } from 'node:util';
import { beforeAll, describe, expect, it } from 'vitest';
import { run } from '../cli/run.ts';
import { startAppBot } from '../support/backends.ts';
import { type BotProcess, startUnderNpm } from '../support/bot-process.ts';
import {
  AXE,
  DESKTOP,
  expectInView,
  guide,
  happened,
  openPage,
  option,
  PHONE,
  page,
  press,
  resize,
  type Size,
  say,
  sees,
  startSandboxProgram,
  the,
  typeKeys,
  visitPage,
} from '../support/page.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

beforeAll(openPage);

describe('npm run sandbox', () => {
  /** Of the height of a phone. */
  const LEAST_CHAT = 0.6;
  /** The ports of Redis servers for tests begin at 20,000. */
  const LOWEST_PORT = 11_000;
  /** A phone, an iPhone SE, a desktop at 200 %, and the least that WCAG 2 asks for: 1280 pixels at 400 %. */
  const SMALL: readonly Size[] = [PHONE, [320, 640], [640, 480], [320, 256]];
  /** For the browser: what axe-core finds wrong, and where. */
  const VIOLATIONS = `axe.run({ resultTypes: ['violations'] }).then(({ violations }) =>
    violations.flatMap(({ id, nodes }) => nodes.map(({ target }) => id + ': ' + target.join(' '))))`;
  /** For the browser: the menus with a choice that is wider than the menu, and placeholders wider than their field. */
  const CUT = `[...document.querySelectorAll('select, input')].flatMap((field) => {
    if (field.closest('.message') || !field.checkVisibility()) return []; // a menu in a reply may cut, as Discord's
    const { font, paddingLeft, paddingRight } = getComputedStyle(field);
    const arrow = field.matches('select') ? 20 : 0;
    const pen = Object.assign(document.createElement('canvas').getContext('2d'), { font });
    const texts = field.matches('select') ? [...field.options].map(({ text }) => text) : [field.placeholder];
    return texts.filter((text) => {
      if (field.matches('select')) field.value = [...field.options].find((option) => option.text === text).value;
      return pen.measureText(text).width + parseFloat(paddingLeft) + parseFloat(paddingRight) + arrow > field.offsetWidth;
    });
  })`;
  /** For the browser: whether the composer is in sight, and how far the page can be scrolled. */
  const EDGES = `({
    isInSight: Math.round(document.querySelector('.row').getBoundingClientRect().bottom) <= innerHeight,
    right: document.documentElement.scrollWidth,
    bottom: document.documentElement.scrollHeight,
  })`;

  let url: string;
  beforeAll(async () => {
    ({ url } = await startSandboxProgram('--quick'));
  });

  /** Everything is as when the sandbox was started: it is reset when another test has used it. */
  async function beginAnew(): Promise<void> {
    await visitPage(url);
    const count = the('heading', 'Requests that reached it');
    if ((await count.textContent())?.endsWith(': 0')) return;
    const isReset = page.waitForResponse((response) => response.url().endsWith('/api/reset')); // what follows may hold before
    await press('Reset sandbox');
    await isReset;
    await sees('Requests that reached it: 0');
    await expect.poll(() => page.locator('.message').count()).toBe(1);
    await page.getByText('The bot (connected)').waitFor();
  }

  async function expectNoViolation(state: string): Promise<void> {
    if (!(await page.evaluate("'axe' in globalThis"))) await page.evaluate(AXE);
    await expect.poll(() => page.evaluate(VIOLATIONS), { message: state }).toEqual([]); // once messages are drawn
  }

  async function expectComposerInSight(state: string): Promise<void> {
    for (const size of SMALL) {
      await resize(size);
      const [right, bottom] = size;
      for (const name of ['Chat', 'Card service']) {
        await the('tab', name).click();
        const edges = () => page.evaluate(EDGES); // once it is laid out
        await expect.poll(edges, { message: `${state}, ${name}` }).toEqual({ right, bottom, isInSight: true });
      }
    }
    await resize(DESKTOP);
  }

  it('has a page with which axe-core finds nothing wrong, dark or light, and whose composer is in sight on every screen', async () => {
    await beginAnew();
    await page.emulateMedia({ colorScheme: 'dark' });
    await expectComposerInSight('empty');
    await typeKeys(['/card', 'Enter', 'ember']);
    await option('Emberwing Drake · 4/102 · First Light').waitFor();
    await expectNoViolation('suggestions');
    await typeKeys(['Tab', 'Tab', 'Enter']);
    await page.getByRole('combobox', { name: 'prices', exact: true }).waitFor();
    await expectNoViolation('form');
    await typeKeys(['Escape', 'Escape']); // the form, and its name
    await say('/card base1-4');
    await say('/cards base1-4,tide-27 private:True');
    await say('/card first light');
    await expect.poll(() => page.locator('.embed').count()).toBe(3);
    await sees('Which of these cards do you mean?');
    await page.getByText('Apps').first().press('Enter');
    await expectNoViolation('used, dark');
    await expectComposerInSight('used');
    await press('The day runs out');
    await happened('The day stays used up');
    await press('Kill the process');
    await sees('cardbot is gone.');
    await page.emulateMedia({ colorScheme: 'light' });
    await expectNoViolation('without a bot, light');
    await press('Start the process');
    await page.reload();
    await page.locator('.embed').first().waitFor();
    await expectComposerInSight('opened again after use');
  });

  it('leaves the chat three fifths of a phone, whatever the guide says; tabs change by arrow keys, and with a command', async () => {
    await beginAnew();
    await resize(PHONE);
    expect(await guide().getByRole('list').innerText()).toMatch(/Find a card\s+Thirty ask/);
    await press('The day runs out');
    await happened('The day stays used up');
    for (const size of [PHONE, [320, 568]] as const) {
      await resize(size);
      const [chat, steps, text] = await Promise.all(
        [the('log'), guide().getByRole('list'), guide().getByRole('status')].map((part) => part.boundingBox()),
      );
      if (!chat || !steps || !text) throw new Error('something is not there');
      expect(chat.height / size[1]).toBeGreaterThan(LEAST_CHAT - 0.005); // pixels are whole
      expect(text.y).toBeGreaterThanOrEqual(steps.y + steps.height);
      expect(text.y + text.height).toBeLessThanOrEqual(chat.y);
      await expectInView(page.getByText("Today's new lookups are used up.").last());
    }
    await the('tab', 'Chat').press('ArrowRight');
    await the('heading', 'The card service').waitFor();
    expect(await the('log').isVisible()).toBe(false);
    await say('/card base1-4');
    await the('log').waitFor();
  });

  /** As low as the window of any desktop in use, and a phone. */
  it.each([[1366, 625], [...PHONE]])(
    'has the first card in view at %s × %s, the steps in one row, and no choice is cut',
    async (width, height) => {
      await beginAnew();
      await resize([width, height]);
      const steps = await guide().getByRole('button').all();
      const rows = await Promise.all(steps.map(async (step) => (await step.boundingBox())?.y));
      expect(new Set(rows).size).toBe(1);
      await typeKeys(['/card', 'Enter', 'ember']);
      await option('Emberwing Drake').waitFor();
      await typeKeys(['Enter', 'Enter']);
      const embed = page.locator('.embed');
      await embed.locator('img').last().waitFor();
      for (const text of ['Emberwing Drake', 'market']) await expectInView(embed.getByText(text).first());
      if (width > 800) {
        for (const part of [embed.locator('img'), the('button', 'Watch')]) await expectInView(part);
        const kill = await the('button', 'Kill the process').boundingBox();
        expect(kill?.y).toBeLessThan(height - 30); // what is worth trying needs no scrolling
      }
      if (width < 800) await the('tab', 'Card service').click();
      await expect.poll(() => page.evaluate(CUT)).toEqual([]); // once it is laid out
    },
  );

  it('leaves no process behind when it is killed', async () => {
    const program = startUnderNpm(['run', 'sandbox', '--', '--port', '0']);
    await program.wrote('"msg"'); // the bot's first line
    const [pid = expect.fail('npm runs nothing')] = childrenOf(program.child.pid);
    const children = childrenOf(pid);
    expect(children.length).toBeGreaterThan(0);
    process.kill(pid, 'SIGKILL');
    await expect.poll(() => children.filter(isAlive)).toEqual([]);
  });

  it('prints without its bot the lines for the .env of another, the same at each start, and how to import its cards', async () => {
    const port = String(LOWEST_PORT + 3 * (process.pid % 3_000)); // below those that the system gives to others
    const before = await startSandboxProgram('--no-bot', '--port', port);
    before.ctrlC();
    expect(await before.ended).toBe(0);
    const program = await startSandboxProgram('--no-bot', '--port', port);
    const envLines = ({ output }: BotProcess) => output().split(/For your .env, while this runs:|The names/)[1] ?? '';
    expect(envLines(program)).toBe(envLines(before));
    const env = parseEnv(envLines(program)) as Record<string, string>;
    expect(Object.keys(env).sort()).toEqual([
      'CARD_SERVICE_API_KEY',
      'CARD_SERVICE_URL',
      'DISCORD_API_URL',
      'DISCORD_TOKEN',
    ]);
    const own: Record<string, string> = { ...env, DATA_DIR: temporaryFolder() };
    const [, list = ''] = /npm run catalog -- import (\S+)/.exec(program.output()) ?? [];
    expect(await run(['catalog', 'import', list], { env: own })).toMatchObject({ code: 0 });
    const bot = await startAppBot(own);
    await bot.wrote('commands registered');
    await visitPage(program.url);
    await say('/card wick who waits');
    await page.locator('.embed').getByText('Wick, Who Waits').first().waitFor();
    expect(await guide().isVisible()).toBe(false);
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
});
