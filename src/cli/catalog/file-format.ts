import { UnreadableFile } from './source-row.ts';

export type FileFormat = 'csv' | 'json' | 'jsonLines';

/** What other files begin with, in hexadecimal. */
const OTHERS: readonly { begins: string; is: string }[] = [
  { begins: '504b0304', is: 'is a ZIP archive: unpack it first' },
  { begins: 'fffe', is: 'is UTF-16: save it as UTF-8' },
  { begins: 'feff', is: 'is UTF-16: save it as UTF-8' },
  { begins: '3c', is: 'looks like a web page or XML' },
];
const BYTE_ORDER_MARK = /^\u{feff}/u;

/**
 * Tells the format of a file from its beginning.
 *
 * @param isDocument cards are said to stand somewhere within one JSON value
 * @throws UnreadableFile
 */
export function formatOf(head: Buffer, isDocument: boolean): FileFormat {
  const text = head.toString().replace(BYTE_ORDER_MARK, '').trimStart();
  if (text === '') throw new UnreadableFile('is empty');
  const other = OTHERS.find(({ begins }) => head.toString('hex', 0, begins.length / 2) === begins);
  if (other) throw new UnreadableFile(other.is);
  if (head.includes(0)) throw new UnreadableFile('is neither CSV, JSON nor JSON Lines');
  if (text.startsWith('[')) return 'json';
  if (!text.startsWith('{')) return 'csv';
  if (isDocument) return 'json';
  if (isWholeLine(text)) return 'jsonLines';
  throw new UnreadableFile('is one JSON object: say with --rows where its cards are, such as --rows data');
}

/** Whether an object ends where its line ends, as far as the beginning of a file shows. */
function isWholeLine(text: string): boolean {
  const end = text.indexOf('\n');
  return end < 0 ? text.trimEnd().endsWith('}') : text.slice(0, end).trimEnd().endsWith('}');
}
