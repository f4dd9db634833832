/** Values of the wrong type; `undefined` removes the field. */
export const ODD: readonly unknown[] = [undefined, null, -7, 'odd', true, [], {}, [null], { id: null }];

/** Yields the payload with one field at a time, at any depth, removed or replaced by a value of the wrong type. */
export function* oddPayloads(payload: unknown): Generator<unknown> {
  yield* ODD;
  if (typeof payload !== 'object' || payload === null) return;
  for (const [key, value] of Object.entries(payload)) {
    for (const odd of oddPayloads(value)) {
      yield Array.isArray(payload) ? payload.with(Number(key), odd) : { ...payload, [key]: odd };
    }
  }
}
