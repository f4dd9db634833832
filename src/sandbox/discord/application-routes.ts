import { changedApplication } from './application-rules.ts';
import { ok, type Route } from './route.ts';
import { apiUser, botUser, memberPermissions, ownUser, type World } from './world.ts';

export interface GatewayFacts {
  /** `ws://127.0.0.1:PORT` */
  url: string;
  identifies: number;
  /** The recommended number. */
  shards: number;
  maxConcurrency: number;
}

const DAILY_IDENTIFIES = 1_000; // events/gateway, "Session Start Limit Object"

/** The bot's application and user, and the address of the gateway. */
export function applicationRoutes(world: World, gateway: () => GatewayFacts): Route[] {
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
  const get = (path: string, body: () => unknown): Route => ({
    method: 'GET',
    path,
    needsBotToken: true,
    answer: () => ok(body()),
  });

  return [
    { ...get('/gateway', () => ({ url: gateway().url })), needsBotToken: false },
    get('/gateway/bot', () => {
      const { url, identifies, shards, maxConcurrency } = gateway();
      return {
        url,
        shards,
        session_start_limit: {
          total: DAILY_IDENTIFIES,
          remaining: Math.max(0, DAILY_IDENTIFIES - identifies),
          reset_after: 86_400_000,
          max_concurrency: maxConcurrency,
        },
      };
    }),
    get('/applications/@me', application),
    {
      ...{ method: 'PATCH', path: '/applications/@me', needsBotToken: true },
      answer: ({ json }) => {
        settings = { ...settings, ...changedApplication(json) };
        return ok(application());
      },
    },
    get('/oauth2/applications/@me', application),
    get('/users/@me', () => ownUser(world)),
    get('/users/@me/guilds', () =>
      world.guilds.map(({ id, name }) => ({
        id,
        name,
        icon: null,
        banner: null,
        owner: false,
        permissions: String(memberPermissions()),
        features: [],
      })),
    ),
  ];
}
