import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { Output } from '../../src/log/output.ts';
import { createLog, reportDropped } from '../../src/log.ts';
import { type StalledPipe, stalledPipe } from '../support/stalled-pipe.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** Lines of a kilobyte each. */
const line = (number: number) => `${String(number).padStart(1_023, '.')}\n`;
const numbersIn = (text: string) =>
  text
    .split('\n')
    .filter((each) => /^\.+\d+$/.test(each))
    .map((each) => Number(each.replace(/^\.+/, '')));

/** All that the pipe brings once it is read. */
async function readAll(pipe: StalledPipe, last: string): Promise<string> {
  let text = pipe.read();
  await expect.poll(() => (text += pipe.read())).toContain(last);
  return text;
}

it('keeps lines while nobody reads, and writes them in order once somebody does', async () => {
  const pipe = stalledPipe();
  const output = new Output(pipe.nonBlocking);
  const numbers = Array.from({ length: 500 }, (_, number) => number);
  for (const number of numbers) output.write(line(number));
  expect(numbersIn(await readAll(pipe, line(499)))).toEqual(numbers);
});

it('drops the older half of what waits beyond a megabyte, and the log says how many lines those were', async () => {
  const pipe = stalledPipe();
  pipe.fill();
  const output = new Output(pipe.nonBlocking);
  reportDropped(output, createLog({ level: 'info', secrets: [], destination: output }));
  for (let number = 0; number < 3_000; number++) output.write(line(number));

  const text = await readAll(pipe, 'log lines were dropped');
  const [, dropped] = /"dropped":(\d+)/.exec(text) ?? [];
  const [first, ...written] = numbersIn(text); // the first was about to be written
  expect(first).toBe(0);
  expect(written).toEqual(Array.from(written, (_, index) => index + 3_000 - written.length));
  expect(1 + written.length + Number(dropped)).toBe(3_000);
  expect(written.length).toBeGreaterThan(500);
});

it('writes a line that is longer than the pipe whole, whatever is dropped behind it', async () => {
  const pipe = stalledPipe();
  const output = new Output(pipe.nonBlocking);
  const long = `${'é'.repeat(200_000)}\n`;
  output.write(long);
  for (let number = 0; number < 2_000; number++) output.write(line(number));
  expect((await readAll(pipe, line(1_999))).startsWith(long)).toBe(true);
});

it.each([
  ['while nobody reads', false],
  ['at once when everything is written', true],
])('flushes for as long as it has %s', (_, isRead) => {
  const pipe = stalledPipe();
  if (!isRead) pipe.fill();
  const output = new Output(pipe.nonBlocking);
  output.write('the last line\n');
  const untilMs = performance.now() + (isRead ? 3_600_000 : 30);
  output.flush(untilMs);
  expect(performance.now() >= untilMs).toBe(!isRead);
  pipe.read();
  output.flush(Number.POSITIVE_INFINITY); // it would write on, into whatever is opened next under this number
});

it('appends to a file where others write, too', () => {
  const file = join(temporaryFolder(), 'log');
  const fd = openSync(file, 'w');
  onTestFinished(() => closeSync(fd));
  const output = new Output(fd);
  for (const text of ['one\n', 'two\n']) output.write(text);
  expect(readFileSync(file, 'utf8')).toBe('one\ntwo\n');
});

it('ends a flush at once when nothing can be written at all, as on a full disk', () => {
  const output = new Output(openSync('/dev/full', 'w')); // never closed: it is tried again and again
  output.write('lost\n');
  output.flush(Number.POSITIVE_INFINITY);
});
