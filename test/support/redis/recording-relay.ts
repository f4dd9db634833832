import { startSlowRelay } from '../slow-relay.ts';

export interface RecordingRelay {
  /** Reaches the Redis through the relay. */
  url: string;
  /** What was sent to Redis, in order: the name of a command and its arguments. A transaction is one command, `MULTI`. */
  commands: readonly (readonly string[])[];
}

/**
 * A TCP proxy before a Redis that notes what passes, none of which has a `\r\n` of its own: arrays of bulk strings, as in
 * https://redis.io/docs/latest/develop/reference/protocol-spec/#sending-commands-to-a-redis-server
 */
export async function startRecordingRelay(url: string): Promise<RecordingRelay> {
  const commands: string[][] = [];
  const watch = () => {
    const lines: string[] = [];
    let inTransaction = false;
    return (sent: Buffer) => {
      lines.push(...((lines.pop() ?? '') + sent.toString('latin1')).split('\r\n'));
      for (const [name = '', ...args] of takenFrom(lines)) {
        const command = name.toUpperCase();
        if (!inTransaction) commands.push([command, ...args]);
        inTransaction = command === 'MULTI' || (inTransaction && command !== 'EXEC');
      }
    };
  };
  return { url: (await startSlowRelay(url, { delayMs: 0, watch })).url, commands };
}

/** All requests that are there as a whole: how many words, then each after its length. */
function* takenFrom(lines: string[]): Generator<string[]> {
  for (;;) {
    const end = 1 + 2 * Number(lines[0]?.slice(1));
    if (!(lines.length > end)) return; // nor where there is no number yet
    yield lines.splice(0, end).filter((_, at) => at > 0 && at % 2 === 0);
  }
}
