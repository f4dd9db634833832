import { mkdir, readdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { type AlertNotes, NO_NOTES } from '../../src/operations/alert-notes.ts';
import { alertNotesFile } from '../../src/storage/alert-notes-file.ts';
import { logLines } from '../support/log-lines.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const NOTES: AlertNotes = {
  alerts: { keyRefused: { isDue: true, isTold: true, untilMs: 1 } },
  waiting: ['🛑 The card service refuses the API key.'],
};

it('notes on alerts are there after a restart, in a file that only its owner can read', async () => {
  const dataDir = join(temporaryFolder(), 'made');
  const { log, lines } = logLines();
  expect(alertNotesFile(dataDir, log).read()).toEqual(NO_NOTES);
  alertNotesFile(dataDir, log).write(NOTES);
  expect(alertNotesFile(dataDir, log).read()).toEqual(NOTES);
  expect(alertNotesFile(dataDir, log, 1).read()).toEqual(NO_NOTES);
  expect(await readdir(dataDir)).toEqual(['alerts.json']);
  expect((await stat(join(dataDir, 'alerts.json'))).mode & 0o777).toBe(0o600);
  expect(lines).toEqual([]);
});

it.each(['', '{"alerts":', '{"alerts":{"x":1},"waiting":[]}', 'null'])(
  'notes that read %j are none, and the log says so',
  async (text) => {
    const dataDir = temporaryFolder();
    await writeFile(join(dataDir, 'alerts.json'), text);
    const { log, lines } = logLines();
    expect(alertNotesFile(dataDir, log).read()).toEqual(NO_NOTES);
    expect(lines.map(({ msg }) => msg)).toEqual([expect.stringContaining('saved alerts cannot be read')]);
  },
);

it('notes that cannot be written leave one line in the log', async () => {
  const dataDir = temporaryFolder();
  await mkdir(join(dataDir, 'alerts.json', 'in the way'), { recursive: true });
  const { log, lines } = logLines();
  const notebook = alertNotesFile(dataDir, log);
  for (let time = 0; time < 3; time++) notebook.write(NOTES);
  expect(lines.map(({ msg }) => msg)).toEqual([expect.stringContaining('alerts cannot be saved')]);
});
