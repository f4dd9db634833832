import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { isOtherService } from '../../src/storage/last-service.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

it('a start with another card service than the last says so once', () => {
  const folder = join(temporaryFolder(), 'data');
  const start = (scope: string | undefined) => isOtherService(folder, scope);
  expect(['a', 'a'].map(start)).toEqual([false, false]);
  writeFileSync(join(folder, 'state.sqlite'), '');
  expect(['a', 'b', 'b', undefined, undefined, 'b'].map(start)).toEqual([false, true, false, true, false, true]);
});

it('a folder of before there were descriptions has the ids of the default interface', () => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'state.sqlite'), '');
  expect([undefined, 'a', 'a'].map((scope) => isOtherService(folder, scope))).toEqual([false, true, false]);
});
