const BUGS = new Set(['TypeError', 'RangeError', 'ReferenceError', 'SyntaxError']);
/** Messages that are logged only when the bot itself has a bug. */
export const BUG_MESSAGES = new Set([
  'redis command failed',
  'lookup queue failed',
  'reply cannot be completed',
  'a row of state.sqlite cannot be read: it is dropped',
  'redis holds something that cannot be read: it is left out or replaced',
]);

/**
 * Lines that no fault explains: a crash, an unhandled rejection, a bug in the program, and anything that Node itself
 * writes, such as a warning about memory or leaking listeners.
 */
export function alarmsIn(output: string): string[] {
  return output.split('\n').filter((line) => {
    if (!line.startsWith('{')) return line !== '';
    const { level, msg, err } = JSON.parse(line);
    return level === 'fatal' || BUGS.has(err?.type) || BUG_MESSAGES.has(msg);
  });
}
