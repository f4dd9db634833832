const START = '<!-- benchmarks: written by npm run bench -->';
const END = '<!-- /benchmarks -->';

/**
 * The text with what is between the two markers replaced.
 *
 * @throws Error when a marker is missing
 */
export function replaceSection(text: string, section: string): string {
  const from = text.indexOf(START);
  const to = text.indexOf(END);
  if (from < 0 || to < from) throw new Error(`the text needs the lines ${START} and ${END}`);
  return `${text.slice(0, from + START.length)}\n\n${section}\n\n${text.slice(to)}`;
}
