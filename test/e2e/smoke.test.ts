import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { startBackends } from '../support/backends.ts';
import { startBotProcess, startProgram } from '../support/bot-process.ts';
import { COMPILE_CACHE } from '../support/compile-cache.ts';
import { finalAnswer } from '../support/world.ts';

// `.ci/run` runs this file on the lowest Node of `engines`, too.
it('a list is imported, and the bot starts, suggests a card of it, and shows it', async () => {
  const { discord, card, env } = await startBackends();
  const list = join(env.DATA_DIR, 'cards.csv');
  await writeFile(list, 'id,name,set\nbase1-4,Emberwing Drake,First Light\n');
  const importing = [process.execPath, 'src/cli/main.ts', 'catalog', 'import', list];
  const imported = startProgram(importing, { env: { ...COMPILE_CACHE, ...env } });
  expect([await imported.ended, imported.output()]).toEqual([0, expect.stringContaining('1 card')]);

  const bot = startBotProcess(env);
  await bot.wrote('gateway ready');
  const suggested = () => discord.complete({ command: 'card', options: { id: 'emberw' }, focused: 'id' });
  await expect.poll(suggested).toEqual([{ name: 'Emberwing Drake · First Light', value: 'base1-4' }]);
  expect(await finalAnswer(card('base1-4'))).toBe('Emberwing Drake');
  bot.child.kill('SIGTERM');
  expect(await bot.ended).toBe(0);
});
