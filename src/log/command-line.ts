import type { Logger } from 'pino';

/** A command that has ended, as the log is told. */
interface EndedCommand {
  command: string;
  /** The card's id, when it is about one. */
  card?: string | undefined;
  guildId: string | undefined;
  memberId: string;
  source: string;
  waitMs: number;
  tookMs: number;
  outcome: string;
  /** How many of several cards were shown, and how many were wanted. */
  shown?: number;
  asked?: number;
  err?: unknown;
}

/** The one line that each command leaves in the log. */
export function commandLogger(log: Logger): (ended: EndedCommand) => void {
  return ({ err, command, card, guildId: guild, memberId: member, ...end }) => {
    const line = {
      command,
      ...(card !== undefined && { card }),
      guild,
      member,
      ...end,
      ...(err !== undefined && { err }),
    };
    log[err === undefined ? 'info' : 'error'](line, MESSAGE);
  };
}

const MESSAGE = 'command';

/** A line of the log as a person reads it first: that of a command is its sentence, such as `/card base1-4 · cache · 3 ms`. */
export function readable(line: string): string {
  const record = JSON.parse(line);
  if (record.msg !== MESSAGE) return line;
  const { level, time, err } = record;
  return `${JSON.stringify({ level, time, ...(err && { err }), msg: commandText(record) })}\n`;
}

/** @param ended a line of `commandLogger` */
export function commandText({
  command,
  card,
  source,
  outcome,
  shown,
  asked,
  waitMs,
  tookMs,
}: Omit<EndedCommand, 'guildId' | 'memberId'>): string {
  const how = outcome === 'answered' ? source : outcome;
  const waited = waitMs > 0 ? [`waited ${duration(waitMs)}`] : [];
  const cards = asked === undefined ? [] : [`${shown} of ${asked} cards`];
  return [
    `${isOfMenu(command) ? '' : '/'}${command}${card === undefined ? '' : ` ${card}`}`,
    how,
    ...cards,
    ...waited,
    duration(tookMs),
  ].join(' · ');
}

/** Discord takes no blank and no capital in the name of a slash command. */
function isOfMenu(command: string): boolean {
  return /[\s\p{Lu}]/u.test(command);
}

function duration(ms: number): string {
  return ms < 1_000 ? `${Math.round(ms)} ms` : `${(ms / 1_000).toFixed(1)} s`;
}
