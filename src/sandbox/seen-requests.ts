import type { SeenRequest } from './card-service-controls.ts';

const KEPT_REQUESTS = 1_000;
const KEPT_PATHS = 10_000;

/** The requests since the service was created. */
export interface RequestCounts {
  readonly total: number;
  /** 0 counts requests without an answer because of a scripted fault. */
  readonly byStatus: Readonly<Record<number, number>>;
  /** By path without query, still encoded; only the last 10,000 distinct paths. */
  readonly byPath: ReadonlyMap<string, number>;
}

/** The requests of the service: the last 1,000 in full, and counts of all. */
export class SeenRequests {
  readonly last: SeenRequest[] = [];
  readonly #byStatus: Record<number, number> = {};
  readonly #byPath = new Map<string, number>();
  #total = 0;

  get counts(): RequestCounts {
    return { total: this.#total, byStatus: this.#byStatus, byPath: this.#byPath };
  }

  add(request: SeenRequest): void {
    this.last.push(request);
    if (this.last.length > KEPT_REQUESTS) this.last.shift();

    this.#total += 1;
    this.#byStatus[request.status] = (this.#byStatus[request.status] ?? 0) + 1;
    const [path = ''] = request.path.split('?');
    const before = this.#byPath.get(path) ?? 0;
    this.#byPath.delete(path);
    this.#byPath.set(path, before + 1);
    if (this.#byPath.size > KEPT_PATHS) this.#byPath.delete(this.#byPath.keys().next().value ?? '');
  }
}
