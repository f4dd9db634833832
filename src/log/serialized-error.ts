import { stdSerializers } from 'pino';

const OF_JAVASCRIPT = /^(Aggregate|Eval|Range|Reference|Syntax|Type|URI|Assertion)?Error$/;
/** Node's own codes are about how it is called, except those of what is outside. */
const MISUSE = /^ERR_(?!SQLITE|TLS|SSL|SOCKET|STREAM)/;

/** An error as the log shows it. What is not our fault has no stack: it would only say where we noticed. */
export function serializedError(err: unknown): unknown {
  if (!(err instanceof Error)) return err;
  if (err instanceof DOMException) {
    const { name: type, message, code } = err;
    return { type, message, code }; // without the 25 constants that every DOMException inherits
  }
  const { stack, ...shown } = stdSerializers.err(err);
  return isOurFault(err) ? { ...shown, stack } : shown;
}

/** Whether only a change of the code can help: an error of JavaScript without a code of the system, here or in its cause. */
export function isOurFault(err: unknown): boolean {
  if (!(err instanceof Error) || !OF_JAVASCRIPT.test(err.name)) return false;
  if ('code' in err && !MISUSE.test(String(err.code))) return false;
  return err.cause === undefined || isOurFault(err.cause);
}
