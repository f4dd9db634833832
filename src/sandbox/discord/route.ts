import { createHash } from 'node:crypto';

import { ApiError } from './api-error.ts';
import type { RequestBody } from './request-body.ts';

export interface RestRequest extends RequestBody {
  params: Readonly<Record<string, string>>;
  query: URLSearchParams;
}

/** `body: undefined` = no content. */
export interface RestAnswer {
  status: number;
  body: unknown;
  headers?: Record<string, string>;
}

export interface Route {
  method: string;
  /** Below `/api/v10`, such as `/webhooks/:application/:token`. */
  path: string;
  /** Whether the call needs the bot token. Interaction calls carry their own token in the path. */
  needsBotToken: boolean;
  answer(request: RestRequest): RestAnswer | Promise<RestAnswer>;
}

export function ok(body: unknown): RestAnswer {
  return { status: 200, body };
}

export const NO_CONTENT: RestAnswer = { status: 204, body: undefined };

export interface MatchedRoute {
  route: Route;
  params: Record<string, string>;
  /** Identifies the rate limit of the route. */
  bucket: string;
}

/** Finds the route of a request. */
export class RouteTable {
  readonly #routes: readonly { route: Route; pattern: RegExp; bucket: string }[];

  constructor(routes: readonly Route[]) {
    this.#routes = routes.map((route) => ({
      route,
      pattern: new RegExp(`^${route.path.replaceAll(/:(\w+)/g, '(?<$1>[^/]+)')}$`),
      bucket: createHash('md5').update(`${route.method} ${route.path}`).digest('hex'),
    }));
  }

  /** @throws ApiError 404, or 405 when the path exists with other methods only. */
  match(method: string, path: string): MatchedRoute {
    let isKnown = false;
    for (const { route, pattern, bucket } of this.#routes) {
      const found = pattern.exec(path);
      if (!found) continue;
      if (route.method === method) return { route, bucket, params: decoded(found.groups ?? {}) };
      isKnown = true;
    }
    throw new ApiError(isKnown ? 'methodNotAllowed' : 'notFound');
  }
}

function decoded(segments: Record<string, string>): Record<string, string> {
  try {
    return Object.fromEntries(Object.entries(segments).map(([name, value]) => [name, decodeURIComponent(value)]));
  } catch {
    throw new ApiError('notFound');
  }
}
