import type { ListeningCardService } from '../../src/sandbox/card-service.ts';

/** When requests exceeded the plan: 429s that neither a storm nor a spent day explains. */
export function watchOverruns(service: ListeningCardService): readonly number[] {
  const overrunsAtMs: number[] = [];
  let last = service.requests.at(-1);
  service.onChange(() => {
    const request = service.requests.at(-1);
    if (request === last || request === undefined) return; // a switch was changed
    last = request;
    const { switches, dayRemaining } = service.state();
    const excused = request.atMs < switches.stormUntilMs || dayRemaining === 0;
    if (request.status === 429 && !excused) overrunsAtMs.push(request.atMs);
  });
  return overrunsAtMs;
}
