import { csvRows } from './csv-rows.ts';
import { type FileFormat, formatOf } from './file-format.ts';
import type { Input } from './input.ts';
import { jsonLinesRows } from './json-lines-rows.ts';
import { jsonRows, parseRowsPath } from './json-rows.ts';
import { linesOf } from './lines.ts';
import type { ReadRow } from './source-row.ts';

/**
 * The rows of a file in any format, some at a time. A chunk of it is in memory, and as much as its longest row needs.
 *
 * @param rowsPath where rows stand in a JSON document; `undefined`: it is an array of them
 * @throws UnreadableFile, while reading too
 */
export function readRows(
  { head, bytes }: Input,
  rowsPath: string | undefined,
): { format: FileFormat; rows: AsyncGenerator<ReadRow[]> } {
  const format = formatOf(head, rowsPath !== undefined);
  switch (format) {
    case 'csv':
      return { format, rows: csvRows(linesOf(bytes)) };
    case 'json':
      return { format, rows: jsonRows(bytes, parseRowsPath(rowsPath ?? '*')) };
    case 'jsonLines':
      return { format, rows: jsonLinesRows(linesOf(bytes)) };
  }
}
