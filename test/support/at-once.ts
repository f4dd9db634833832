import { it } from 'vitest';
import { scoped } from './on-finished.ts';

type Rules = Readonly<Record<string, () => Promise<void>>>;

/** For the waits of all, on a busy machine. */
const PATIENCE_MS = 240_000;

/** Defines a test for each rule. They run together with the first of them, because most of the time they wait; what each starts ends with it. */
export function atOnce(rules: Rules): void {
  let results: Promise<Map<string, PromiseSettledResult<void>>> | undefined;
  it.each(Object.keys(rules))('%s', { timeout: PATIENCE_MS }, async (name) => {
    results ??= resultsOf(rules);
    const result = (await results).get(name);
    if (result?.status === 'rejected') throw result.reason;
  });
}

/** Of all before the first is judged: what a rule uses of vitest belongs to the test that runs. */
async function resultsOf(rules: Rules) {
  const results = await Promise.allSettled(Object.values(rules).map((rule) => scoped(rule)));
  return new Map(Object.keys(rules).map((name, index) => [name, results[index]] as const)) as Map<
    string,
    PromiseSettledResult<void>
  >;
}
