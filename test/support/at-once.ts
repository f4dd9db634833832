import { it } from 'vitest';
import { scoped } from './on-finished.ts';

/** For the waits of all, on a busy machine. */
const PATIENCE_MS = 240_000;

/**
 * Defines a test for each rule. All run together with the first of them, because most of the time they wait; what each starts
 * ends with it. Not for rules that a busy process would break, such as Discord's 3 s.
 */
export function atOnce(rules: Readonly<Record<string, () => Promise<void>>>): void {
  const all = async () => {
    const names = Object.keys(rules);
    // Settled before the first is judged: what a rule uses of vitest belongs to the test that runs.
    const results = await Promise.allSettled(Object.values(rules).map((rule) => scoped(rule)));
    return new Map(results.map((result, index) => [names[index], result]));
  };
  let results: ReturnType<typeof all> | undefined;
  it.each(Object.keys(rules))('%s', { timeout: PATIENCE_MS }, async (name) => {
    results ??= all();
    const result = (await results).get(name);
    if (result?.status === 'rejected') throw result.reason;
  });
}
