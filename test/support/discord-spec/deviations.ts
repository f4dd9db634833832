import type * as z from 'zod/mini';

interface Deviation {
  /** Matches the line of a violation. */
  line: RegExp;
  /** Which of these values are meant; default: any. */
  accepts?: (input: unknown) => boolean;
}

/** Where requests, answers or events knowingly differ from the published schemas. */
const DEVIATIONS: readonly Deviation[] = [
  // The documentation and every library have permissions as text; the specification says integer.
  {
    line: /request (?:\d+\.default_member_|\S+\.oauth2_install_params\.)permissions: /,
    accepts: (input) => typeof input === 'string' && /^\d+$/.test(input),
  },
  // The documentation and every library have text as the description of an application; the specification has an object.
  { line: /^PATCH \/applications\/@me request description: /, accepts: (input) => typeof input === 'string' },
  // zod's check takes no offset; RFC 3339, which the specification names, and Discord's answers have one.
  {
    line: /: invalid_format /,
    accepts: (input) => typeof input === 'string' && /\d[+-]\d\d:\d\d$/.test(input) && !Number.isNaN(Date.parse(input)),
  },
  // The documentation and Discord itself have text as the codes of single fields; the specification says number.
  { line: /^\S+ \S+ 4\d\d errors\.(?:.+\.)?_errors\.\d+\.code: /, accepts: (input) => typeof input === 'string' },
  // The documentation has this field of a command; the specification lacks it in requests.
  { line: /commands request \d+: unknown nsfw$/ },
  // topics/rate-limits documents a body of its own for a 429; the specification has that of any other error.
  { line: / 429 (?:code: invalid_type undefined|: unknown retry_after,global)$/ },
  // The specification requires an id of a picture or file of a component, which the documentation does not have.
  { line: / (?:\S+\.)?(?:media|file)\.id: invalid_type undefined$/ },
  // discord.js says in every message that it has neither; the bot's own messages do not.
  {
    line: /(?:callback request data|request ): unknown (?:tts|enforce_nonce|tts,enforce_nonce)$/,
    accepts: (input) => Object.entries(input as object).every(([key, value]) => !UNUSED.has(key) || value === false),
  },
  // discord.js sends all that it knows of an attachment which a message keeps.
  { line: /request attachments\.\d+: unknown attachment,name,size,url,proxyURL,/ },
];

const UNUSED: ReadonlySet<string> = new Set(['tts', 'enforce_nonce']);

export function isKnownDeviation(line: string, { input }: z.core.$ZodIssue): boolean {
  return DEVIATIONS.some((deviation) => deviation.line.test(line) && (deviation.accepts?.(input) ?? true));
}
