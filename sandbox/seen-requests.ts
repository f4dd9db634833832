import type { SeenRequest } from './card-service-controls.ts';

const KEPT_REQUESTS = 1_000;

/** The requests since the service was created. */
export interface RequestCounts {
  readonly total: number;
  /** 0 counts requests without an answer because of a scripted fault. */
  readonly byStatus: Readonly<Record<number, number>>;
}

/** The requests of the service: the last 1,000 in full, and counts of all. */
export class SeenRequests {
  readonly last: SeenRequest[] = [];
  readonly #byStatus: Record<number, number> = {};
  #total = 0;

  get counts(): RequestCounts {
    return { total: this.#total, byStatus: this.#byStatus };
  }

  add(request: SeenRequest): void {
    this.last.push(request);
    if (this.last.length > KEPT_REQUESTS) this.last.shift();

    this.#total += 1;
    this.#byStatus[request.status] = (this.#byStatus[request.status] ?? 0) + 1;
  }
}
