import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { startService } from '../support/backends.ts';
import { startProgram } from '../support/bot-process.ts';
import { sandboxAs } from '../support/shaped-service.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** GitHub's own client, as far as it is called: its issues are in a file, the first of which is another's. */
const GH = `#!${process.execPath}
const { readFileSync, writeFileSync } = require('node:fs');
const issues = JSON.parse(readFileSync(process.env.ISSUES, 'utf8'));
const [, , of, what, ...args] = process.argv;
const given = (flag) => args[args.indexOf('--' + flag) + 1];
if (of !== 'issue' || !process.env.GH_TOKEN) process.exit(1);
if (what === 'list') console.log(JSON.stringify(issues));
else if (what === 'create') issues.push({ number: 7, title: given('title'), body: given('body'), comments: [] });
else if (what === 'comment') issues.find(({ number }) => number == args[0]).comments.push({ body: given('body') });
else process.exit(1);
writeFileSync(process.env.ISSUES, JSON.stringify(issues));
`;

const TCGDEX = {
  card: 'base1-4',
  had: ['card service', 'fields.name', 'fields.imageUrl', 'prices.rows.2', 'prices.rows.2.market', 'missing card'],
};

it('what a service no longer has is told in one issue, once, and what it does not answer is not', async () => {
  const server = await startService(sandboxAs('tcgdex').service);
  const folder = temporaryFolder();
  const [gh, issues, verified] = [join(folder, 'gh'), join(folder, 'issues'), join(folder, 'verified')];
  writeFileSync(gh, GH);
  chmodSync(gh, 0o755);
  writeFileSync(issues, JSON.stringify([{ title: 'Another', comments: [] }]));
  writeFileSync(verified, JSON.stringify({ tcgdex: TCGDEX }));
  /** What the workflow's step says, and the issues then. @param answers of the service to its first requests */
  const run = async (answers: object[] = [], GH_TOKEN = 'token') => {
    server.script(...answers);
    const env = { PATH: folder, ISSUES: issues, GH_TOKEN, CARD_SERVICE_URL: server.url };
    const { ended, output } = startProgram([process.execPath, '.github/verify.ts', verified], { env });
    const code = await ended;
    const [, ...told] = JSON.parse(readFileSync(issues, 'utf8'));
    return { code, said: output(), told };
  };

  expect(await run()).toEqual({ code: 0, said: 'tcgdex: 0 of 6 differ\n', told: [] });
  const [card, missing] = server.requests;
  expect(Number(missing?.atMs) - Number(card?.atMs)).toBeGreaterThanOrEqual(990);
  expect(await run([{ status: 403, body: '<html>' }])).toEqual({ code: 0, said: 'tcgdex: no answer\n', told: [] });

  const body = { ...Object(await (await fetch(`${server.url}/cards/base1-4`)).json()), image: undefined };
  expect(await run([{ body }], '')).toMatchObject({ code: 1, told: [] });
  const { said, told } = await run([{ body }]);
  expect([said, told.length]).toEqual(['tcgdex: 1 of 6 differ\n', 1]);
  expect(told[0].title).toBe('tcgdex does not answer as it did');
  expect(told[0].body).toContain('| `fields.imageUrl` | `nothing that the bot can show, from {image}/high.webp` |');
  expect((await run([{ body }])).told).toEqual(told);
  const moved = await run([{ status: 302, headers: { location: 'https://x.test/`|@everyone' } }]);
  expect([moved.told.length, moved.told[0].comments.length]).toEqual([1, 1]);
  expect(moved.told[0].comments[0].body).toContain('a redirect to https://x.test/ @everyone)');
  expect(moved.told[0].comments[0].body).toContain('| `fields.name` | `not found out` |');

  const elsewhere = await run([{ status: 302, headers: { location: 'https://y.test/status 403' } }]);
  expect(elsewhere).toEqual({ code: 0, said: 'tcgdex: 6 of 6 differ\n', told: moved.told });
  const partly = await run([{ body }, { status: 429 }]);
  expect(partly).toEqual({ code: 0, said: 'tcgdex: 1 of 5 differ\n', told: moved.told });
  writeFileSync(verified, JSON.stringify({ 'no-such': TCGDEX, tcgdex: TCGDEX }));
  expect(await run()).toMatchObject({ code: 1, said: expect.stringMatching(/no-such: [\s\S]*tcgdex: 0 of 6 differ/) });
});
