import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { tooOld } from '../src/node-version.ts';

it.each([
  ['24.7.0', true],
  ['24.10.0', true],
  ['26.10.0', true],
  ['24.6.0', false],
  ['22.23.3', false],
])('Node %s is new enough: %j', (version, isEnough) => {
  expect(tooOld(version) === undefined).toBe(isEnough);
});

it('says in one sentence which Node it needs', () => {
  expect(tooOld('24.0.0')).toBe(
    'This is Node 24.0.0, and cardbot needs 24.7.0 or newer: run npm ci and start it by npm, or update Node.',
  );
});

it.each(['src/main.ts', 'src/cli/main.ts', 'sandbox/main.ts'])(
  '%s says so before it imports the rest',
  async (main) => {
    const text = await readFile(main, 'utf8');
    const before = text.slice(0, text.indexOf('refuseOldNode();'));
    expect(before).toContain('import');
    expect(
      before.match(/from '\.[^']+'/g)?.every((each) => /(?:compile-cache|node-version|stop-signal)\.ts/.test(each)),
    ).toBe(true);
  },
);
