import type { DeletionRequest, DeletionRequests } from '../../privacy/member-data.ts';
import { DAY_MS } from '../../time/utc-day.ts';
import type { RedisLink } from './link.ts';

/** Redis drops them after this time if no process runs that does. */
export const REQUESTS_KEPT_MS = 40 * DAY_MS;

/** The requests to all processes, in one hash: member to time. */
export function redisDeletionRequests(link: RedisLink): DeletionRequests {
  const key = deletionRequestsKey(link.prefix);

  async function all(): Promise<DeletionRequest[]> {
    const found = await link.read((client) => client.hGetAll(key)).catch(() => ({}));
    return Object.entries(found).map(([memberId, at]) => ({ memberId, at: String(at) }));
  }

  return {
    all,
    async add({ memberId, at }) {
      try {
        await link.run((client) => client.multi().hSet(key, memberId, at).pExpire(key, REQUESTS_KEPT_MS).exec());
        return true;
      } catch {
        return false; // the link logs why
      }
    },
    async drop(beforeDay) {
      const old = (await all()).flatMap(({ memberId, at }) => (at < beforeDay ? memberId : []));
      if (old.length > 0) await link.run((client) => client.hDel(key, old)).catch(() => {}); // tried again in a minute
    },
  };
}

export function deletionRequestsKey(prefix: string): string {
  return `${prefix}:deletion-requests`;
}
