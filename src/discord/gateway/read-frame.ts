import { GatewayDispatchEvents, GatewayOpcodes } from 'discord.js';

/** Discord's interval is 41,250 ms. One far from it would send a storm of heartbeats or overflow a timer. */
const SHORTEST_BEAT_MS = 100;
const LONGEST_BEAT_MS = 3_600_000;

type Frame = Record<string, unknown>;
type Fits = (value: unknown) => boolean;

const isId: Fits = (value) => typeof value === 'string' && /^\d{1,20}$/.test(value);
const isText: Fits = (value) => typeof value === 'string' && value !== '';
const isIdentified: Fits = (value) => isObject(value) && isId(value.id);

/**
 * The fields that discord.js, or a first answer, reads without checking that they are there. Not by zod, which took a
 * fifth of what this bot adds to a command.
 */
const FIELDS: Readonly<Record<string, Readonly<Record<string, Fits>>>> = {
  [GatewayDispatchEvents.Ready]: {
    user: isIdentified,
    application: isIdentified,
    guilds: (value) => Array.isArray(value) && value.every(isIdentified),
    session_id: isText,
  },
  [GatewayDispatchEvents.InteractionCreate]: {
    id: isId,
    application_id: isId,
    token: isText,
    guild_id: (value) => value == null || isId(value),
    author: isIdentified,
  },
};

/** A frame that discord.js can handle, or why it cannot. */
export type ReadFrame = { frame: Frame } | { odd: string; event?: string };

/**
 * @param frame as parsed; null when it was not JSON
 * @param isGreeted whether this connection has had its HELLO: after a second one discord.js sends twice the heartbeats
 */
export function readFrame(frame: unknown, isGreeted: boolean): ReadFrame {
  if (!isObject(frame) || !Number.isInteger(frame.op)) return { odd: 'no gateway payload' };
  switch (frame.op) {
    case GatewayOpcodes.Dispatch:
      return readEvent(frame);
    case GatewayOpcodes.Hello:
      if (isGreeted) return { odd: 'a second HELLO' };
      return isHello(frame.d) ? { frame } : { odd: 'HELLO without a heartbeat interval' };
    case GatewayOpcodes.InvalidSession:
      return { frame: { ...frame, d: frame.d === true } };
    default:
      return { frame };
  }
}

function readEvent(frame: Frame): ReadFrame {
  const { t: event, d } = frame;
  if (typeof event !== 'string' || !/^[A-Z0-9_]{1,60}$/.test(event)) return { odd: 'an event without a name' };
  const fields = isObject(d) ? d : {};
  const fieldOf = (name: string) => (name === 'author' ? authorOf(fields) : fields[name]);
  const wrong = Object.entries(FIELDS[event] ?? {}).filter(([name, fits]) => !fits(fieldOf(name)));
  if (wrong.length > 0) return { odd: `wrong or missing: ${wrong.map(([name]) => name).join(', ')}`, event };
  if (event === GatewayDispatchEvents.InteractionCreate) makeReadable(fields);
  return { frame: { ...frame, s: sequence(frame.s), d: event === GatewayDispatchEvents.Ready ? ready(d) : d } };
}

/**
 * Discord's specification does not require that a message says who used the command which it answers, but discord.js reads
 * that user without checking. Such a message then answers nobody. And unless a poll says which channel it is in, discord.js
 * asks the channel itself, which it does not know without intents. Changes the frame, which nobody else has.
 */
function makeReadable({ message, data }: Frame): void {
  const resolved = isObject(data) && isObject(data.resolved) ? data.resolved.messages : undefined;
  for (const each of [message, ...Object.values(resolved ?? {})]) {
    if (!isObject(each)) continue;
    each.interaction_metadata = named(each.interaction_metadata);
    if (isObject(each.poll)) each.poll = { ...each.poll, channel_id: each.channel_id ?? '' };
  }
}

function named(metadata: unknown): Frame | undefined {
  if (!isObject(metadata) || !isIdentified(metadata.user)) return undefined;
  return { ...metadata, triggering_interaction_metadata: named(metadata.triggering_interaction_metadata) };
}

/** An invalid sequence number would be sent back with the next resume, which Discord then refuses. */
function sequence(s: unknown): number | null {
  return Number.isSafeInteger(s) && Number(s) >= 0 ? Number(s) : null;
}

/** Without an address for resumes discord.js uses the one for new sessions. */
function ready(d: unknown): unknown {
  const { resume_gateway_url: url } = d as { resume_gateway_url?: unknown };
  const isAddress = typeof url === 'string' && URL.canParse(url) && /^wss?:$/.test(new URL(url).protocol);
  return isAddress ? d : { ...(d as object), resume_gateway_url: undefined };
}

/** In a Discord server the author is the member's user. */
function authorOf({ user, member }: Frame): unknown {
  return user ?? (isObject(member) ? member.user : undefined);
}

function isHello(d: unknown): boolean {
  const beatMs = isObject(d) ? d.heartbeat_interval : undefined;
  return typeof beatMs === 'number' && beatMs >= SHORTEST_BEAT_MS && beatMs <= LONGEST_BEAT_MS;
}

function isObject(value: unknown): value is Frame {
  return typeof value === 'object' && value !== null;
}
