import { isatty } from 'node:tty';
import { type DestinationStream, type Logger, pino, stdSerializers } from 'pino';
import type { SonicBoom } from 'sonic-boom';

export type { Logger } from 'pino';

export interface LogOptions {
  level: string;
  /** Replaced by `[secret]` wherever they occur, in errors of libraries too. */
  secrets: readonly (string | undefined)[];
  /** Where lines go; standard output unless given, which then waits for whoever reads it. */
  destination?: DestinationStream;
}

/** Interaction tokens in URLs: discord.js includes the request's URL in its errors. */
const INTERACTION_TOKEN = /((?:webhooks|interactions)(?:\/|%2F)\d{15,20}(?:\/|%2F))[\w.~%-]{20,}/gi;
/**
 * Interaction tokens elsewhere: each begins with "interaction:" in base64. Errors of `JSON.parse` quote only a few
 * letters.
 */
const BARE_TOKEN = /aW50ZXJhY3Rpb246[\w.~%=+-]*/g;

/** In a line of JSON: a string or the name of a field, with its quotes. */
const JSON_STRING = /"[^"\\]*(?:\\.[^"\\]*)*"/g;

/** A shorter secret may be part of a word, and is removed only where it is a word. */
export const SHORT_SECRET = 8;
/** Where a word begins: also after a character that JSON or a URL writes with letters. */
const WORD_BEGINS = String.raw`(?:(?<!\w)|(?<=\\(?:[bfnrt]|u[\da-f]{4})|%[\da-fA-F]{2}))`;

/** Who is told of each line of a log. */
const listeners = new WeakMap<Logger, Set<(line: string) => void>>();

/** A pattern that matches nothing. */
const NO_MATCH = '(?!)';

export function createLog({ level, secrets, destination }: LogOptions): Logger {
  const redact = redaction(secrets);
  const heardBy = new Set<(line: string) => void>();
  const streamWrite = (line: string) => {
    // Only strings and names of fields: otherwise a key of digits would be removed from times and status codes.
    // The first comparison is for speed: most lines contain no secret.
    const shown = redact(line) === line ? line : line.replace(JSON_STRING, redact);
    for (const listener of heardBy) listener(shown);
    return shown;
  };
  const formatters = { level: (label: string) => ({ level: label }) };
  const log: Logger = pino(
    { level, base: null, formatters, hooks: { streamWrite }, serializers: { err: serializedError } },
    destination,
  );
  listeners.set(log, heardBy);
  return log;
}

/** Tells `listener` of each line that this log writes, in JSON and without secrets. @returns ends that */
export function hear(log: Logger, listener: (line: string) => void): () => void {
  listeners.get(log)?.add(listener);
  return () => void listeners.get(log)?.delete(listener);
}

/** Replaces secrets in a text: plain, encoded for a URL, in base64; each also within JSON, up to four levels deep. */
export function redaction(secrets: readonly (string | undefined)[]): (text: string) => string {
  const forms = new Set(secrets.filter((secret): secret is string => Boolean(secret)).flatMap(encoded));
  for (let depth = 0; depth < 4; depth++) for (const form of [...forms]) forms.add(inJson(form));
  const longestFirst = [...forms].sort((a, b) => b.length - a.length);
  const known = new RegExp(longestFirst.map(patternOf).join('|') || NO_MATCH, 'g');
  return (text) =>
    text.replace(known, '[secret]').replace(INTERACTION_TOKEN, '$1[token]').replace(BARE_TOKEN, '[token]');
}

function encoded(secret: string): string[] {
  return [secret, encodeURIComponent(secret), encodeURI(secret), Buffer.from(secret).toString('base64')];
}

function patternOf(form: string): string {
  const pattern = RegExp.escape(form);
  if (form.length >= SHORT_SECRET) return pattern;
  return (/^\w/.test(form) ? WORD_BEGINS : '') + pattern + (/\w$/.test(form) ? '(?!\\w)' : '');
}

function inJson(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

/**
 * The log on standard output: lines of JSON, or readable ones on a terminal. It has `write` alone: what pino would call
 * besides after a fatal line waits for whoever reads.
 */
export async function standardOutput(output: SonicBoom): Promise<DestinationStream> {
  if (isatty(1)) return (await import('./log-terminal.ts')).forTerminal(output);
  return { write: (line) => void output.write(line) };
}

/** Tells how many lines are missing once all that waited are written. */
export function reportDropped(output: SonicBoom, log: Logger): void {
  let missing = 0;
  output.on('drop', () => void missing++);
  output.on('drain', () => {
    const dropped = missing;
    missing = 0;
    if (dropped > 0) log.warn({ dropped }, 'log lines were dropped: nobody read standard output');
  });
}

const OF_JAVASCRIPT = /^(Aggregate|Eval|Range|Reference|Syntax|Type|URI|Assertion)?Error$/;
/** Node's own codes are about how it is called, except those of what is outside. */
const MISUSE = /^ERR_(?!SQLITE|TLS|SSL|SOCKET|STREAM)/;

/** An error as the log shows it. What is not our fault has no stack: it would only say where we noticed. */
function serializedError(err: unknown): unknown {
  if (!(err instanceof Error)) return err;
  if (err instanceof DOMException) {
    const { name: type, message, code } = err;
    return { type, message, code }; // without the 25 constants that every DOMException inherits
  }
  const { stack, ...shown } = stdSerializers.err(err);
  return isOurFault(err) ? { ...shown, stack } : shown;
}

/**
 * Whether only a change of the code can help: an error of JavaScript without a code of the system, here or in its
 * cause.
 */
function isOurFault(err: unknown): boolean {
  if (!(err instanceof Error) || !OF_JAVASCRIPT.test(err.name)) return false;
  if ('code' in err && !MISUSE.test(String(err.code))) return false;
  return err.cause === undefined || isOurFault(err.cause);
}

/** An outage that comes and goes is logged once a minute at most, so that it does not fill the log. */
const LOG_EVERY_MS = 60_000;

interface IncidentMessages {
  level: 'warn' | 'error';
  begins: string;
  ends: string;
  /** Called with `false` at each failure, and with `true` at the first success after one. */
  report?: (works: boolean) => void;
}

/** An outage, logged once when it begins, and once when it ends with its duration and number of failures. */
export class Incident {
  readonly #log: Logger;
  readonly #messages: IncidentMessages;
  #loggedAtMs = -Infinity;
  #isLogged = false;
  #isReported = false;
  #failures = 0;

  constructor(log: Logger, messages: IncidentMessages) {
    this.#log = log;
    this.#messages = messages;
  }

  /** To be called for each failure: an outage that began too soon after another is logged later, if it lasts. */
  failed(details: object): void {
    this.#failures++;
    this.#isReported = true;
    this.#messages.report?.(false);
    const sinceMs = Date.now() - this.#loggedAtMs;
    if (this.#isLogged || (sinceMs >= 0 && sinceMs < LOG_EVERY_MS)) return; // negative when the clock was set back
    this.#isLogged = true;
    this.#loggedAtMs = Date.now();
    const { level, begins, ends } = this.#messages;
    this.#log[level]({ ...details, outage: ends }, begins);
  }

  /** Failures of an outage that was not logged count in the next one. */
  succeeded(): void {
    if (this.#isReported) this.#messages.report?.(true);
    this.#isReported = false;
    if (!this.#isLogged) return;
    const { ends: over } = this.#messages;
    this.#log.info({ failures: this.#failures, lastedMs: Date.now() - this.#loggedAtMs, over }, over);
    this.#isLogged = false;
    this.#failures = 0;
  }
}
