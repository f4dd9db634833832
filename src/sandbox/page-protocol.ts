import { z } from 'zod';
import { PLANS } from '../plans.ts';
import type { CardServiceState, SeenRequest } from './card-service-controls.ts';
import type { ChatMessage, Guild, Member } from './discord/chat.ts';
import { ODD_FIGURES } from './odd-figures.ts';

/** `POST /api/commands`: somebody presses Enter on a command. */
export const TypeCommand = z.strictObject({
  command: z.string().min(1).max(32),
  // Discord's own limit of a string option (max_length up to 6000)
  options: z.record(z.string(), z.union([z.string().max(6000), z.number(), z.boolean()])).default({}),
  memberId: z.string(),
  guildId: z.string().nullable(),
  manageGuild: z.boolean(),
});
export type TypeCommand = z.infer<typeof TypeCommand>;

/** `POST /api/switches`: the storm has a route of its own, because only the server's clock can say when it ends. */
export const ChangeSwitches = z.strictObject({
  plan: z.enum(PLANS).optional(),
  latencyMs: z.int().min(0).max(60_000).optional(),
  down: z.boolean().optional(),
  downRetryAfterSeconds: z.int().min(0).max(86_400).optional(),
  oddFigures: z.enum(ODD_FIGURES).optional(),
  windowLimit: z.int().min(0).max(1_000_000).optional(),
  resetEvery: z.int().min(0).max(1_000).optional(),
  firewall: z.boolean().optional(),
  keyRevoked: z.boolean().optional(),
});
export type ChangeSwitches = z.infer<typeof ChangeSwitches>;

/** `POST /api/storm`: 0 ends a storm. */
export const StartStorm = z.strictObject({ durationMs: z.int().min(0).max(86_400_000) });
export type StartStorm = z.infer<typeof StartStorm>;

/** The body of a `POST` that says everything by its path. */
export const Nothing = z.strictObject({});

/** `GET /api/commands?guildId=…&manageGuild=true`: what a member sees after typing `/`; no `guildId` = direct messages. */
export interface ShownCommand {
  name: string;
  description: string;
  options: ShownOption[];
}

export interface ShownOption {
  kind: 'string' | 'integer' | 'number' | 'boolean';
  name: string;
  description: string;
  required: boolean;
  choices: { name: string; value: string | number }[];
  /** Of a string's length, or of a number itself; `undefined` = unlimited. */
  min: number | undefined;
  max: number | undefined;
}

export interface ShownCard {
  id: string;
  name: string;
  game: string;
}

/** One Server-Sent Event of `GET /api/events`: everything that the page shows. */
export interface Snapshot {
  botName: string;
  guilds: readonly Guild[];
  members: readonly Member[];
  sampleCards: readonly ShownCard[];
  /** The latest, oldest first. */
  messages: ChatMessage[];
  service: CardServiceState;
  /** The latest, oldest first. */
  requests: SeenRequest[];
  requestCount: number;
  gatewaySessions: number;
}
