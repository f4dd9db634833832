/** The rows of a table that is written as text: one a line, ` | ` between its cells, each a text without spaces around. */
export function table(text: TemplateStringsArray, ...values: readonly unknown[]): string[][] {
  const rows = String.raw(text, ...values).trim();
  return rows.split('\n').map((row) => row.split('|').map((cell) => cell.trim()));
}
