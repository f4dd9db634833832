import { on, once } from 'node:events';
import { WebSocket } from 'ws';
import type { EmulatedDiscord } from '../../src/sandbox/discord/emulated-discord.ts';

export type Frame = { op: number; d: Record<string, unknown>; s: number | null; t: string | null };

/** A minimal client of the gateway. `closed` is the close code. */
export function dial({ origin }: EmulatedDiscord, query = 'v=10&encoding=json', headers: Record<string, string> = {}) {
  const socket = new WebSocket(`${origin.replace('http', 'ws')}/?${query}`, { headers });
  const messages = on(socket, 'message');
  /** The next message as it came: its bytes, and whether they are binary. */
  const message = async () => (await messages.next()).value as [Buffer, boolean];
  return {
    socket,
    closed: once(socket, 'close').then(([code]) => Number(code)),
    send: (op: number, d: unknown) => socket.send(JSON.stringify({ op, d })),
    message,
    next: async (): Promise<Frame> => JSON.parse(String((await message())[0])),
  };
}
