import { onFinished } from './on-finished.ts';
import { openSlowRelay, type SlowRelay } from './open-slow-relay.ts';

export type { SlowRelay } from './open-slow-relay.ts';

/** `openSlowRelay`, closed when the test ends. */
export async function startSlowRelay(...how: Parameters<typeof openSlowRelay>): Promise<SlowRelay> {
  const relay = await openSlowRelay(...how);
  onFinished(() => relay.close());
  return relay;
}
