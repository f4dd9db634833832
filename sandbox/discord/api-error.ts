/** `errors` of a 50035: `{path: {_errors: [{code, message}]}}` (reference.md, "Error messages"). */
export interface ErrorTree {
  [key: string]: ErrorTree | { code: string; message: string }[];
}

/** HTTP status, code and message of Discord; topics/opcodes-and-status-codes, "JSON". */
const REFUSALS = {
  unauthorized: [401, 0, '401: Unauthorized'],
  notFound: [404, 0, '404: Not Found'],
  methodNotAllowed: [405, 0, '405: Method Not Allowed'],
  unknownChannel: [404, 10003, 'Unknown Channel'],
  unknownMessage: [404, 10008, 'Unknown Message'],
  unknownWebhook: [404, 10015, 'Unknown Webhook'],
  unknownInteraction: [404, 10062, 'Unknown interaction'],
  notYourApplication: [403, 20012, 'You are not authorized to perform this action on this application'],
  tooManyAttachments: [400, 30015, 'Maximum number of attachments in a message reached (10)'],
  openingTooFast: [403, 40003, 'You are opening direct messages too fast.'],
  requestTooLarge: [413, 40005, 'Request entity too large'],
  alreadyAcknowledged: [400, 40060, 'Interaction has already been acknowledged.'],
  tooManyFollowUps: [400, 40094, 'This interaction has hit the maximum number of follow up messages'],
  blockedUserAgent: [403, 40333, 'internal network error'],
  missingAccess: [403, 50001, 'Missing Access'],
  emptyMessage: [400, 50006, 'Cannot send an empty message'],
  takesNoMessages: [403, 50007, 'Cannot send messages to this user'],
  invalidWebhookToken: [401, 50027, 'Invalid Webhook Token'],
  invalidRecipient: [400, 50033, 'Invalid Recipient(s)'],
  invalidForm: [400, 50035, 'Invalid Form Body'],
  blockedByAutoMod: [400, 200000, 'Message was blocked by automatic moderation'],
  invalidJson: [400, 50109, 'The request body contains invalid JSON.'],
} as const satisfies Record<string, readonly [status: number, code: number, message: string]>;

export type Refusal = keyof typeof REFUSALS;

/** A request that Discord refuses. Thrown by the rules, converted into the response by the REST server. */
export class ApiError extends Error {
  override name = 'ApiError';
  readonly status: number;
  readonly code: number;
  readonly errors: ErrorTree | undefined;

  constructor(refusal: Refusal, errors?: ErrorTree) {
    const [status, code, message] = REFUSALS[refusal];
    super(message);
    this.status = status;
    this.code = code;
    this.errors = errors;
  }

  toJSON(): object {
    const { message, code, errors } = this;
    return { message, code, errors };
  }
}
