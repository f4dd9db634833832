import { type APIApplicationCommand, InteractionContextType as Context } from 'discord-api-types/v10';

import { ApiError } from './api-error.ts';
import { type CommandForm, readCommand } from './command-rules.ts';
import { mistake } from './forms.ts';
import { ok, type RestRequest, type Routes } from './rest.ts';
import { ownersOf, type Place, type World } from './world.ts';

/** A registered command. */
interface RegisteredCommand {
  id: string;
  /** Changes with every change of the content. */
  version: string;
  /** `null` = a global one. */
  guildId: string | null;
  form: CommandForm;
}

/** All registered commands, by scope. A name keeps its id when it is registered again. */
export class CommandRegistry {
  readonly #world: World;
  readonly #nextId: () => string;
  readonly #scopes = new Map<string | null, readonly RegisteredCommand[]>();

  constructor(world: World, nextId: () => string) {
    this.#world = world;
    this.#nextId = nextId;
  }

  /** Those that a member can use at a place: global ones and the guild's, so a name may occur twice. */
  visibleAt(place: Place): APIApplicationCommand[] {
    const scopes = place.guildId === null ? [null] : [null, place.guildId];
    const commands = scopes.flatMap((scope) => this.#list(scope)).filter((command) => isVisible(command, place));
    return commands.map((command) => apiCommand(command, this.#world.applicationId, true));
  }

  /** Registration: the same calls for the global commands and for each guild's. */
  routes(): Routes {
    const scopes = ['/applications/:application/commands', '/applications/:application/guilds/:guild/commands'];
    return Object.assign({}, ...scopes.map((path) => this.#routesAt(path)));
  }

  #routesAt(path: string): Routes {
    const shown = (scope: string | null, withLocalizations: boolean) =>
      ok(this.#list(scope).map((each) => apiCommand(each, this.#world.applicationId, withLocalizations)));
    return {
      [`GET ${path}`]: (request) =>
        shown(scopeOf(request, this.#world), request.query.get('with_localizations') === 'true'),
      [`PUT ${path}`]: (request) => {
        const scope = scopeOf(request, this.#world);
        this.#replace(scope, request.json);
        return shown(scope, true);
      },
    };
  }

  #list(guildId: string | null): readonly RegisteredCommand[] {
    return this.#scopes.get(guildId) ?? [];
  }

  /** Replaces all commands of the scope, or none when one of them is invalid. */
  #replace(guildId: string | null, body: unknown): void {
    if (!Array.isArray(body)) throw mistake([], 'LIST_TYPE_CONVERT', 'Only iterables may be used in a ListType');
    const forms = body.map((each, index) => readCommand(each, [index]));
    refuseSameNames(forms);
    this.#scopes.set(
      guildId,
      forms.map((form) => this.#kept(guildId, form)),
    );
  }

  #kept(guildId: string | null, form: CommandForm): RegisteredCommand {
    const before = this.#list(guildId).find((each) => each.form.name === form.name && each.form.type === form.type);
    if (before && JSON.stringify(before.form) === JSON.stringify(form)) return before;
    return { id: before?.id ?? this.#nextId(), version: this.#nextId(), guildId, form };
  }
}

/** The guild in the path; null = the global commands. */
function scopeOf({ params: { application, guild } }: RestRequest, world: World): string | null {
  if (application !== world.applicationId) throw new ApiError('notYourApplication');
  if (guild === undefined) return null;
  if (!world.guilds.some(({ id }) => id === guild)) throw new ApiError('missingAccess');
  return guild;
}

function refuseSameNames(forms: readonly CommandForm[]): void {
  const seen = forms.map(({ type, name }) => `${type} ${name}`);
  const again = seen.findIndex((each, index) => seen.indexOf(each) < index);
  if (again === -1) return;
  throw mistake([again, 'name'], 'APPLICATION_COMMANDS_DUPLICATE_NAME', 'Application command names must be unique');
}

/**
 * A command as Discord returns it. Translations are omitted unless requested (`with_localizations`); contexts and
 * integration types are returned for global commands only.
 */
function apiCommand(
  { id, version, guildId, form }: RegisteredCommand,
  applicationId: string,
  withLocalizations: boolean,
) {
  const { options, contexts, integration_types, ...fields } = form;
  const shown = withLocalizations ? (part: object) => part : withoutTranslations;
  const command = {
    ...shown(fields),
    id,
    application_id: applicationId,
    version,
    ...(guildId === null
      ? { dm_permission: contexts?.includes(Context.BotDM) ?? true, contexts, integration_types }
      : { guild_id: guildId }),
    ...(options.length > 0 && { options: options.map(shown) }),
  };
  return command as APIApplicationCommand;
}

function withoutTranslations(part: object): object {
  return Object.fromEntries(Object.entries(part).filter(([key]) => !key.endsWith('_localizations')));
}

/** Whether a member can use a command at a place that it is registered for. Permissions apply only in guilds. */
function isVisible({ guildId, form }: RegisteredCommand, place: Place): boolean {
  if (guildId === null) {
    // In direct messages also commands are shown that fail when they are used; discord-api-docs#6699
    const isInstalled = Object.keys(ownersOf(form.integration_types, place)).length > 0;
    if (!isInstalled && place.context !== Context.BotDM) return false;
    if (form.contexts && !form.contexts.includes(place.context)) return false;
  }
  return place.guildId === null || isAllowed(form.default_member_permissions, place.permissions);
}

/** "0" is for administrators only; interactions/application-commands, "Permissions". */
function isAllowed(required: string | null, permissions: bigint): boolean {
  if (required === null) return true;
  const bits = BigInt(required);
  return bits !== 0n && (permissions & bits) === bits;
}
