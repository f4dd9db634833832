/**
 * The text with what is between the two markers of a section replaced.
 *
 * @param command the one that writes the section
 * @throws Error when a marker is missing
 */
export function replaceSection(text: string, section: string, name = 'benchmarks', command = 'npm run bench'): string {
  const start = `<!-- ${name}: written by ${command} -->`;
  const end = `<!-- /${name} -->`;
  const from = text.indexOf(start);
  const to = text.indexOf(end);
  if (from < 0 || to < from) throw new Error(`the text needs the lines ${start} and ${end}`);
  return `${text.slice(0, from + start.length)}\n\n${section}\n\n${text.slice(to)}`;
}
