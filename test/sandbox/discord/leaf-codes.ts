import { ApiError, type ErrorTree } from '../../../sandbox/discord/api-error.ts';

/** The errors of a 50035 as `path: CODE`; `['ok']` when there are none. */
export function leafCodes(check: () => unknown): string[] {
  try {
    check();
    return ['ok'];
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 50_035) throw error;
    return flat(error.errors ?? {}, '');
  }
}

function flat(tree: ErrorTree, path: string): string[] {
  return Object.entries(tree).flatMap(([key, value]) =>
    Array.isArray(value) ? value.map(({ code }) => `${path}: ${code}`) : flat(value, path ? `${path}.${key}` : key),
  );
}
