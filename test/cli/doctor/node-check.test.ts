import { mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { checkNode, nodeReleasedAtMs } from '../../../src/cli/doctor/node-check.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const RELEASED = Date.parse('2026-03-24');

it.each([
  ['2026-03-25', 'keeps quiet of a day', ''],
  ['2026-09-22', 'keeps quiet before half a year', ''],
  ['2026-09-24', 'warns after half a year', 'may lack security updates'],
])('on %s %s', (now, _, cure) => {
  const finding = checkNode('26.1.0', RELEASED, Date.parse(now));
  expect(finding).toMatchObject({ check: 'Node', ok: true, cure: expect.stringContaining(cure) });
  expect(finding.found).toContain('26.1.0, released on 2026-03-24');
  expect(finding.cure === '').toBe(cure === '');
});

describe('the day of a release', () => {
  const install = (changelog?: string) => {
    const folder = temporaryFolder();
    mkdirSync(join(folder, 'bin'));
    const executable = join(folder, 'bin/node');
    writeFileSync(executable, '');
    utimesSync(executable, RELEASED / 1000, RELEASED / 1000);
    if (changelog) writeFileSync(join(folder, 'CHANGELOG.md'), changelog);
    return executable;
  };
  const CHANGELOG =
    '# Node.js 26\n\n## 2026-09-22, Version 26.10.0 (Current), @x\n\n## 2026-05-20, Version 26.1.0 (Current), @x\n';

  it.each([
    ['is in the changelog beside it', CHANGELOG, '2026-05-20'],
    ['is when it was built, without a changelog', undefined, '2026-03-24'],
    ['is when it was built, where the changelog does not name it', '# Node.js 24\n', '2026-03-24'],
  ])('%s', (_, changelog, day) => {
    expect(nodeReleasedAtMs('26.1.0', install(changelog))).toBe(Date.parse(day));
  });

  it('of the Node that runs this is one', () => {
    const atMs = nodeReleasedAtMs(process.versions.node, process.execPath);
    expect(atMs).toBeGreaterThan(Date.parse('2025-01-01'));
    expect(atMs).toBeLessThan(Date.now());
  });
});
