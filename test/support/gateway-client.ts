import { on, once } from 'node:events';
import { WebSocket } from 'ws';
import type { EmulatedDiscord } from '../../sandbox/discord/emulated-discord.ts';

export type Frame = { op: number; d: Record<string, unknown>; s: number | null; t: string | null };

/** A minimal client of the gateway. `closed` is the close code. */
export function dial({ origin }: EmulatedDiscord, query = 'v=10&encoding=json', headers: Record<string, string> = {}) {
  const socket = new WebSocket(`${origin.replace('http', 'ws')}/?${query}`, { headers });
  const messages = on(socket, 'message');
  return {
    socket,
    closed: once(socket, 'close').then(([code]) => Number(code)),
    send: (op: number, d: unknown) => socket.send(JSON.stringify({ op, d })),
    next: async (): Promise<Frame> => JSON.parse(String((await messages.next()).value?.[0])),
  };
}
