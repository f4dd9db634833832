import { setTimeout as sleep } from 'node:timers/promises';
import {
  ApplicationFormPartialSchema,
  CreatePrivateChannelRequestSchema,
  MessageCreateRequestSchema,
} from 'discord-api-spec/zod';
import { ChannelType } from 'discord-api-types/v10';

import { ApiError } from './api-error.ts';
import { parseCallback, parseChoices } from './callback-rules.ts';
import type { Member } from './chat.ts';
import type { Autocompletions, Conversations } from './conversations.ts';
import type { RestAnswer } from './faults.ts';
import { readForm, refuse, when } from './forms.ts';
import type { Gateway } from './gateway.ts';
import { type ArrivedMessage, readMessage } from './message-rules.ts';
import { NO_CONTENT, ok, type RestRequest, type Routes } from './rest.ts';
import { apiUser, botUser, channelId, memberPermissions, type World } from './world.ts';

/** The calls with which a bot answers: the callback and the interaction's webhook. */
export function interactionRoutes(conversations: Conversations, autocompletions: Autocompletions): Routes {
  const conversationOf = ({ params }: RestRequest) => conversations.webhook(params.token ?? '');
  const messageOf = ({ params }: RestRequest) => params.message ?? '';
  const WEBHOOK = '/webhooks/:application/:token';
  const MESSAGE = `${WEBHOOK}/messages/:message`;

  return {
    'POST /interactions/:id/:token/callback': ({ params: { id = '', token = '' }, json, files }) => {
      if (autocompletions.answer(id, token, (locale) => parseChoices(json, locale))) return NO_CONTENT;
      const conversation = conversations.interaction(id, token);
      const { type, source } = conversation.begun;
      conversation.acknowledge(parseCallback({ json, files }, { type, hasSource: source !== undefined }));
      return NO_CONTENT;
    },
    [`GET ${MESSAGE}`]: (request) => ok(conversationOf(request).sent(messageOf(request))),
    [`PATCH ${MESSAGE}`]: (request) => {
      const conversation = conversationOf(request);
      conversation.sent(messageOf(request)); // refused before its body is read, where it is not there
      return ok(conversation.edit(messageOf(request), arrived(request)));
    },
    [`DELETE ${MESSAGE}`]: (request) => {
      conversationOf(request).delete(messageOf(request));
      return NO_CONTENT;
    },
    [`POST ${WEBHOOK}`]: (request) => ok(conversationOf(request).followUp(arrived(request))),
  };
}

function arrived({ json, files }: RestRequest): ArrivedMessage {
  return { form: readMessage(json), uploads: files, at: [] };
}

// "Unique in the past few minutes": resources/message, "Create Message"
const NONCE_KEPT_MS = 180_000;

/**
 * The calls with which a bot writes to a member by itself. It writes nowhere else here.
 *
 * @param refusing the ids of members who take no direct messages
 */
export function directMessageRoutes(
  { members }: World,
  conversations: Conversations,
  openings: ChannelOpenings,
  refusing: ReadonlySet<string>,
): Routes {
  const channelOf = ({ id }: Member) => channelId({ guildId: null, context: 1, memberId: id });
  return {
    'POST /users/@me/channels': ({ json }) => {
      const { recipient_id } = readForm<{ recipient_id?: string }>(CreatePrivateChannelRequestSchema, json);
      const member = members.find(({ id }) => id === recipient_id);
      if (!member) throw new ApiError('invalidRecipient');
      const channel = { id: channelOf(member), type: ChannelType.DM, last_message_id: null, flags: 0 };
      return openings.answer(() => ok({ ...channel, recipients: [apiUser(member)] }));
    },
    'POST /channels/:channel/messages': (request) => {
      const { nonce, enforce_nonce } = readForm<{
        nonce?: string | number | null;
        enforce_nonce?: boolean | null;
      }>(MessageCreateRequestSchema, request.json);
      const sent = arrived(request);
      const member = members.find((each) => channelOf(each) === request.params.channel);
      if (!member) throw new ApiError('unknownChannel');
      if (refusing.has(member.id)) throw new ApiError('takesNoMessages');
      const earlier = enforce_nonce && nonce != null && conversations.posted(nonce, Date.now() - NONCE_KEPT_MS);
      return ok(earlier || conversations.post(member, sent, nonce ?? undefined));
    },
  };
}

export interface OpeningLimit {
  /** More that arrive meanwhile are refused. */
  atOnce: number;
  /** How long one takes. */
  tookMs: number;
  /** The wait that a 429 states; without it, the refusal is a 403 with 40003, which states none. */
  retryAfterSeconds?: number;
}

