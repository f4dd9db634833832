import { type DestinationStream, type Logger, pino } from 'pino';
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

export function createLog({ level, secrets, destination = standardOutput() }: LogOptions): Logger {
  const redact = redaction(secrets);
  return pino({ level, base: null, hooks: { streamWrite: redact } }, destination);
}

/** Takes secrets out of a text. A secret may stand there as it is, encoded for a URL, or within JSON in JSON in JSON. */
export function redaction(secrets: readonly (string | undefined)[]): (text: string) => string {
  const known = secrets.filter((secret): secret is string => Boolean(secret));
  const forms = new Set(
    known.flatMap((secret) => {
      const once = inJson(secret);
      const twice = inJson(once);
      return [secret, once, twice, inJson(twice), encodeURIComponent(secret)];
    }),
  );
  const longestFirst = [...forms].sort((a, b) => b.length - a.length);
  return (text) =>
    longestFirst
      .reduce((clean, secret) => clean.replaceAll(secret, '[secret]'), text)
      .replace(INTERACTION_TOKEN, '$1[token]')
      .replace(BARE_TOKEN, '[token]');
}

function inJson(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

function standardOutput(): DestinationStream {
  // In this thread: a worker would lose the last lines of a process that has to exit.
  return process.stdout.isTTY ? pretty({ sync: true }) : pino.destination({ sync: true });
}
