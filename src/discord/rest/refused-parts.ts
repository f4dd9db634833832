import { DiscordAPIError, RESTJSONErrorCodes } from 'discord.js';
import type { Message } from '../../model/message.ts';

/** What a message can do without, in a path that Discord names: as little as will do. */
const PART =
  /^(?:data\.)?(content|attachments|embeds\.\d+(?:\.\w+)?|components\.\d+(?:\.components\.\d+(?:\.options\.\d+|\.emoji)?)?)(?:\.|$)/;

type Tree = { [key: string]: Tree };

/**
 * The message without what Discord's error names in it, so that one bad part does not lose the others. Without pictures and
 * files, if it names a file or nothing. A row or a menu that is empty then is named by the next refusal.
 *
 * @returns `undefined` when that changes nothing, or leaves nothing
 */
export function withoutRefused(message: Message, err: unknown): Message | undefined {
  if (!(err instanceof DiscordAPIError)) return undefined;
  const isTooLarge = err.code === RESTJSONErrorCodes.RequestEntityTooLarge;
  if (!isTooLarge && err.code !== RESTJSONErrorCodes.InvalidFormBodyOrContentType) return undefined;
  const { errors = {} } = err.rawError as { errors?: Tree };
  const named = pathsIn(errors).flatMap((path) => PART.exec(path)?.[1] ?? []);
  const pictures = (message.embeds ?? []).flatMap((_, at) => [`embeds.${at}.image`, `embeds.${at}.thumbnail`]);
  const isOfFiles = named.length === 0 || named.includes('attachments');
  const left = structuredClone(message);
  const lastFirst = [...new Set(isOfFiles ? [...named, ...pictures, 'files'] : named)].sort((a, b) =>
    b.localeCompare(a, 'en', { numeric: true }),
  );
  const isChanged = lastFirst.map((path) => remove(left, path.split('.'))).includes(true);
  return isChanged && (left.content || left.embeds?.length) ? left : undefined;
}

/** The paths in a tree of Discord's errors (https://docs.discord.com/developers/reference#error-messages). */
function pathsIn(tree: Tree, path = ''): string[] {
  return Object.entries(tree).flatMap(([key, below]) =>
    key === '_errors' ? path : pathsIn(below, path === '' ? key : `${path}.${key}`),
  );
}

/** @returns whether it was there */
function remove(root: object, path: readonly string[]): boolean {
  const last = path.at(-1) ?? '';
  const parent = path.slice(0, -1).reduce((node: Tree | undefined, key) => node?.[key], root as Tree);
  if (parent?.[last] === undefined) return false;
  return Array.isArray(parent) ? parent.splice(Number(last), 1).length > 0 : delete parent[last];
}
