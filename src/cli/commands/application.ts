import { z } from 'zod';
import { type FieldChange, fieldChanges } from './command-diff.ts';

/** An application or a server. */
export const Named = z.object({ id: z.string(), name: z.string() });
export type Named = z.infer<typeof Named>;

/**
 * Where one kind of install is allowed, and what its link in the bot's profile asks for. Fields that Discord may add are
 * kept, since all of it is written at once.
 */
const InstallConfig = z.looseObject({
  oauth2_install_params: z.looseObject({ scopes: z.array(z.string()) }).optional(),
});
type InstallConfig = z.infer<typeof InstallConfig>;

/** The application of a token, with what decides whether commands reach the bot, and what its profile shows. */
export const Application = Named.extend({
  /** Set: Discord sends commands to this address, and none over the gateway. */
  interactions_endpoint_url: z.string().nullish(),
  /** An invite link then needs an OAuth2 flow that the bot does not have. */
  bot_require_code_grant: z.boolean().nullish(),
  /** Who can install it, by Discord's number: 0 servers, 1 members. */
  integration_types_config: z.record(z.string(), InstallConfig).nullish(),
  /** Whether others than its owner can add it. */
  bot_public: z.boolean().nullish(),
  /** An operator's own instead of Discord's. */
  custom_install_url: z.string().nullish(),
  description: z.string().nullish(),
  tags: z.array(z.string()).nullish(),
  terms_of_service_url: z.string().nullish(),
  privacy_policy_url: z.string().nullish(),
});
export type Application = z.infer<typeof Application>;

/** What an invite link asks for, by Discord's number of the install: 0 servers, 1 members. */
const SCOPES = { 0: ['applications.commands', 'bot'], 1: ['applications.commands'] } as const;

/** Discord takes 400 characters, and shows them in the bot's profile. */
const DESCRIPTION =
  'Look up trading cards by name, with pictures, prices and how they moved. Start with /card; /watch tells you when a card reaches your price.';
/** Discord takes five of 20 characters. */
const TAGS = ['trading cards', 'card search', 'card prices', 'price alerts', 'collecting'];

/** What is to be written of an application: "Edit Current Application" in Discord's documentation. */
export interface ApplicationForm {
  integration_types_config?: Record<string, InstallConfig>;
  description?: string;
  tags?: readonly string[];
}

/**
 * The fields of the application with which it does not let everybody install it who is meant to, or which are empty. What
 * an operator wrote there stays. Empty when nothing is to be written.
 */
export function applicationForm(application: Application, hasUserInstall: boolean): ApplicationForm {
  const { description, tags } = application;
  const installs = wantedInstalls(application, hasUserInstall);
  return {
    ...(fieldChanges(application.integration_types_config ?? {}, installs).length > 0 && {
      integration_types_config: installs,
    }),
    ...(!description?.trim() && { description: DESCRIPTION }),
    ...(!tags?.length && { tags: TAGS }),
  };
}

/** How writing it changes the application. */
export function applicationChanges(application: Application, form: ApplicationForm): FieldChange[] {
  const before = Object.keys(form).map((name) => [name, application[name as keyof Application]]);
  return fieldChanges(Object.fromEntries(before), form);
}

function wantedInstalls(application: Application, hasUserInstall: boolean): Record<string, InstallConfig> {
  const { integration_types_config: config, bot_public: isPublic, custom_install_url: ownLink } = application;
  // Discord refuses a link of its own for an application that is private, or has one elsewhere.
  const hasLink = isPublic !== false && !ownLink;
  const types = hasUserInstall ? ([0, 1] as const) : ([0] as const);
  return Object.fromEntries(
    types.map((type) => {
      const kept = config?.[type];
      const params = kept?.oauth2_install_params ?? (kept || !hasLink ? undefined : { scopes: [], permissions: '0' });
      if (!params) return [type, kept ?? {}];
      const scopes = [...new Set([...params.scopes, ...SCOPES[type]])];
      return [type, { ...kept, oauth2_install_params: { ...params, scopes } }];
    }),
  );
}
