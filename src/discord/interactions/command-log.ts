import type { Logger } from '../../log.ts';
import type { DeferredReply } from '../../replies/deferred-reply.ts';
import type { Source } from './command.ts';

/** What became of a command, besides who asked what. */
export interface CommandEnd {
  source: Source;
  /** Time spent waiting for a turn. */
  waitMs: number;
  /** `answered`, or the name of what kept it from being answered. */
  outcome: string;
  err?: unknown;
}

/** The one line that each command leaves in the log. */
export function logCommand(
  log: Logger,
  invocation: Pick<DeferredReply, 'command' | 'guildId' | 'memberId' | 'receivedAtMs'>,
  { err, ...end }: CommandEnd,
): void {
  const { command, guildId: guild, memberId: member, receivedAtMs } = invocation;
  const line = { command, guild, member, ...end, tookMs: Date.now() - receivedAtMs, ...(err !== undefined && { err }) };
  log[err === undefined ? 'info' : 'error'](line, 'command');
}
