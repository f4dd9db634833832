import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, onTestFinished, vi } from 'vitest';
import { readConfig } from '../../../src/config/config.ts';
import { Events } from '../../../src/model/events.ts';
import { openState } from '../../../src/storage/open-state.ts';
import { watchFile } from '../../../src/storage/sqlite/file.ts';
import { ERROR, logLines } from '../../support/log-lines.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const MINUTE_MS = 60_000;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
});
afterEach(() => {
  vi.useRealTimers();
});

it.each<[string, (folder: string) => void, string | undefined]>([
  ['nothing happens', () => {}, undefined],
  ['it is written', (folder) => writeFileSync(join(folder, 'open'), 'more'), undefined],
  ['another file is deleted', (folder) => rmSync(join(folder, 'other')), undefined],
  ['it is deleted', (folder) => rmSync(join(folder, 'open')), 'open'],
  ['another takes its place', (folder) => renameSync(join(folder, 'other'), join(folder, 'open')), 'open'],
  ['its write-ahead log is deleted', (folder) => rmSync(join(folder, 'open-wal')), 'open-wal'],
  ['its folder is deleted', (folder) => rmSync(folder, { recursive: true }), 'open'],
])('when %s, an open file is reported as it should', (_, happens, lost) => {
  const folder = temporaryFolder();
  for (const name of ['open', 'open-wal', 'other']) writeFileSync(join(folder, name), name);
  const told: string[] = [];
  onTestFinished(watchFile(join(folder, 'open'), (reason) => told.push(reason)));
  vi.advanceTimersByTime(MINUTE_MS);
  happens(folder);
  vi.advanceTimersByTime(2 * MINUTE_MS);
  expect(told).toEqual(lost === undefined ? [] : [`${join(folder, lost)} was deleted or replaced while the bot runs`]);
});

it('after state.sqlite was deleted the bot ends with a sentence; cards.sqlite is only missed', async () => {
  const dataDir = temporaryFolder();
  const { log, lines } = logLines();
  const config = readConfig({ DISCORD_TOKEN: 'none', CARD_SERVICE_URL: 'https://cards.test', DATA_DIR: dataDir });
  const state = await openState({ ...config, log, events: new Events() });
  onTestFinished(() => state.close());
  for (const name of ['state.sqlite', 'cards.sqlite']) rmSync(join(dataDir, name));
  vi.advanceTimersByTime(2 * MINUTE_MS);
  expect((await state.refused).message).toMatch(/state\.sqlite was deleted.*backups/);
  const errors = lines.filter(({ level }) => level === ERROR);
  expect(errors).toMatchObject([{ msg: expect.stringContaining('cards.sqlite was deleted') }]);
});
