import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { FileStore } from '../../../sandbox/discord/file-store.ts';
import { readBody } from '../../../sandbox/discord/request-body.ts';

describe('a stored file', () => {
  function store(mostBytes?: number): FileStore {
    let last = 0;
    return new FileStore('http://x.test', () => String(++last), mostBytes);
  }
  const upload = (filename: string, length = 1) => ({
    filename,
    contentType: 'image/png',
    bytes: new Uint8Array(length),
  });

  it('has an address with its channel, its id and its sanitized name', () => {
    const { attachment } = store().prepare(upload('../my cärd.png'), '7', { description: 'so' });

    expect(attachment).toEqual({
      id: '1',
      filename: '.._my_c_rd.png',
      size: 1,
      url: 'http://x.test/attachments/7/1/.._my_c_rd.png',
      proxy_url: 'http://x.test/attachments/7/1/.._my_c_rd.png',
      content_type: 'image/png',
      description: 'so',
    });
  });

  it('is served until newer ones fill the storage', () => {
    const files = store(10);
    const prepared = ['a', 'b', 'c'].map((name) => files.prepare(upload(name, 4), '7'));
    const kept = () => prepared.map(({ attachment }) => files.at(new URL(attachment.url).pathname) !== undefined);

    expect(kept()).toEqual([false, false, false]);
    files.keep(prepared.slice(0, 2));
    expect(kept()).toEqual([true, true, false]);
    files.keep(prepared.slice(2));
    expect(kept()).toEqual([false, true, true]);
  });
});

// reference.md, "Uploading Files"
describe('a request', () => {
  async function read(files: Record<string, Blob>) {
    const form = new FormData();
    form.set('payload_json', '{"content":"x"}');
    for (const [field, file] of Object.entries(files)) form.append(field, file, `${field}.txt`);
    const response = new Response(form);
    const headers = { 'content-type': response.headers.get('content-type') ?? '' };
    const body = Readable.from([Buffer.from(await response.arrayBuffer())]);
    return readBody(Object.assign(body, { headers }) as unknown as IncomingMessage);
  }

  it('with a file of more than 10 MiB, or more than ten files, is refused', async () => {
    const eleven = Array.from({ length: 11 }, (_, index) => [`files[${index}]`, new Blob(['x'])]);
    await expect(read({ 'files[0]': new Blob([new Uint8Array(10 * 1_024 * 1_024 + 1)]) })).rejects.toMatchObject({
      status: 413,
      code: 40_005,
    });
    await expect(read(Object.fromEntries(eleven))).rejects.toMatchObject({ status: 400, code: 30_015 });
  });
});
