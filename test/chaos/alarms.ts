const BUGS = new Set(['TypeError', 'RangeError', 'ReferenceError', 'SyntaxError']);
/** What is only ever said when a part of the bot did what it should not. */
const NEVER = new Set([
  'redis command failed',
  'lookup queue failed',
  'debt cannot be paid',
  'debt does not fit: it is dropped',
  'shared pacing state does not fit: starting without',
]);

/**
 * Lines that no fault excuses: a crash, a rejection that nobody handled, a bug in the program; and what Node itself says,
 * such as that memory is used up or that listeners leak.
 */
export function alarmsIn(output: string): string[] {
  return output.split('\n').filter((line) => {
    if (!line.startsWith('{')) return line !== '';
    const { level, msg, err } = JSON.parse(line);
    return level >= 60 || BUGS.has(err?.type) || NEVER.has(msg);
  });
}
