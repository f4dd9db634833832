import {
  ApplicationCommandAutocompleteCallbackRequestSchema,
  ApplicationCommandResponseSchema,
  ApplicationCommandUpdateRequestSchema,
  ApplicationFormPartialSchema,
  CreateMessageInteractionCallbackRequestSchema,
  CreatePrivateChannelRequestSchema,
  ErrorResponseSchema,
  GatewayBotResponseSchema,
  IncomingWebhookRequestPartialSchema,
  IncomingWebhookUpdateRequestPartialSchema,
  LaunchActivityInteractionCallbackRequestSchema,
  MessageCreateRequestSchema,
  MessageResponseSchema,
  ModalInteractionCallbackRequestSchema,
  MyGuildResponseSchema,
  PongInteractionCallbackRequestSchema,
  PrivateApplicationResponseSchema,
  PrivateChannelResponseSchema,
  SocialLayerSKUPurchaseEligibilityInteractionCallbackRequestSchema,
  UpdateMessageInteractionCallbackRequestSchema,
} from 'discord-api-spec/zod';
import * as z from 'zod/mini';

/** What Discord's specification says of one route: the schemas as published, open to unknown fields. */
export interface SpecifiedRoute {
  /** Absent = a request without a body. */
  request?: z.ZodMiniType;
  /** Of a success; absent = without content. */
  answer?: z.ZodMiniType;
}

/** Of every answer of 400 to 499. */
export const REFUSAL: z.ZodMiniType = ErrorResponseSchema;

const Commands = z.nullable(z.array(ApplicationCommandResponseSchema));

const WEBHOOK = '/webhooks/:application/:token';
const MESSAGE = `${WEBHOOK}/messages/:message`;
const COMMANDS = ['/applications/:application/commands', '/applications/:application/guilds/:guild/commands'];

/** By method and path as in the emulated Discord's routes: all that it serves, from the `paths` of the specification. */
export const SPECIFIED: Readonly<Record<string, SpecifiedRoute>> = {
  'GET /gateway/bot': { answer: GatewayBotResponseSchema },
  'GET /applications/@me': { answer: PrivateApplicationResponseSchema },
  'PATCH /applications/@me': { request: ApplicationFormPartialSchema, answer: PrivateApplicationResponseSchema },
  'GET /users/@me/guilds': { answer: z.nullable(z.array(MyGuildResponseSchema)) },
  'POST /users/@me/channels': { request: CreatePrivateChannelRequestSchema, answer: PrivateChannelResponseSchema },
  'POST /channels/:channel/messages': { request: MessageCreateRequestSchema, answer: MessageResponseSchema },
  'POST /interactions/:id/:token/callback': {
    request: z.union([
      ApplicationCommandAutocompleteCallbackRequestSchema,
      CreateMessageInteractionCallbackRequestSchema,
      LaunchActivityInteractionCallbackRequestSchema,
      ModalInteractionCallbackRequestSchema,
      PongInteractionCallbackRequestSchema,
      SocialLayerSKUPurchaseEligibilityInteractionCallbackRequestSchema,
      UpdateMessageInteractionCallbackRequestSchema,
    ]),
  },
  [`POST ${WEBHOOK}`]: {
    request: z.union([IncomingWebhookRequestPartialSchema, IncomingWebhookUpdateRequestPartialSchema]),
    answer: MessageResponseSchema,
  },
  [`GET ${MESSAGE}`]: { answer: MessageResponseSchema },
  [`PATCH ${MESSAGE}`]: { request: IncomingWebhookUpdateRequestPartialSchema, answer: MessageResponseSchema },
  [`DELETE ${MESSAGE}`]: {},
  ...Object.assign({}, ...COMMANDS.map(commandRoutes)),
};

function commandRoutes(path: string): Record<string, SpecifiedRoute> {
  return {
    [`GET ${path}`]: { answer: Commands },
    [`PUT ${path}`]: { request: z.nullable(z.array(ApplicationCommandUpdateRequestSchema)), answer: Commands },
  };
}
