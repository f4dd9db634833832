/** A spreadsheet would run a cell that begins so; behind an apostrophe it is text. */
const RUN = /^\s*[=+\-@＝＋－＠]/;
const QUOTED = /[",\r\n]/;
/** Without it, Excel takes UTF-8 for the code page of its machine. */
const BOM = '\uFEFF';

/** A table as CSV (RFC 4180). A number is written as it is, with a point. */
export function csvOf(rows: readonly (readonly (string | number | undefined)[])[]): string {
  return BOM + rows.map((row) => `${row.map(cellOf).join(',')}\r\n`).join('');
}

function cellOf(value: string | number = ''): string {
  if (typeof value === 'number') return String(value);
  const text = RUN.test(value) ? `'${value}` : value;
  return QUOTED.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
