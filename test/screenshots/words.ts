import { readFile, writeFile } from 'node:fs/promises';
import type { Locator } from 'playwright-core';

/** What the replies say: the name of each, then its words. */
const FILE = 'docs/replies/words.txt';
const NAME = /^# (.+)\n/m;
/** A wait that is shown with its seconds: some of it passes while the picture is taken, and it is lengthened at random. */
const TO_THE_SECOND = /(\d+):\d\d:\d\d/g;

/** The emulated Discord has another port each time. */
const FILE_ADDRESS = /http:\/\/127\.0\.0\.1:\d+\/attachments\/\d+\/\d+/g;

/** The words of a reply, as a screen reader has them. */
export async function wordsOf(parts: readonly Locator[]): Promise<string> {
  const words = (await Promise.all(parts.map((part) => part.ariaSnapshot()))).join('\n');
  return words.replaceAll(TO_THE_SECOND, '$1:mm:ss').replaceAll(FILE_ADDRESS, '');
}

/** The words of each reply when they were written down. */
export async function readWords(): Promise<Map<string, string>> {
  const [, ...parts] = (await readFile(FILE, 'utf8')).split(NAME);
  const entries = Array.from({ length: parts.length / 2 }, (_, at) => parts.slice(2 * at, 2 * at + 2));
  return new Map(entries.map(([name = '', words = '']) => [name, words.trimEnd()]));
}

export async function writeWords(words: ReadonlyMap<string, string>): Promise<void> {
  await writeFile(
    FILE,
    Array.from(words, ([name, said]) => `# ${name}\n${said}\n\n`)
      .join('')
      .trimEnd()
      .concat('\n'),
  );
}
