import {
  AttachmentResponseSchema,
  BasicGuildMemberResponseSchema,
  GuildChannelResponseSchema,
  GuildMemberResponseSchema,
  MessageResponseSchema,
  PrivateChannelResponseSchema,
  PrivateGroupChannelResponseSchema,
  ResolvedObjectsResponseSchema,
  UserPIIResponseSchema,
  UserResponseSchema,
} from 'discord-api-spec/zod';
import * as z from 'zod/mini';
import type { ApiError } from '../../../sandbox/discord/api-error.ts';
import { leafIssues } from '../../../sandbox/discord/forms.ts';
import type { DispatchedEvent, Exchange } from '../../../sandbox/discord/observation.ts';
import { isKnownDeviation } from './deviations.ts';
import { REFUSAL, SPECIFIED } from './routes.ts';

/** What Discord's specification forbids in this exchange, a line each; known deviations left out. */
export function exchangeViolations({ method, route, sent, answered }: Exchange): string[] {
  const call = `${method} ${route}`;
  const specified = SPECIFIED[call];
  if (route !== undefined && !specified) return [`${call}: not in the table of routes`];
  const { request = NO_BODY, answer = NO_CONTENT } = specified ?? {};
  const isRead = sent !== undefined && (answered?.body as Partial<ApiError> | undefined)?.code !== INVALID_FORM;
  return [
    ...(isRead ? complaints(`${call} request`, request, sent) : []),
    ...(answered ? complaints(`${call} ${answered.status}`, schemaOf(answered.status, answer), answered.body) : []),
  ];
}

/** The emulated Discord refused the body, which is what the test is about. */
const INVALID_FORM = 50_035;
const NO_BODY = z.strictObject({}); // as the emulated Discord reads it
const NO_CONTENT = z.undefined();

function schemaOf(status: number, answer: z.ZodMiniType): z.ZodMiniType {
  if (status >= 500) return z.never();
  return status < 300 ? answer : REFUSAL;
}

/** The same for what an event carries, as far as the specification has a schema for it. */
export function eventViolations({ type, json }: DispatchedEvent): string[] {
  return partsOf(type, JSON.parse(json)).flatMap(({ at, schema, value }) => complaints(`${type} ${at}`, schema, value));
}

function complaints(what: string, schema: z.core.$ZodType, value: unknown): string[] {
  const read = z.safeParse(closed(schema), value, { reportInput: true });
  return leafIssues(read.error?.issues ?? []).flatMap((issue) => {
    const found =
      issue.code === 'unrecognized_keys' ? `unknown ${issue.keys}` : `${issue.code} ${JSON.stringify(issue.input)}`;
    const line = `${what} ${issue.path.map(String).join('.')}: ${found}`;
    return isKnownDeviation(line, issue) ? [] : [line];
  });
}

type Schema = z.core.$ZodType;

const made = new WeakMap<Schema, Schema>();

/** The same schema with every object in it, at any depth, closed to unknown fields. */
function closed(schema: Schema): Schema {
  const known = made.get(schema);
  if (known) return known;
  const copy = closedCopy(schema);
  made.set(schema, copy);
  return copy;
}

function closedCopy(schema: Schema): Schema {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  const like = (changed: object) => z.core.clone(schema, { ...def, ...changed } as typeof def);
  switch (def.type) {
    case 'object': {
      const shape = Object.fromEntries(Object.entries(def.shape).map(([name, field]) => [name, closed(field)]));
      return like({ shape, catchall: z.never() });
    }
    case 'lazy':
      return z.lazy(() => closed(def.getter())); // schemas refer to themselves
    case 'union':
      return like({ options: def.options.map(closed) });
    case 'intersection':
      return like({ left: closed(def.left), right: closed(def.right) });
    case 'array':
      return like({ element: closed(def.element) });
    case 'record':
      return like({ valueType: closed(def.valueType) });
    case 'optional':
    case 'nullable':
      return like({ innerType: closed(def.innerType) });
    default:
      return schema;
  }
}

// Gateway events are not in the specification. What they add to an object that is in it, by the documentation:
const Permissions = { permissions: z.optional(z.string()) };
/** interactions/receiving-and-responding, "Interaction Structure" */
const Member = z.extend(GuildMemberResponseSchema, Permissions);
/** interactions/receiving-and-responding, "Resolved Data Structure" */
const Resolved = z.extend(ResolvedObjectsResponseSchema, {
  messages: z.optional(z.record(z.string(), MessageResponseSchema)),
  attachments: z.optional(z.record(z.string(), AttachmentResponseSchema)),
  members: z.optional(z.record(z.string(), z.extend(BasicGuildMemberResponseSchema, Permissions))),
});
const Channel = z.union([GuildChannelResponseSchema, PrivateChannelResponseSchema, PrivateGroupChannelResponseSchema]);

const PARTS: Readonly<Record<string, readonly [at: string, schema: z.ZodMiniType][]>> = {
  READY: [['user', UserPIIResponseSchema]],
  INTERACTION_CREATE: [
    ['member', Member],
    ['user', UserResponseSchema],
    ['message', MessageResponseSchema],
    ['channel', Channel],
    ['data.resolved', Resolved],
  ],
};

/** The parts of an event's `d` that are there, and the schema that each should have. */
function partsOf(type: string, d: unknown) {
  const parts = (PARTS[type] ?? []).map(([at, schema]) => ({ at, schema, value: within(d, at) }));
  return parts.filter(({ value }) => value !== undefined);
}

function within(value: unknown, at: string): unknown {
  return at.split('.').reduce<unknown>((inner, name) => (inner as Record<string, unknown> | undefined)?.[name], value);
}
