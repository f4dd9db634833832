import { setTimeout as sleep } from 'node:timers/promises';
import { backOffMs } from '../time/back-off.ts';

const RETRY = { firstMs: 1_000, longestMs: 30_000 };

/**
 * Edits a reply again until the edit does not fail.
 *
 * @param edit `failed`: another try may succeed
 * @param deadlineMs when the reply can no longer be edited
 * @param signal ends the tries with the one under way
 */
export async function untilAccepted<Result extends string>(
  edit: () => Promise<Result | 'failed'>,
  deadlineMs: number,
  signal: AbortSignal,
): Promise<Result | 'too late' | 'stopped'> {
  for (let attempt = 1; ; attempt++) {
    const result = await edit();
    if (result !== 'failed') return result;
    const retryMs = backOffMs(attempt, RETRY);
    if (Date.now() + retryMs > deadlineMs) return 'too late';
    await sleep(retryMs, undefined, { signal }).catch(() => {});
    if (signal.aborted) return 'stopped';
  }
}
