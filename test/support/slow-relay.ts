import { openSlowRelay, type SlowRelay } from './open-slow-relay.ts';
import { whenOver } from './when-over.ts';

export type { SlowRelay } from './open-slow-relay.ts';

/** Stands before a server and makes it slow without touching it; gone when the test is over. */
export async function startSlowRelay(...how: Parameters<typeof openSlowRelay>): Promise<SlowRelay> {
  const relay = await openSlowRelay(...how);
  whenOver(() => relay.close());
  return relay;
}
