import { pino } from 'pino';
import { createLog, type Logger } from '../../src/log.ts';

/** A line of the log; its level as a number, so that it can be compared. */
export interface LogLine {
  level: number;
  msg: string;
  [key: string]: unknown;
}

export function readLogLine(line: string): LogLine {
  const { level, ...fields } = JSON.parse(line);
  return { level: pino.levels.values[level] ?? Number.NaN, ...fields };
}

/** A logger whose lines the test can read. */
export function logLines(): { log: Logger; lines: LogLine[] } {
  const lines: LogLine[] = [];
  const write = (line: string) => void lines.push(readLogLine(line));
  return { log: createLog({ level: 'trace', secrets: [], destination: { write } }), lines };
}

export const INFO = 30;
export const WARN = 40;
export const ERROR = 50;
