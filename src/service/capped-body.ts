/**
 * Reads a body as text, whatever its encoding on the wire.
 *
 * @returns `undefined` when it is longer than `maxBytes` after decompression; the rest is not downloaded
 */
export async function readCapped(response: Response, maxBytes: number): Promise<string | undefined> {
  if (response.body === null) return '';

  const decoder = new TextDecoder();
  let text = '';
  let bytes = 0;
  for await (const chunk of response.body) {
    bytes += chunk.byteLength;
    if (bytes > maxBytes) return undefined; // leaving the loop cancels the stream
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}
