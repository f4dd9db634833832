import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { removeOldDamage } from '../../../src/storage/sqlite/old-damage.ts';

it('a damaged file that was moved aside is kept for 35 days, and nothing else is touched', () => {
  const folder = mkdtempSync(join(tmpdir(), 'cardbot-damage-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const kept = ['catalog.sqlite', 'notes.corrupt-2020-01-01T00', 'state.sqlite.corrupt-2026-10-18T10-00-00.000Z'];
  const old = ['state.sqlite.corrupt-2026-10-17T10-00-00.000Z', 'catalog.sqlite.corrupt-2026-10-17T10-00-00.000Z-wal'];
  for (const name of [...kept, ...old]) writeFileSync(join(folder, name), '');
  removeOldDamage(folder, Date.UTC(2026, 10, 22, 12));
  expect(readdirSync(folder).sort()).toEqual(kept.sort());
  removeOldDamage(join(folder, 'missing'), Date.now());
});
