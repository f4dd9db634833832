import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Incident, type Logger } from '../log.ts';
import { type AlertNotebook, AlertNotes, NO_NOTES } from '../operations/alert-notes.ts';
import { createOwnFile, makeFolder } from './sqlite/own-files.ts';

/**
 * Notes on alerts in a file of `DATA_DIR`, with Redis too: an outage of Redis is one of the alerts.
 *
 * @param processName tells apart processes that share a `DATA_DIR`; absent: there is one
 */
export function alertNotesFile(dataDir: string, log: Logger, processName?: string | number): AlertNotebook {
  const file = join(dataDir, processName === undefined ? 'alerts.json' : `alerts-${processName}.json`);
  const outage = new Incident(log, {
    level: 'warn',
    begins: 'alerts cannot be saved: after a restart, present ones may be sent again or be lost',
    ends: 'alerts are saved again',
  });
  let written: string | undefined;
  return {
    read() {
      try {
        return AlertNotes.parse(JSON.parse(readFileSync(file, 'utf8')));
      } catch (err) {
        if (existsSync(file)) log.warn({ err, file }, 'saved alerts cannot be read: some may be sent again');
        return NO_NOTES;
      }
    },
    write(notes) {
      const text = JSON.stringify(notes);
      if (text === written) return;
      try {
        makeFolder(dirname(file));
        const unfinished = `${file}.unfinished`;
        createOwnFile(unfinished);
        writeFileSync(unfinished, text);
        renameSync(unfinished, file);
        written = text;
        outage.succeeded();
      } catch (err) {
        outage.failed({ err });
      }
    },
  };
}
