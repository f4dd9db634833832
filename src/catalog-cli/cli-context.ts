import type { Readable, Writable } from 'node:stream';
import type { Environment } from '../config/config.ts';

/** Everything outside the CLI that it uses. */
export interface CliContext {
  /** `process.env` unless given. */
  env?: Environment;
  /** Names of files are relative to it. */
  folder: string;
  stdin: Readable;
  /** For results. */
  stdout: Writable;
  /** For messages and progress. */
  stderr: Writable & { isTTY?: boolean };
  /** Ends an import after the batch that it has. */
  signal: AbortSignal;
}

export function counted(count: number): string {
  return count.toLocaleString('en');
}
