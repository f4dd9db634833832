import { onTestFinished, TestRunner } from 'vitest';

const fileCleanups: (() => unknown)[] = [];

/** Runs `end` when the test ends; called outside of a test (in `beforeAll`), when the file ends. Last in, first out. */
export function onFinished(end: () => unknown): void {
  if (TestRunner.getCurrentTest()) onTestFinished(async () => void (await end()));
  else onFileFinished(end);
}

/** For what all tests of a file share, whichever test creates it. */
export function onFileFinished(end: () => unknown): void {
  fileCleanups.push(end);
}

/** Runs what `onFileFinished` collected, after all tests of a file. */
export async function finishFile(): Promise<void> {
  for (const end of fileCleanups.splice(0).reverse()) await end();
}
