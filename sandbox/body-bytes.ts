/** The body, or undefined when it is longer. It is read to the end: leaving early would reset the connection too soon. */
export async function bytesOf(request: AsyncIterable<Buffer>, mostBytes: number): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request) {
    length += chunk.length;
    if (length <= mostBytes) chunks.push(chunk);
  }
  return length > mostBytes ? undefined : Buffer.concat(chunks);
}