/** How many channels of direct messages a bot may open at a time. Discord publishes no figure; by default there is no limit. */
export class ChannelOpenings {
  /** What happened so far. */
  readonly counts = { opened: 0, refused: 0, mostAtOnce: 0 };
  limit: OpeningLimit | undefined;
  #underWay = 0;

  async answer(open: () => RestAnswer): Promise<RestAnswer> {
    const { atOnce, tookMs, retryAfterSeconds } = this.limit ?? { atOnce: Number.POSITIVE_INFINITY, tookMs: 0 };
    if (this.#underWay >= atOnce) {
      this.counts.refused++;
      if (retryAfterSeconds === undefined) throw new ApiError('openingTooFast');
      // topics/rate-limits, "Exceeding A Rate Limit"
      return {
        status: 429,
        headers: { 'Retry-After': String(Math.ceil(retryAfterSeconds)), 'X-RateLimit-Scope': 'user' },
        body: { message: 'You are being rate limited.', retry_after: retryAfterSeconds, global: false },
      };
    }
    this.#underWay++;
    this.counts.mostAtOnce = Math.max(this.counts.mostAtOnce, this.#underWay);
    if (tookMs > 0) await sleep(tookMs, undefined, { ref: false });
    this.#underWay--;
    this.counts.opened++;
    return open();
  }
}

const DAILY_IDENTIFIES = 1_000; // events/gateway, "Session Start Limit Object"

/** The bot's application and guilds, and the address of the gateway. */
export function applicationRoutes(
  world: World,
  gateway: Pick<Gateway, 'url' | 'identifies'>,
  { shards, maxConcurrency }: Record<'shards' | 'maxConcurrency', number>,
): Routes {
  const [owner] = world.members;
  let settings: object = { integration_types_config: { 0: {}, 1: {} } };
  const application = () => ({
    id: world.applicationId,
    name: 'Cards',
    icon: null,
    type: null,
    bot_public: true,
    bot_require_code_grant: false,
    verify_key: '0'.repeat(64),
    description: '',
    flags: 0,
    flags_new: '0',
    explicit_content_filter: 0,
    eligible_oauth2_scopes: [],
    redirect_uris: [],
    interactions_endpoint_url: null,
    role_connections_verification_url: null,
    approximate_guild_count: world.guilds.length,
    approximate_user_install_count: 0,
    approximate_user_authorization_count: 0,
    bot: botUser(world),
    ...(owner && { owner: apiUser(owner) }),
    team: null,
    ...settings,
  });

  return {
    'GET /gateway/bot': () =>
      ok({
        url: gateway.url,
        shards,
        session_start_limit: {
          total: DAILY_IDENTIFIES,
          remaining: Math.max(0, DAILY_IDENTIFIES - gateway.identifies),
          reset_after: 86_400_000,
          max_concurrency: maxConcurrency,
        },
      }),
    'GET /applications/@me': () => ok(application()),
    'PATCH /applications/@me': ({ json }) => {
      settings = { ...settings, ...changedApplication(json) };
      return ok(application());
    },
    'GET /users/@me/guilds': () =>
      ok(
        world.guilds.map(({ id, name }) => ({
          ...{ id, name, icon: null, banner: null, owner: false, features: [] },
          permissions: String(memberPermissions()),
        })),
      ),
  };
}

/** What a bot may change of its own application; null and an absent part: none from now on. */
interface ApplicationForm {
  description?: { default: string } | null;
  tags?: string[] | null;
  integration_types_config?: Record<
    string,
    { oauth2_install_params?: { scopes?: string[]; permissions?: number } }
  > | null;
}

/** The fields of the application that the body changes, as Discord answers with them. @throws ApiError 50035 */
function changedApplication(body: unknown): object {
  const form = readForm<ApplicationForm>(ApplicationFormPartialSchema, JSON.parse(JSON.stringify(body), asSpecified));
  const installs = Object.entries(form.integration_types_config ?? {});
  const isOdd = installs.some(([type]) => type !== '0' && type !== '1');
  refuse(when(isOdd, ['integration_types_config'], 'BASE_TYPE_CHOICES'));
  return {
    ...('description' in form && { description: form.description?.default ?? '' }),
    ...('tags' in form && { tags: form.tags ?? [] }),
    ...('integration_types_config' in form && {
      integration_types_config: Object.fromEntries(
        installs.map(([type, { oauth2_install_params: params }]) => {
          const { scopes = [], permissions = 0 } = params ?? {};
          return [type, params ? { oauth2_install_params: { scopes, permissions: String(permissions) } } : {}];
        }),
      ),
    }),
  };
}

/** The documentation has texts where the specification has an object and a number. */
function asSpecified(key: string, value: unknown): unknown {
  if (key === 'permissions' && typeof value === 'string' && /^\d+$/.test(value)) return Number(value);
  return key === 'description' && typeof value === 'string' ? { default: value } : value;
}
