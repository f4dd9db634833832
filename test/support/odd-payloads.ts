/** What stands where something else belongs; `undefined` is nothing at all. */
export const ODD: readonly unknown[] = [undefined, null, -7, 'odd', true, [], {}, [null], { id: null }];

/** Every field of a payload, however deep, taken away or replaced by what does not belong there, one at a time. */
export function* oddPayloads(payload: unknown): Generator<unknown> {
  yield* ODD;
  if (typeof payload !== 'object' || payload === null) return;
  for (const [key, value] of Object.entries(payload)) {
    for (const odd of oddPayloads(value)) {
      yield Array.isArray(payload) ? payload.with(Number(key), odd) : { ...payload, [key]: odd };
    }
  }
}
