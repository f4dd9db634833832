import type { AlertBoard } from '../../operations/alerts.ts';
import type { RedisLink } from './redis-link.ts';

/** One board for all processes. */
export function redisAlertBoard(link: RedisLink, prefix: string): AlertBoard {
  const key = (alert: string) => `${prefix}:alert:${alert}`;
  return {
    async raise(alert, untilMs) {
      const expiration = { type: 'PXAT', value: Math.ceil(untilMs) } as const;
      const set = link.run((client) => client.set(key(alert), '1', { condition: 'NX', expiration }));
      return set.then(
        (answer) => answer !== null,
        () => undefined,
      );
    },
    async clear(alert) {
      return link
        .run((client) => client.del(key(alert)))
        .then(
          (removed) => removed > 0,
          () => undefined,
        );
    },
  };
}
