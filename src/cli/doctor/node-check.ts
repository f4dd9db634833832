import { readFileSync, realpathSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type Finding, note, right } from './finding.ts';

const CHECK = 'Node';
const HALF_A_YEAR_MS = 183 * 86_400_000;

/** Whether the Node that runs this may lack security updates: one that the lockfile brought is not updated by itself. */
export function checkNode(version: string, releasedAtMs: number, nowMs: number): Finding {
  const released = `${version}, released on ${new Date(releasedAtMs).toISOString().slice(0, 10)}`;
  if (nowMs - releasedAtMs < HALF_A_YEAR_MS) return right(CHECK, released);
  return note(CHECK, `${released}, over half a year ago: it may lack security updates. Update it: docs/operations.md`);
}

/**
 * By the changelog that comes with the builds of nodejs.org and of npm. A distribution's package has none beside it, but
 * keeps the time at which the program was built.
 *
 * @param executable of this version
 */
export function nodeReleasedAtMs(version: string, executable: string): number {
  const builtAtMs = statSync(executable).mtimeMs;
  try {
    const changelog = readFileSync(join(realpathSync(executable), '../../CHANGELOG.md'), 'utf8');
    const day = new RegExp(`^## (\\S+), Version ${RegExp.escape(version)} `, 'm').exec(changelog)?.[1];
    return day === undefined ? builtAtMs : Date.parse(day);
  } catch {
    return builtAtMs;
  }
}
