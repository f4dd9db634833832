// Takes docs/replies/: every kind of reply in the sandbox, in the dark and the light theme, and on a phone.
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { createLog } from '../../src/log.ts';
import { startPageServer } from '../../src/sandbox/page-server.ts';
import { SAMPLE_CARDS, SAMPLE_CATALOG } from '../../src/sandbox/sample-cards.ts';
import { type Sandbox, startSandbox } from '../../src/sandbox/sandbox.ts';
import { launchBrowser } from '../support/browser.ts';
import { replyTo, say } from '../support/page-visit.ts';
import { replaceStoredCard } from '../support/stored-cards.ts';
import { SCENES, type Scene } from './scenes.ts';

const FOLDER = 'docs/replies';
const WIDTHS = { desktop: 1_280, phone: 390 };
const WAIT_MS = 30_000;

// Expressions for the browser, whose types are not those of Node.
const PICTURES_LOADED = 'Promise.all(Array.from(document.images, (image) => image.decode().catch(() => {})))';

await rm(FOLDER, { recursive: true, force: true });
await mkdir(FOLDER, { recursive: true });
const browser = await launchBrowser();
for (const scene of SCENES) await take(scene, browser);
await browser.close();

async function take(scene: Scene, browser: Browser): Promise<void> {
  const log = createLog({ level: 'silent', secrets: [] });
  const sandbox = await startSandbox({ log, catalog: SAMPLE_CATALOG, ...scene.options });
  await learn(sandbox, scene.known ?? {});
  await sandbox.startBot();
  const { discord, cardService } = sandbox;
  const server = await startPageServer({ port: 0, discord, cardService });
  const page = await browser.newPage({
    viewport: { width: WIDTHS.desktop, height: 1_000 },
    timezoneId: 'UTC',
    colorScheme: 'dark',
  });
  page.setDefaultTimeout(WAIT_MS);
  await page.goto(server.url);
  await page.getByRole('button', { name: 'Send' }).waitFor();
  for (const { name, line, shows, before } of scene.shots) {
    before?.(sandbox);
    await say(page, line);
    await shoot(page, name, line, shows);
  }
  await page.close();
  await server.close();
  await sandbox.stop();
}

/** Gives the bot cards as if it had known them for a while. */
async function learn(sandbox: Sandbox, known: NonNullable<Scene['known']>): Promise<void> {
  if (Object.keys(known).length === 0) return;
  const { discord, config } = sandbox;
  const bot = await sandbox.startBot();
  const records = new Map(Object.entries(known));
  for (const id of records.keys()) {
    await discord.type({ command: 'card', options: { id } }).until(({ embeds }) => embeds.length > 0, WAIT_MS);
  }
  await bot.stop();
  for (const [id, change] of records) {
    const sample = SAMPLE_CARDS.find((card) => card.id === id);
    if (!sample) throw new Error(`no sample card ${id}`);
    const { tcg: game, ...facts } = sample;
    const record = change({ card: { ...facts, game }, fetchedAtMs: Date.now() - 25 * 60_000 });
    replaceStoredCard(config.dataDir, id, JSON.stringify({ value: record }));
  }
}

async function shoot(page: Page, name: string, line: string, shows: string): Promise<void> {
  const reply = replyTo(page, line).last();
  await reply.getByText(shows).first().waitFor();
  await page.evaluate(PICTURES_LOADED);
  const picture = (suffix: string) =>
    reply.screenshot({ path: join(FOLDER, `${name}${suffix}.jpg`), type: 'jpeg', quality: 82 });
  await picture('');
  await page.emulateMedia({ colorScheme: 'light' });
  await picture('-light');
  await page.emulateMedia({ colorScheme: 'dark' });
  await page.setViewportSize({ width: WIDTHS.phone, height: 1_600 });
  await picture('-phone');
  await page.setViewportSize({ width: WIDTHS.desktop, height: 1_000 });
}
