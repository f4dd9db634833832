import { onTestFinished, TestRunner } from 'vitest';

const endsOfFile: (() => unknown)[] = [];

/** Runs `end` when the test is over; called outside of a test (in `beforeAll`), when the whole file is. Last in, first out. */
export function whenOver(end: () => unknown): void {
  if (TestRunner.getCurrentTest()) onTestFinished(async () => void (await end()));
  else whenFileOver(end);
}

/** For what all tests of a file share, whichever of them needs it first. */
export function whenFileOver(end: () => unknown): void {
  endsOfFile.push(end);
}

/** After everything in a file. */
export async function endFile(): Promise<void> {
  for (const end of endsOfFile.splice(0).reverse()) await end();
}
