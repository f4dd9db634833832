import { expect, it } from 'vitest';
import { FileStore } from '../../../sandbox/discord/file-store.ts';
import { embeddedDiscord } from './embedded.ts';

function store(mostBytes?: number): FileStore {
  let last = 0;
  return new FileStore('http://x.test', () => String(++last), mostBytes);
}

const upload = (filename: string, length = 1) => ({
  ...{ number: 0, filename, contentType: 'image/png', bytes: new Uint8Array(length) },
});

it('a stored file has an address with its channel, its id and its sanitized name', () => {
  const url = 'http://x.test/attachments/7/1/.._my_c_rd.png';
  expect(store().add(upload('../my cärd.png'), '7', { description: 'so' })).toEqual({
    ...{ id: '1', filename: '.._my_c_rd.png', size: 1, url, proxy_url: url },
    ...{ content_type: 'image/png', description: 'so' },
  });
});

it('a stored file is served until newer ones fill the storage', () => {
  const files = store(10);
  const paths = ['a', 'b', 'c'].map((name) => new URL(files.add(upload(name, 4), '7').url).pathname);
  expect(paths.map((path) => files.at(path) !== undefined)).toEqual([false, true, true]);
});

// reference.md, "Uploading Files"
it('a request with a file of more than 10 MiB, or with more than ten files, is refused', async () => {
  const { call } = await embeddedDiscord();
  const sent = (...files: Blob[]) => {
    const form = new FormData();
    form.set('payload_json', '{"content":"x"}');
    for (const [index, file] of files.entries()) form.append(`files[${index}]`, file, `${index}.txt`);
    return call('POST', '/webhooks/1/x', form);
  };
  const tooLarge = new Blob([new Uint8Array(10 * 1_024 * 1_024 + 1)]);
  expect(await sent(tooLarge)).toMatchObject({ status: 413, code: 40_005 });
  expect(await sent(...Array(11).fill(new Blob(['x'])))).toMatchObject({ status: 400, code: 30_015 });
});
