import { gzipSync } from 'node:zlib';
import type { Break, Outcome } from '../transport.ts';
import type { ReceivedRequest } from './rules.ts';

/** An answer that a test dictates. Rate limit headers and a JSON content type are added unless overridden. */
export interface DictatedAnswer {
  /** Default 200. */
  status?: number;
  /** `undefined` removes a header. */
  headers?: Record<string, string | undefined>;
  /** Strings and bytes are sent as they are, other values as JSON. */
  body?: unknown;
  /** Compresses the body and sets `content-encoding`. */
  gzip?: boolean;
  /** In addition to the latency switch. */
  delayMs?: number;
  fault?: Break;
  /** Only for requests whose path (with query, still encoded) contains or matches this. */
  path?: string | RegExp;
  /** For how many requests. Default 1. */
  times?: number;
  /** Whether the request counts against bucket and day. Default: no. */
  counted?: boolean;
}

/** A function is called for every request until it returns an answer; `undefined` passes the request on. */
export type ScriptedAnswer =
  | DictatedAnswer
  | (((request: ReceivedRequest) => DictatedAnswer | undefined) & { times?: never });

/** What a scripted answer dictates for a request; `undefined`: it is for others. */
export function dictatedFor(answer: ScriptedAnswer, request: ReceivedRequest): DictatedAnswer | undefined {
  if (typeof answer === 'function') return answer(request);
  if (answer.path === undefined) return answer;
  const matches = typeof answer.path === 'string' ? request.path.includes(answer.path) : answer.path.test(request.path);
  return matches ? answer : undefined;
}

/** The response for a dictated answer; `common` are the headers of every response. */
export function scriptedAnswer(dictated: DictatedAnswer, common: Record<string, string>): Outcome {
  const { status = 200, body = '', gzip = false, fault } = dictated;
  const raw = typeof body === 'string' || body instanceof Uint8Array;
  const plain = raw ? body : JSON.stringify(body);
  const headers: Record<string, string> = {
    ...common,
    'content-type': 'application/json; charset=utf-8',
    ...(gzip && { 'content-encoding': 'gzip' }),
  };
  for (const [name, value] of Object.entries(dictated.headers ?? {})) {
    if (value === undefined) delete headers[name.toLowerCase()];
    else headers[name.toLowerCase()] = value;
  }
  const isBroken = fault !== undefined && fault !== 'stall';
  return { status: isBroken ? 0 : status, headers, body: gzip ? gzipSync(plain) : plain, ...(fault && { fault }) };
}
