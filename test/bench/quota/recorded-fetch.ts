/** One request as its sender saw it. */
export interface RecordedRequest {
  sentAtMs: number;
  answeredAtMs: number;
  /** Path without query. */
  path: string;
  /** Of a request for several cards. */
  cardIds: readonly string[];
  status: number;
}

/** @returns with the answered requests, in the order of their answers */
export function recordFetch(inner: typeof fetch) {
  const requests: RecordedRequest[] = [];
  const watched: typeof fetch = async (input, init) => {
    const sentAtMs = Date.now();
    const response = await inner(input, init);
    const { pathname: path, searchParams } = new URL(input instanceof Request ? input.url : input);
    const cardIds = searchParams.get('ids')?.split(',') ?? [];
    requests.push({ sentAtMs, answeredAtMs: Date.now(), path, cardIds, status: response.status });
    return response;
  };
  return { fetch: watched, requests };
}
