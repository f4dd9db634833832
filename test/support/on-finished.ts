import { AsyncLocalStorage } from 'node:async_hooks';
import { onTestFinished, TestRunner } from 'vitest';

type End = () => unknown;

const fileCleanups: End[] = [];
/** What the work that `scoped` runs has started. */
const scopes = new AsyncLocalStorage<End[]>();

/**
 * Runs `end` when the test ends; called outside of a test (in `beforeAll`), when the file ends; within `scoped`, when that
 * work ends. Last in, first out.
 */
export function onFinished(end: End): void {
  const scope = scopes.getStore();
  if (scope) scope.push(end);
  else if (TestRunner.getCurrentTest()) onTestFinished(async () => void (await end()));
  else onFileFinished(end);
}

/** For what all tests of a file share, whichever test creates it. */
export function onFileFinished(end: End): void {
  fileCleanups.push(end);
}

/** Runs what `onFileFinished` collected, after all tests of a file. */
export async function finishFile(): Promise<void> {
  for (const end of fileCleanups.splice(0).reverse()) await end();
}

/** Runs work and then ends what it started: for programs, parts of a test, and concurrent tests, which vitest does not tell apart. */
export async function scoped<T>(work: () => Promise<T>): Promise<T> {
  const ends: End[] = [];
  try {
    return await scopes.run(ends, work);
  } finally {
    for (const end of ends.reverse()) await end();
  }
}
