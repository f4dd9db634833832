import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, onTestFinished, vi } from 'vitest';
import { readConfig } from '../../../src/config/config.ts';
import { Events } from '../../../src/model/events.ts';
import { followReadiness } from '../../../src/operations/http-server.ts';
import { OpenFiles } from '../../../src/storage/sqlite/open-files.ts';
import { openSqliteState } from '../../../src/storage/sqlite/state.ts';
import { Watches } from '../../../src/watches/watches.ts';
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
  for (const name of ['open', 'other']) writeFileSync(join(folder, name), name);
  const told: string[] = [];
  const files = new OpenFiles({ [join(folder, 'open')]: (reason) => told.push(reason) });
  onTestFinished(() => files.close());
  writeFileSync(join(folder, 'open-wal'), ''); // begins later
  vi.advanceTimersByTime(MINUTE_MS);
  happens(folder);
  vi.advanceTimersByTime(2 * MINUTE_MS);
  expect(told).toEqual(lost === undefined ? [] : [`${join(folder, lost)} was deleted or replaced while the bot runs`]);
});

it('after state.sqlite was deleted no watch is said to be kept, and the log and /readyz say why', async () => {
  const dataDir = temporaryFolder();
  const { log, lines } = logLines();
  const events = new Events();
  onTestFinished(() => events.close());
  const readiness = followReadiness(events, false);
  const config = readConfig({ DISCORD_TOKEN: 'none', CARD_SERVICE_URL: 'https://cards.test', DATA_DIR: dataDir });
  const state = await openSqliteState({ ...config, log, events });
  onTestFinished(() => state.close());
  const watches = new Watches(state.watchStore);
  const wish = {
    memberId: '1',
    locale: 'en',
    cardId: 'a',
    cardName: 'A',
    above: 3,
    below: undefined,
    percent: undefined,
  };
  expect(await watches.set(wish, 1)).toMatchObject({ isReplaced: false });

  for (const name of ['state.sqlite', 'cards.sqlite']) rmSync(join(dataDir, name));
  vi.advanceTimersByTime(2 * MINUTE_MS);

  expect(await watches.set({ ...wish, cardId: 'b' }, 1)).toBe('notKept');
  expect(readiness()).toMatchObject({
    store: false,
    reason: expect.stringMatching(/state\.sqlite was deleted.*backups/),
  });
  const errors = lines.filter(({ level }) => level === ERROR);
  expect(errors).toMatchObject([
    { err: { message: expect.stringContaining('state.sqlite was deleted') } },
    { msg: expect.stringContaining('cards.sqlite was deleted') },
  ]);
});
