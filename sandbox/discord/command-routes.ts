import { apiCommand } from './api-command.ts';
import { ApiError } from './api-error.ts';
import type { CommandRegistry, RegisteredCommand } from './command-registry.ts';
import { NO_CONTENT, ok, type RestRequest, type Routes } from './route.ts';
import type { World } from './world.ts';

/** Registration: the same calls for the global commands and for each guild's. */
export function commandRoutes(book: CommandRegistry, world: World): Routes {
  const scopes = ['/applications/:application/commands', '/applications/:application/guilds/:guild/commands'];
  return Object.assign({}, ...scopes.map((path) => scopeRoutes(path, book, world)));
}

function scopeRoutes(path: string, book: CommandRegistry, world: World): Routes {
  const show = (command: RegisteredCommand) => apiCommand(command, world.applicationId);
  const scopeOf = (request: RestRequest) => commandScope(request, world);
  const idOf = ({ params }: RestRequest) => params.command ?? '';

  return {
    [`GET ${path}`]: (request) => {
      const withLocalizations = request.query.get('with_localizations') === 'true';
      return ok(book.list(scopeOf(request)).map((each) => apiCommand(each, world.applicationId, withLocalizations)));
    },
    [`PUT ${path}`]: (request) => ok(book.replace(scopeOf(request), request.json).map(show)),
    [`POST ${path}`]: (request) => {
      const { command, isNew } = book.create(scopeOf(request), request.json);
      return { status: isNew ? 201 : 200, body: show(command) };
    },
    [`GET ${path}/:command`]: (request) => ok(show(book.get(scopeOf(request), idOf(request)))),
    [`PATCH ${path}/:command`]: (request) => ok(show(book.edit(scopeOf(request), idOf(request), request.json))),
    [`DELETE ${path}/:command`]: (request) => {
      book.delete(scopeOf(request), idOf(request));
      return NO_CONTENT;
    },
  };
}

/** The guild in the path; null = the global commands. */
function commandScope({ params }: RestRequest, world: World): string | null {
  if (params.application !== world.applicationId) throw new ApiError('notYourApplication');
  const guildId = params.guild;
  if (guildId === undefined) return null;
  if (!world.guilds.some(({ id }) => id === guildId)) throw new ApiError('missingAccess');
  return guildId;
}
