import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openServices } from '../../src/app.ts';
import { readConfig } from '../../src/config/config.ts';
import { isOtherService } from '../../src/storage/last-service.ts';
import { logLines } from '../support/log-lines.ts';
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

it('a bot says at its start that the card service is another, once', async () => {
  const DATA_DIR = temporaryFolder();
  const start = async (CARD_SERVICE?: string) => {
    const { log, lines } = logLines();
    const env = { DISCORD_TOKEN: 'none', CARD_SERVICE_URL: 'http://cards.test', DATA_DIR, CARD_SERVICE };
    const { services, state } = await openServices(readConfig(env), log);
    services.memberData.close();
    await services.lookupQueue.close(0);
    await state.close();
    return lines.filter(({ msg }) => String(msg).startsWith('another card service')).length;
  };
  expect([await start(), await start('lorcast'), await start('lorcast')]).toEqual([0, 1, 0]);
});
