import { changedApplication } from './application-rules.ts';
import type { Gateway } from './gateway.ts';
import { ok, type Routes } from './route.ts';
import { apiUser, botUser, memberPermissions, type World } from './world.ts';

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
