import {
  WebSocketShardEvents as Events,
  type WebSocketShard,
  WebSocketShardDestroyRecovery,
  WebSocketShardStatus,
} from '@discordjs/ws';
import type { Logger } from '../../log.ts';

/** Private in @discordjs/ws 1.2.3, which waits for the answer to an IDENTIFY, but not for that to a RESUME. */
interface Inner {
  resume(session: unknown): Promise<void>;
}

/**
 * Gives a connection up on which a RESUME was answered by neither RESUMED nor op 9, nor by a missed event, for `waitMs`:
 * heartbeats may be acknowledged there for ever.
 */
export function awaitResumed(shard: WebSocketShard, waitMs: number, log: Logger): void {
  const inner = shard as unknown as Inner;
  const { resume } = inner;
  let silence: NodeJS.Timeout | undefined;

  inner.resume = async (session) => {
    silence ??= setTimeout(giveUp, waitMs); // a second RESUME, after op 9, is no reason to wait longer
    await resume.call(shard, session);
  };
  shard.on(Events.Dispatch, () => void silence?.refresh());
  for (const event of [Events.Hello, Events.Ready, Events.Resumed, Events.Closed]) {
    shard.on(event, () => {
      clearTimeout(silence);
      silence = undefined;
    });
  }

  function giveUp(): void {
    silence = undefined;
    if (shard.status !== WebSocketShardStatus.Resuming) return;
    log.warn({ shard: shard.id, waitMs }, 'resume came to nothing, trying again');
    void shard.destroy({ reason: 'RESUME was not answered', recover: WebSocketShardDestroyRecovery.Resume });
  }
}
