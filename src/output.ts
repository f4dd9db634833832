import { setTimeout as sleep } from 'node:timers/promises';
import sonicBoom, { type SonicBoom } from 'sonic-boom';

/** What may wait while nobody reads, in bytes: what comes then is dropped. */
const MOST_WAITING = 1_048_576;

/**
 * Standard output or error. Writing waits for nobody: a thread does it, and what that cannot write now, as while nobody
 * reads a pipe or a disk is full, waits in memory.
 */
export function openOutput(fd: number): SonicBoom {
  const output = new sonicBoom.SonicBoom({ fd, sync: false, maxLength: MOST_WAITING });
  output.on('error', () => {}); // written again with the next line
  return output;
}

/** Nothing is written from now on. Resolves when everything is, or after `limitMs`. */
export async function ended(output: SonicBoom, limitMs: number): Promise<void> {
  const closed = new Promise<void>((resolve) => output.once('close', resolve));
  output.end();
  output.write = () => false; // it would throw, and a line that comes meanwhile is no reason to end in another way
  await Promise.race([closed, sleep(limitMs)]);
}
