import { createClient } from '@redis/client';
import { backOffMs } from '../../time/back-off.ts';

export type RedisClient = ReturnType<typeof newClient>;

const RECONNECT = { firstMs: 50, longestMs: 500 };

/** `createClient` builds a class of hundreds of commands for each address, in 30 ms; all duplicates of a client share it. */
const unconnected = createClient();

/** Never queues a command while it is not connected. */
export function newClient(url: string, { reconnects }: { reconnects: boolean }) {
  return unconnected.duplicate({
    url,
    // The bot goes on without Redis rather than queue a command that cannot be sent now.
    disableOfflineQueue: true,
    commandsQueueMaxLength: 20_000,
    pingInterval: 1_000,
    socket: {
      connectTimeout: 1_000,
      // An idle timer; while Redis answers, the pings keep it from firing.
      socketTimeout: 3_000,
      reconnectStrategy: (retries) => reconnects && backOffMs(retries + 1, RECONNECT) + Math.random() * 50,
    },
  });
}

/** Also one that is connecting: `destroy()` alone does not keep @redis/client 6.3 from being connected a moment later. */
export function destroyClient(client: RedisClient): void {
  client.once('ready', () => client.destroy());
  client.destroy();
}
