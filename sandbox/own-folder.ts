import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The number of the process that made a folder is in its name. */
const OWNED = /^cardbot-sandbox-(\d+)-/;

/** A temporary folder of this process, which has to remove it. @param what the folder is for */
export async function ownFolder(what: string): Promise<string> {
  return await mkdtemp(join(tmpdir(), `cardbot-sandbox-${process.pid}-${what}-`));
}

/** Removes what sandboxes that were killed have left. */
export async function removeLeftFolders(): Promise<void> {
  for (const name of await readdir(tmpdir())) {
    const [, pid] = OWNED.exec(name) ?? [];
    if (pid === undefined || isAlive(Number(pid))) continue;
    await rm(join(tmpdir(), name), { recursive: true, force: true }).catch(() => {}); // another user's, perhaps
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
