import { readdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { startBackends } from '../support/backends.ts';
import { startProgram } from '../support/bot-process.ts';
import { readStages, unpackImage } from './image.ts';

it('the image holds compiled code, with which the bot starts and compiles nothing into DATA_DIR', async () => {
  const app = await unpackImage();
  const cacheFiles = () => readdir(join(app, 'compile-cache'), { recursive: true }).catch(() => []);
  const instruction = (await readStages()).at(-1)?.find(({ text }) => text.startsWith('NODE_COMPILE_CACHE='));
  const script = instruction?.text.replaceAll('/app', app) ?? '';
  const env = { PATH: `${dirname(process.execPath)}:${process.env.PATH}` };
  const built = startProgram(['sh', '-c', script], { cwd: app, env });
  expect([await built.ended, built.output()]).toEqual([0, '']);
  const files = (await cacheFiles()).filter((name) => name.includes('/'));
  expect(files.length).toBeGreaterThan(300);
  const compiled = await Promise.all(files.map((name) => readFile(join(app, 'compile-cache', name), 'latin1')));
  expect(compiled.some((code) => code.includes('parentPort?.postMessage('))).toBe(true); // what the catalog's thread runs

  const backends = await startBackends();
  const bot = startProgram([process.execPath, 'src/main.ts'], { cwd: app, env: backends.env });
  await bot.wrote('gateway ready');
  bot.child.kill();
  expect(await bot.ended).toBe(0);
  expect(await readdir(backends.env.DATA_DIR)).not.toContain('compile-cache');
});
