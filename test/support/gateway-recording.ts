import { once } from 'node:events';
import { GatewayDispatchEvents, GatewayOpcodes } from 'discord.js';
import { WebSocket } from 'ws';
import type { EmulatedDiscord } from '../../src/sandbox/discord/emulated-discord.ts';

/** The `d` field of gateway events. */
export interface RecordedEvents {
  ready: object;
  /** INTERACTION_CREATE for `/card` in a server. */
  interaction: object;
}

/** Connects once and records READY and one INTERACTION_CREATE, which stays unanswered. */
export async function recordEvents({ gateway, type, origin, botToken }: EmulatedDiscord): Promise<RecordedEvents> {
  const socket = new WebSocket(`${origin.replace('http', 'ws')}?v=10&encoding=json`);
  const events = new Map<string, object>();
  socket.on('message', (text) => {
    const { t, d } = JSON.parse(String(text));
    events.set(t, d);
  });
  await once(socket, 'message'); // HELLO
  const d = { token: botToken, intents: 0, properties: {}, shard: [0, 1] };
  socket.send(JSON.stringify({ op: GatewayOpcodes.Identify, d }));
  await gateway.whenReady();
  type({ command: 'card', options: { id: 'base1-4' } });
  const { Ready, InteractionCreate } = GatewayDispatchEvents;
  while (!events.has(InteractionCreate)) await once(socket, 'message');
  socket.close(1_000);
  await once(socket, 'close');
  return { ready: events.get(Ready) ?? {}, interaction: events.get(InteractionCreate) ?? {} };
}
