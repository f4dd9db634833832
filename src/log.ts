import { type DestinationStream, type Logger, pino } from 'pino';
import pretty from 'pino-pretty';
import { readable } from './log/command-line.ts';
import { serializedError } from './log/serialized-error.ts';

export type { Logger } from 'pino';

export interface LogOptions {
  level: string;
  /** Replaced by `[secret]` wherever they occur, in errors of libraries too. */
  secrets: readonly (string | undefined)[];
  /** Where lines go; standard output by default, pretty when that is a terminal. */
  destination?: DestinationStream;
}

/** Interaction tokens in URLs: discord.js includes the request's URL in its errors. */
const INTERACTION_TOKEN = /((?:webhooks|interactions)(?:\/|%2F)\d{15,20}(?:\/|%2F))[\w.~%-]{20,}/gi;
/** Interaction tokens elsewhere: each begins with "interaction:" in base64. Errors of `JSON.parse` quote only a few letters. */
const BARE_TOKEN = /aW50ZXJhY3Rpb246[\w.~%=+-]*/g;

/** In a line of JSON: a string or the name of a field, with its quotes. */
const JSON_STRING = /"[^"\\]*(?:\\.[^"\\]*)*"/g;

/** Characters of log lines that wait while the disk is full; further lines are dropped. */
const MAX_UNWRITTEN = 1_048_576;

/** A pattern that matches nothing. */
const NO_MATCH = '(?!)';

export function createLog({ level, secrets, destination = standardOutput() }: LogOptions): Logger {
  const redact = redaction(secrets);
  // Only strings and names of fields: otherwise a key of digits would be removed from times and status codes.
  // The first comparison is for speed: most lines contain no secret.
  const streamWrite = (line: string) => (redact(line) === line ? line : line.replace(JSON_STRING, redact));
  const formatters = { level: (label: string) => ({ level: label }) };
  return pino(
    { level, base: null, formatters, hooks: { streamWrite }, serializers: { err: serializedError } },
    destination,
  );
}

/** Replaces secrets in a text: plain, encoded for a URL, in base64; each also within JSON, up to four levels deep. */
export function redaction(secrets: readonly (string | undefined)[]): (text: string) => string {
  const forms = new Set(secrets.filter((secret): secret is string => Boolean(secret)).flatMap(encoded));
  for (let depth = 0; depth < 4; depth++) for (const form of [...forms]) forms.add(inJson(form));
  const longestFirst = [...forms].sort((a, b) => b.length - a.length);
  const known = new RegExp(longestFirst.map((form) => RegExp.escape(form)).join('|') || NO_MATCH, 'g');
  return (text) =>
    text.replace(known, '[secret]').replace(INTERACTION_TOKEN, '$1[token]').replace(BARE_TOKEN, '[token]');
}

function encoded(secret: string): string[] {
  return [secret, encodeURIComponent(secret), encodeURI(secret), Buffer.from(secret).toString('base64')];
}

function inJson(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

function standardOutput(): DestinationStream {
  // In this thread: a worker thread would lose the last lines when the process exits.
  return process.stdout.isTTY ? forTerminal() : forFile(process.stdout.fd);
}

/** Lines that cannot be written, as on a full disk, are kept and retried. @param fd of a file or a pipe */
export function forFile(fd: number): DestinationStream {
  const file = pino.destination({ dest: fd, sync: true, maxLength: MAX_UNWRITTEN });
  file.on('error', () => {}); // without a listener the first error would end the process
  return file;
}

/** One line per event; only an error has lines of its own. That of a command is shorter than in JSON. */
export function forTerminal(destination?: NodeJS.WritableStream): DestinationStream {
  const lines = pretty({ sync: true, singleLine: true, ...(destination && { destination }) });
  return { write: (line) => void lines.write(readable(line)) };
}

/** An outage that comes and goes is logged once a minute at most, so that it does not fill the log. */
const LOG_EVERY_MS = 60_000;

export interface IncidentMessages {
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
  readonly #nowMs: () => number;
  #loggedAtMs = Number.NEGATIVE_INFINITY;
  #isLogged = false;
  #isReported = false;
  #failures = 0;

  constructor(log: Logger, messages: IncidentMessages, nowMs = () => Date.now()) {
    this.#log = log;
    this.#messages = messages;
    this.#nowMs = nowMs;
  }

  /** To be called for each failure: an outage that began too soon after another is logged later, if it lasts. */
  failed(details: object): void {
    this.#failures++;
    this.#isReported = true;
    this.#messages.report?.(false);
    const sinceMs = this.#nowMs() - this.#loggedAtMs;
    if (this.#isLogged || (sinceMs >= 0 && sinceMs < LOG_EVERY_MS)) return; // negative when the clock was set back
    this.#isLogged = true;
    this.#loggedAtMs = this.#nowMs();
    this.#log[this.#messages.level](details, this.#messages.begins);
  }

  /** Failures of an outage that was not logged count in the next one. */
  succeeded(): void {
    if (this.#isReported) this.#messages.report?.(true);
    this.#isReported = false;
    if (!this.#isLogged) return;
    this.#log.info({ failures: this.#failures, lastedMs: this.#nowMs() - this.#loggedAtMs }, this.#messages.ends);
    this.#isLogged = false;
    this.#failures = 0;
  }
}
