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

type Answer = (request: RestRequest) => RestAnswer | Promise<RestAnswer>;

/** The calls by method and path below `/api/v10`, such as `POST /webhooks/:application/:token`. */
export type Routes = Readonly<Record<string, Answer>>;

interface Route {
  method: string;
  path: string;
  answer: Answer;
  pattern: RegExp;
  /** Identifies its rate limit. */
  bucket: string;
  /** Interaction calls carry their own token in the path. */
  needsBotToken: boolean;
}

export function ok(body: unknown): RestAnswer {
  return { status: 200, body };
}

export const NO_CONTENT: RestAnswer = { status: 204, body: undefined };

/** @returns finds the route of a request. @throws ApiError 404, or 405 when the path exists with other methods only */
export function routeFinder(routes: Routes) {
  const all = Object.entries(routes).map(([name, answer]): Route => {
    const [method = '', path = ''] = name.split(' ');
    const pattern = new RegExp(`^${path.replaceAll(/:(\w+)/g, '(?<$1>[^/]+)')}$`);
    const bucket = createHash('md5').update(name).digest('hex');
    return { method, path, answer, pattern, bucket, needsBotToken: !path.includes(':token') };
  });
  return (method: string, path: string) => {
    const known = all.filter(({ pattern }) => pattern.test(path));
    const route = known.find((each) => each.method === method);
    if (!route) throw new ApiError(known.length > 0 ? 'methodNotAllowed' : 'notFound');
    return { route, params: decoded(route.pattern.exec(path)?.groups ?? {}) };
  };
}

function decoded(segments: Record<string, string>): Record<string, string> {
  try {
    return Object.fromEntries(Object.entries(segments).map(([name, value]) => [name, decodeURIComponent(value)]));
  } catch {
    throw new ApiError('notFound');
  }
}
