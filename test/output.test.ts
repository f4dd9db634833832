import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { createLog, reportDropped } from '../src/log.ts';
import { ended, openOutput } from '../src/output.ts';
import { type StalledPipe, stalledPipe } from './support/stalled-pipe.ts';
import { temporaryFolder } from './support/temporary-folder.ts';

/** Lines of a kilobyte each. */
const line = (number: number) => `${String(number).padStart(1_023, '.')}\n`;
const numbersIn = (text: string) => [...text.matchAll(/^\.+(\d+)$/gm)].map(([, number]) => Number(number));

/** All that the pipe brings once it is read. */
async function readAll(pipe: StalledPipe, last: string): Promise<string> {
  let text = pipe.read();
  await expect.poll(() => (text += pipe.read())).toContain(last);
  return text;
}

it('keeps lines while nobody reads, long ones too, and writes them in order once somebody does', async () => {
  const pipe = stalledPipe();
  pipe.fill();
  const output = openOutput(pipe.fd);
  const long = `${'é'.repeat(100_000)}\n`;
  output.write(long);
  const numbers = Array.from({ length: 500 }, (_, number) => number);
  for (const number of numbers) output.write(line(number));
  const text = await readAll(pipe, line(499));
  expect(text.trimStart().startsWith(long)).toBe(true);
  expect(numbersIn(text)).toEqual(numbers);
});

it('drops what comes while a megabyte waits, and the log says how many lines those were', async () => {
  const pipe = stalledPipe();
  pipe.fill();
  const output = openOutput(pipe.fd);
  reportDropped(output, createLog({ level: 'info', secrets: [], destination: output }));
  for (let number = 0; number < 3_000; number++) output.write(line(number));

  const text = await readAll(pipe, 'log lines were dropped');
  const [, dropped] = /"dropped":(\d+)/.exec(text) ?? [];
  const written = numbersIn(text);
  expect(written).toEqual(Array.from(written, (_, index) => index));
  expect(written.length + Number(dropped)).toBe(3_000);
  expect(written.length).toBeGreaterThan(1_000);
});

it('has ended once everything is written, or after as long as it is given', async () => {
  const pipe = stalledPipe();
  const own = () => openSync(`/proc/self/fd/${pipe.fd}`, 'w'); // closed at the end, unlike standard output
  const output = openOutput(own());
  output.write('the last line\n');
  await ended(output, 60_000);
  expect(() => output.write('too late\n')).not.toThrow();
  expect(pipe.read()).toBe('the last line\n');

  pipe.fill();
  const unread = openOutput(own());
  unread.write('unread\n');
  await ended(unread, 1);
  expect(await readAll(pipe, 'unread')).toContain('unread');
});

it('appends to a file where others write, too', async () => {
  const file = join(temporaryFolder(), 'log');
  const fd = openSync(file, 'w');
  onTestFinished(() => closeSync(fd));
  const output = openOutput(fd);
  for (const text of ['one\n', 'two\n']) output.write(text);
  await expect.poll(() => readFileSync(file, 'utf8')).toBe('one\ntwo\n');
});

it('ends when nothing can be written at all, as on a full disk', async () => {
  const output = openOutput(openSync('/dev/full', 'w')); // never closed: it is tried again and again
  output.write('lost\n');
  await ended(output, 1);
});
