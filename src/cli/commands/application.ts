import { type FieldChange, fieldChanges } from './command-diff.ts';
import type { Application } from './registration.ts';

/** Where one kind of install is allowed, and what its link in the bot's profile asks for. */
type InstallConfig = NonNullable<Application['integration_types_config']>[string];

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
