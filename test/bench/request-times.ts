import type { EmbeddedCardService } from '../../src/sandbox/card-service.ts';

/** Records when requests arrive from now on, by path: milliseconds since the epoch. */
export function requestTimes(service: EmbeddedCardService): Map<string, number[]> {
  const byPath = new Map<string, number[]>();
  let seen = 0;
  service.onChange(() => {
    const { total } = service.counts;
    const last = service.requests.at(-1);
    if (total === seen || !last) return;
    seen = total;
    const times = byPath.get(last.path);
    if (times) times.push(last.atMs);
    else byPath.set(last.path, [last.atMs]);
  });
  return byPath;
}
