import { type APIApplicationCommand, InteractionContextType as Context } from 'discord-api-types/v10';

import { ApiError } from './api-error.ts';
import { type CommandForm, readCommand } from './command-rules.ts';
import { mistake } from './forms.ts';
import { ok, type RestRequest, type Routes } from './rest.ts';
import { ownersOf, type Place, type World } from './world.ts';

/** All registered commands, by scope. A name keeps its id when it is registered again. */
export class CommandRegistry {
  readonly #world: World;
  readonly #nextId: () => string;
  readonly #scopes = new Map<string | null, readonly APIApplicationCommand[]>();

  constructor(world: World, nextId: () => string) {
    this.#world = world;
    this.#nextId = nextId;
  }

  /** Those that a member can use at a place: global ones and the guild's, so a name may occur twice. */
  visibleAt(place: Place): APIApplicationCommand[] {
    const scopes = place.guildId === null ? [null] : [null, place.guildId];
    return scopes.flatMap((scope) => this.#list(scope)).filter((command) => isVisible(command, place));
  }

  /** Registration: the same calls for the global commands and for each guild's. */
  routes(): Routes {
    const scopes = ['/applications/:application/commands', '/applications/:application/guilds/:guild/commands'];
    const shown: Routes[string] = (request) => {
      const commands = this.#list(scopeOf(request, this.#world));
      return ok(request.query.get('with_localizations') === 'true' ? commands : commands.map(withoutTranslations));
    };
    // All commands of the scope, or none when one of them is invalid
    const replaced: Routes[string] = (request) => {
      const scope = scopeOf(request, this.#world);
      const body = request.json;
      if (!Array.isArray(body)) throw mistake([], 'LIST_TYPE_CONVERT');
      const forms = body.map((each, index) => readCommand(each, [index]));
      const names = forms.map(({ type, name }) => `${type} ${name}`);
      const again = names.findIndex((each, index) => names.indexOf(each) < index);
      if (again !== -1) throw mistake([again, 'name'], 'APPLICATION_COMMANDS_DUPLICATE_NAME');
      const commands = forms.map((form) => this.#kept(scope, form));
      this.#scopes.set(scope, commands);
      return ok(commands);
    };
    return Object.assign({}, ...scopes.map((path) => ({ [`GET ${path}`]: shown, [`PUT ${path}`]: replaced })));
  }

  #list(guildId: string | null): readonly APIApplicationCommand[] {
    return this.#scopes.get(guildId) ?? [];
  }

  /** The version changes with the content alone. */
  #kept(guildId: string | null, form: CommandForm): APIApplicationCommand {
    const before = this.#list(guildId).find(({ name, type }) => name === form.name && type === form.type);
    const { options, dm_permission, contexts, integration_types, ...fields } = form;
    const command = {
      ...fields,
      id: before?.id ?? this.#nextId(),
      application_id: this.#world.applicationId,
      version: before?.version ?? '',
      // Returned for global commands only
      ...(guildId === null
        ? { dm_permission: contexts?.includes(Context.BotDM) ?? dm_permission, contexts, integration_types }
        : { guild_id: guildId }),
      ...(options.length > 0 && { options }),
    } as APIApplicationCommand;
    return JSON.stringify(before) === JSON.stringify(command) ? command : { ...command, version: this.#nextId() };
  }
}

/** The guild in the path; null = the global commands. */
function scopeOf({ params: { application, guild } }: RestRequest, world: World): string | null {
  if (application !== world.applicationId) throw new ApiError('notYourApplication');
  if (guild === undefined) return null;
  if (!world.guilds.some(({ id }) => id === guild)) throw new ApiError('missingAccess');
  return guild;
}

/** Translations are omitted unless they are asked for. */
function withoutTranslations({ options, ...command }: APIApplicationCommand): object {
  const kept = (part: object) =>
    Object.fromEntries(Object.entries(part).filter(([key]) => !key.endsWith('_localizations')));
  return { ...kept(command), ...(options && { options: options.map(kept) }) };
}

/** Whether a member can use a command at a place that it is registered for. Permissions apply only in guilds. */
function isVisible(command: APIApplicationCommand, place: Place): boolean {
  const { guild_id, integration_types = [], contexts, default_member_permissions } = command;
  if (guild_id === undefined) {
    // In direct messages also commands are shown that fail when they are used; discord-api-docs#6699
    const isInstalled = Object.keys(ownersOf(integration_types, place)).length > 0;
    if (!isInstalled && place.context !== Context.BotDM) return false;
    if (contexts && !contexts.includes(place.context)) return false;
  }
  return place.guildId === null || isAllowed(default_member_permissions, place.permissions);
}

/** "0" is for administrators only; interactions/application-commands, "Permissions". */
function isAllowed(required: string | null, permissions: bigint): boolean {
  if (required === null) return true;
  const bits = BigInt(required);
  return bits !== 0n && (permissions & bits) === bits;
}
