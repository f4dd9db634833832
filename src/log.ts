import { type DestinationStream, type Logger, pino, stdSerializers } from 'pino';
import pretty from 'pino-pretty';

export type { Logger } from 'pino';

export interface LogOptions {
  level: string;
  /** Written as `[secret]` wherever they turn up, in errors of libraries too. */
  secrets: readonly (string | undefined)[];
  /** Where lines go; standard output by default, pretty when that is a terminal. */
  destination?: DestinationStream;
}

/** discord.js puts request addresses into its errors, and these hold interaction tokens. */
const INTERACTION_TOKEN = /((?:webhooks|interactions)(?:\/|%2F)\d{15,20}(?:\/|%2F))[\w.~%-]{20,}/gi;
/** Wherever else: each begins with "interaction:" in base64. An error of `JSON.parse` quotes a few letters only. */
const BARE_TOKEN = /aW50ZXJhY3Rpb246[\w.~%=+-]*/g;

/** Within a line of JSON: a text or the name of a field, with its quotes. */
const JSON_STRING = /"[^"\\]*(?:\\.[^"\\]*)*"/g;

/** Characters of log lines that wait for a disk with room; further lines are lost. */
const MOST_UNWRITTEN = 1_048_576;

/** Matches no text. */
const NOTHING = '(?!)';

export function createLog({ level, secrets, destination = standardOutput() }: LogOptions): Logger {
  const redact = redaction(secrets);
  // Only texts and names: a key of digits would else be taken out of times and status codes. Most lines hold no secret.
  const streamWrite = (line: string) => (redact(line) === line ? line : line.replace(JSON_STRING, redact));
  return pino({ level, base: null, hooks: { streamWrite }, serializers: { err: readable } }, destination);
}

/** Without the 25 constants that every DOMException inherits, such as that of a timeout. */
function readable(err: unknown): unknown {
  if (!(err instanceof DOMException)) return err instanceof Error ? stdSerializers.err(err) : err;
  const { name: type, message, stack, code } = err;
  return { type, message, stack, code };
}

/** Takes secrets out of a text: as they are, encoded for a URL or in base64, each also within JSON four deep. */
export function redaction(secrets: readonly (string | undefined)[]): (text: string) => string {
  const forms = new Set(secrets.filter((secret): secret is string => Boolean(secret)).flatMap(encoded));
  for (let depth = 0; depth < 4; depth++) for (const form of [...forms]) forms.add(inJson(form));
  const longestFirst = [...forms].sort((a, b) => b.length - a.length);
  const known = new RegExp(longestFirst.map((form) => RegExp.escape(form)).join('|') || NOTHING, 'g');
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
  // In this thread: a worker would lose the last lines of a process that has to exit.
  return process.stdout.isTTY ? forTerminal() : forFile(process.stdout.fd);
}

/** Lines that cannot be written, as on a full disk, wait until they can. @param fd of a file or a pipe */
export function forFile(fd: number): DestinationStream {
  const file = pino.destination({ dest: fd, sync: true, maxLength: MOST_UNWRITTEN });
  file.on('error', () => {}); // else the first of them ends the process, and there is nowhere to say so
  return file;
}

/** One line for an event, as in JSON; only an error's stack has lines of its own. */
export function forTerminal(destination?: NodeJS.WritableStream): DestinationStream {
  return pretty({ sync: true, singleLine: true, ...(destination && { destination }) });
}

/** Of a trouble that comes and goes, one episode in a minute is said; else it would fill the log. */
const AGAIN_AFTER_MS = 60_000;

export interface IncidentMessages {
  level: 'warn' | 'error';
  begins: string;
  ends: string;
}

/** A trouble that lasts: said once when it begins, and once when it ends, with how often it was met. */
export class Incident {
  readonly #log: Logger;
  readonly #words: IncidentMessages;
  readonly #nowMs: () => number;
  #saidAtMs = Number.NEGATIVE_INFINITY;
  #isSaid = false;
  #failures = 0;

  constructor(log: Logger, words: IncidentMessages, nowMs = () => Date.now()) {
    this.#log = log;
    this.#words = words;
    this.#nowMs = nowMs;
  }

  /** To be told each time: an episode that began too soon after another is said after all when it lasts. */
  failed(details: object): void {
    this.#failures++;
    const sinceMs = this.#nowMs() - this.#saidAtMs;
    if (this.#isSaid || (sinceMs >= 0 && sinceMs < AGAIN_AFTER_MS)) return; // less than nothing: the clock was set
    this.#isSaid = true;
    this.#saidAtMs = this.#nowMs();
    this.#log[this.#words.level](details, this.#words.begins);
  }

  /** Of an episode that was not said, the failures count in the next one. */
  succeeded(): void {
    if (!this.#isSaid) return;
    this.#log.info({ failures: this.#failures, lastedMs: this.#nowMs() - this.#saidAtMs }, this.#words.ends);
    this.#isSaid = false;
    this.#failures = 0;
  }
}
