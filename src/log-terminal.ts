import type { DestinationStream } from 'pino';
import { prettyFactory } from 'pino-pretty';

/** The log as a person reads it: one line per event; only an error has lines of its own. */
export function forTerminal(output: { write(text: string): unknown }): DestinationStream {
  const shown = prettyFactory({ singleLine: true });
  return { write: (line) => void output.write(shown(readable(line))) };
}

/** The line of a command becomes a sentence, such as `/card base1-4 · cache · 3 ms`. */
function readable(line: string): string {
  const { msg, level, time, err, command, card, source, outcome, shown, asked, waitMs, tookMs } = JSON.parse(line);
  if (msg !== 'command') return line;
  const how = outcome === 'answered' ? source : outcome;
  const waited = waitMs > 0 ? [`waited ${duration(waitMs)}`] : [];
  const cards = asked === undefined ? [] : [`${shown} of ${asked} cards`];
  const slash = /[\s\p{Lu}]/u.test(command) ? '' : '/'; // what has a blank or a capital is an entry of a menu
  const name = `${slash}${command}${card === undefined ? '' : ` ${card}`}`;
  const text = [name, how, ...cards, ...waited, duration(tookMs)].join(' · ');
  return `${JSON.stringify({ level, time, ...(err && { err }), msg: text })}\n`;
}

function duration(ms: number): string {
  return ms < 1_000 ? `${Math.round(ms)} ms` : `${(ms / 1_000).toFixed(1)} s`;
}
