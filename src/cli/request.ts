/** Codes of the system, of undici and of OpenSSL; Node's own `ERR_…` are bugs, not connection errors. */
const NETWORK_CODE = /^(E(?!RR_)[A-Z]|UND_ERR_|CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|ERR_(TLS|SSL)_)/;

/** The code of a connection error, anywhere in the chain of causes. */
export function networkCode(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  if (error.name === 'TimeoutError') return 'no answer in time';
  if ('code' in error && typeof error.code === 'string' && NETWORK_CODE.test(error.code)) return error.code;
  return networkCode(error.cause);
}
