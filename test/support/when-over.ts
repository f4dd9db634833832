import { afterAll, onTestFinished, TestRunner } from 'vitest';

const endsOfFile: (() => unknown)[] = [];

// Registered while the test file loads, so that it runs once, after everything in that file.
afterAll(async () => {
  for (const end of endsOfFile.splice(0).reverse()) await end();
});

/** Runs `end` when the test is over; called outside of a test (in `beforeAll`), when the whole file is. Last in, first out. */
export function whenOver(end: () => unknown): void {
  if (TestRunner.getCurrentTest()) onTestFinished(async () => void (await end()));
  else endsOfFile.push(end);
}
