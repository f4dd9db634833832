import { createClient } from 'redis';
import { backOffMs } from '../../time/back-off.ts';

export type RedisClient = ReturnType<typeof newClient>;

const RECONNECT = { firstMs: 50, longestMs: 500 };

/** One that goes on trying to connect, and never keeps a command for later. */
export function newClient(url: string) {
  return createClient({
    url,
    // A command that cannot be sent now is answered without Redis, not queued.
    disableOfflineQueue: true,
    commandsQueueMaxLength: 20_000,
    pingInterval: 1_000,
    socket: {
      connectTimeout: 1_000,
      // An idle timer, which the pings keep from running out while Redis answers.
      socketTimeout: 3_000,
      reconnectStrategy: (retries) => backOffMs(retries + 1, RECONNECT) + Math.random() * 50,
    },
  });
}
