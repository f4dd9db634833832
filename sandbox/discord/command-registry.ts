import { ApplicationCommandType as CommandType } from 'discord-api-types/v10';

import { apiCommand, type RegisteredCommand } from './api-command.ts';
import { ApiError } from './api-error.ts';
import { type CommandForm, readCommand } from './command-rules.ts';
import { mistake } from './forms.ts';
import { ok, type RestRequest, type Routes } from './route.ts';
import type { World } from './world.ts';

const MOST_CHAT_COMMANDS = 100; // per scope; interactions/application-commands, "Registering a Command"
const MOST_MENU_COMMANDS = 15;

/** All registered commands, by scope. A name keeps its id when it is registered again. */
export class CommandRegistry {
  readonly #scopes = new Map<string | null, RegisteredCommand[]>();
  readonly #nextId: () => string;

  constructor(nextId: () => string) {
    this.#nextId = nextId;
  }

  list(guildId: string | null): readonly RegisteredCommand[] {
    return this.#scopes.get(guildId) ?? [];
  }

  /** Replaces all commands of the scope, or none when one of them is invalid. */
  replace(guildId: string | null, body: unknown): readonly RegisteredCommand[] {
    if (!Array.isArray(body)) throw mistake([], 'LIST_TYPE_CONVERT', 'Only iterables may be used in a ListType');
    const forms = body.map((each, index) => readCommand(each, [index]));
    refuseSameNames(forms);
    refuseTooMany(forms);
    const commands = forms.map((form) => this.#kept(guildId, form));
    this.#scopes.set(guildId, commands);
    return commands;
  }

  #kept(guildId: string | null, form: CommandForm): RegisteredCommand {
    const before = this.list(guildId).find((each) => each.form.name === form.name && each.form.type === form.type);
    if (before && JSON.stringify(before.form) === JSON.stringify(form)) return before;
    return { id: before?.id ?? this.#nextId(), version: this.#nextId(), guildId, form };
  }
}

/** Registration: the same calls for the global commands and for each guild's. */
export function commandRoutes(registry: CommandRegistry, world: World): Routes {
  const scopes = ['/applications/:application/commands', '/applications/:application/guilds/:guild/commands'];
  return Object.assign({}, ...scopes.map((path) => scopeRoutes(path, registry, world)));
}

function scopeRoutes(path: string, registry: CommandRegistry, world: World): Routes {
  const shown = (commands: readonly RegisteredCommand[], withLocalizations: boolean) =>
    ok(commands.map((each) => apiCommand(each, world.applicationId, withLocalizations)));
  return {
    [`GET ${path}`]: (request) =>
      shown(registry.list(scopeOf(request, world)), request.query.get('with_localizations') === 'true'),
    [`PUT ${path}`]: (request) => shown(registry.replace(scopeOf(request, world), request.json), true),
  };
}

/** The guild in the path; null = the global commands. */
function scopeOf({ params }: RestRequest, world: World): string | null {
  if (params.application !== world.applicationId) throw new ApiError('notYourApplication');
  const guildId = params.guild;
  if (guildId === undefined) return null;
  if (!world.guilds.some(({ id }) => id === guildId)) throw new ApiError('missingAccess');
  return guildId;
}

function refuseSameNames(forms: readonly CommandForm[]): void {
  const seen = new Set<string>();
  for (const [index, { type, name }] of forms.entries()) {
    if (seen.has(`${type} ${name}`)) {
      const words = 'Application command names must be unique';
      throw mistake([index, 'name'], 'APPLICATION_COMMANDS_DUPLICATE_NAME', words);
    }
    seen.add(`${type} ${name}`);
  }
}

/** interactions/application-commands, "Registering a Command" */
function refuseTooMany(forms: readonly CommandForm[]): void {
  const count = (type: CommandType) => forms.filter((form) => form.type === type).length;
  if (count(CommandType.ChatInput) > MOST_CHAT_COMMANDS) throw new ApiError('tooManyChatCommands');
  const mostOfAMenu = Math.max(count(CommandType.User), count(CommandType.Message));
  if (mostOfAMenu > MOST_MENU_COMMANDS) throw new ApiError('tooManyMenuCommands');
}
