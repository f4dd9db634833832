import { createLog, type Logger } from '../../src/log.ts';

/** A logger whose lines the test can read. */
export function logLines(): { log: Logger; lines: { level: number; msg: string; [key: string]: unknown }[] } {
  const lines: { level: number; msg: string }[] = [];
  const write = (line: string) => void lines.push(JSON.parse(line));
  return { log: createLog({ level: 'trace', secrets: [], destination: { write } }), lines };
}

export const WARN = 40;
export const ERROR = 50;
