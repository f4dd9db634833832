const BUGS = new Set(['TypeError', 'RangeError', 'ReferenceError', 'SyntaxError']);
/** Messages that are logged only when the bot itself has a bug. */
export const BUG_MESSAGES = new Set([
  'redis command failed',
  'lookup queue failed',
  'reply cannot be completed',
  'a row of state.sqlite cannot be read: it is dropped',
  'redis holds something that cannot be read: it is left out or replaced',
]);

/** A line of the log, as far as it tells of a bug. */
interface LogLine {
  level: string;
  msg: string;
  err?: { type: string };
}

/** Whether a line of the log tells of a crash, an unhandled rejection or a bug in the program, which no fault explains. */
export function isAlarm({ level, msg, err }: LogLine): boolean {
  return level === 'fatal' || BUGS.has(err?.type ?? '') || BUG_MESSAGES.has(msg);
}

/** Such lines, and anything that Node itself writes, such as a warning about memory or leaking listeners. */
export function alarmsIn(output: string): string[] {
  return output.split('\n').filter((line) => (line.startsWith('{') ? isAlarm(JSON.parse(line)) : line !== ''));
}
