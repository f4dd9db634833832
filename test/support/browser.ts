import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';
import { isPackaged, type PackagedChromium, packagedChromium } from './packaged-chromium.ts';

const SYSTEM_CHROMIUM = '/usr/bin/chromium';

// Quiet and offline. The package's own arguments are left out: they switch off the same-origin policy, which the tests
// of the page rely on.
const ARGS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--process-per-site', // otherwise each test starts a renderer for the new port of its server
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/**
 * A headless Chromium: `CHROMIUM_PATH`, otherwise the one installed by `npm ci`, otherwise the system's, which takes
 * twice the CPU time because it is a whole browser without its window.
 */
export async function launchBrowser(): Promise<Browser> {
  const { executablePath, env } = await findChromium();
  const inherited = Object.entries(process.env).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return await chromium.launch({ executablePath, args: ARGS, env: { ...Object.fromEntries(inherited), ...env } });
}

async function findChromium(): Promise<PackagedChromium> {
  const chosen = process.env.CHROMIUM_PATH;
  if (chosen) return { executablePath: chosen, env: {} };
  if (isPackaged || !existsSync(SYSTEM_CHROMIUM)) return await packagedChromium();
  return { executablePath: SYSTEM_CHROMIUM, env: {} };
}
