import { ServiceDown, UnexpectedAnswer } from '../model/errors.ts';
import { type RequestOptions, request, type ServiceResponse } from '../service/request.ts';

/** Somebody waits at a terminal. */
const RUN_TIMEOUT_MS = 30_000;

/** What the requests of one run have together. */
export class RunDeadline {
  #atMs = performance.now() + RUN_TIMEOUT_MS;

  restart(): void {
    this.#atMs = performance.now() + RUN_TIMEOUT_MS;
  }

  /** What is left of it for one request, which may take so long at most. */
  leftMs(atMostMs: number): number {
    return Math.max(0, Math.ceil(Math.min(atMostMs, this.#atMs - performance.now())));
  }
}

/** Why a request has no answer that can be read. */
export interface NoAnswer {
  /** A whole clause, with what was asked. */
  failure: string;
  /** The code of the connection error, else words. */
  reason: string;
  /** `answered`: what came cannot be read. `silent`: nothing came in time. `unreached`: the connection failed. */
  kind: 'answered' | 'silent' | 'unreached';
}

export function isAnswer(inspected: ServiceResponse | NoAnswer): inspected is ServiceResponse {
  return 'status' in inspected;
}

/** Sends one request, and takes every status for an answer. @param json sent as the body of a POST */
export async function inspect(
  url: URL,
  options: Omit<RequestOptions, 'limiter'>,
  json?: object,
): Promise<ServiceResponse | NoAnswer> {
  try {
    return await request(url, { ...options, limiter: { observe() {} } }, { json });
  } catch (error) {
    const failure = error instanceof Error ? error.message : String(error);
    if (error instanceof UnexpectedAnswer) return { failure, reason: error.detail, kind: 'answered' };
    if (!(error instanceof ServiceDown)) throw error;
    const code = networkCode(error.cause);
    return { failure, reason: code ?? error.reason, kind: code === undefined ? 'silent' : 'unreached' };
  }
}

/** Codes of the system, of undici and of OpenSSL; Node's own `ERR_…` are bugs, not connection errors. */
const NETWORK_CODE = /^(E(?!RR_)[A-Z]|UND_ERR_|CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|ERR_(TLS|SSL)_)/;

/** The code of a connection error, anywhere in the chain of causes. */
export function networkCode(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  if (error.name === 'TimeoutError') return 'no answer in time';
  if ('code' in error && typeof error.code === 'string' && NETWORK_CODE.test(error.code)) return error.code;
  return networkCode(error.cause);
}
