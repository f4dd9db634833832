/** Works through items in their order, `atOnce` at a time. */
export async function concurrently<T>(
  items: Iterable<T>,
  atOnce: number,
  work: (item: T) => Promise<unknown>,
): Promise<void> {
  const left = items[Symbol.iterator]();
  const inSequence = async () => {
    for (let next = left.next(); !next.done; next = left.next()) await work(next.value);
  };
  await Promise.all(Array.from({ length: atOnce }, inSequence));
}
