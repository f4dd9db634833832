import { z } from 'zod';
import { Path, Source, Template } from './field-source.ts';
import { WINDOWS } from './quota.ts';

const TYPE_NAMES: Readonly<Record<string, string>> = {
  undefined: 'nothing',
  string: 'a text',
  number: 'a number',
  boolean: 'true or false',
};

/** What a wrong value should be, and the type that was found; never the value, which may be a secret. */
function expecting(what: string) {
  const error = ({ input, code }: z.core.$ZodRawIssue) =>
    code === 'unrecognized_keys' ? undefined : `expected ${what}, found ${typeName(input)}`;
  return { error };
}

function typeName(value: unknown): string {
  if (value === null) return 'null';
  return TYPE_NAMES[typeof value] ?? (Array.isArray(value) ? 'a list' : 'an object');
}

const text = z.string(expecting('a text')).min(1, 'expected a text, found an empty one');
const flag = z.boolean(expecting('true or false'));
const positive = z.number(expecting('a number')).positive('expected a number above 0, found a lower one');
const whole = z.int(expecting('a whole number')).positive('expected a number above 0, found a lower one');
const matching = (pattern: RegExp, what: string) => text.regex(pattern, `expected ${what}, found another text`);
const list = <T extends z.ZodType>(of: T) => z.array(of, expecting('a list'));
const object = <T extends z.ZodRawShape>(shape: T) => z.strictObject(shape, expecting('an object'));
const byName = <T extends z.ZodType>(of: T) => z.record(z.string(), of, expecting('an object'));

/** What `make` makes of a text; a SyntaxError of it says what is expected. */
function made<Made>(make: (written: string) => Made) {
  return z.string(expecting('a text')).transform((written, context) => orFault(() => make(written), context));
}

function orFault<Made>(make: () => Made, context: z.RefinementCtx): Made {
  try {
    return make();
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    context.addIssue(`expected ${error.message}`);
    return z.NEVER;
  }
}

/** The same of a text or several. */
function madeOfTexts<Made>(what: string, make: (texts: string[]) => Made) {
  return z
    .union([z.string(), list(z.string(expecting('a text'))).min(1)], expecting(what))
    .transform((written, context) => orFault(() => make([written].flat()), context));
}

const SOURCE = 'a path, a template, or a list of those';

const path = made((written) => new Path(written));
const paths = madeOfTexts('a path or a list of paths', (texts) => texts.map((each) => new Path(each)));
const answerSource = madeOfTexts(SOURCE, (texts) => new Source(texts));
/** Where no headers are read. */
const source = madeOfTexts(SOURCE, (texts) => {
  const found = new Source(texts);
  if (found.namesHeader) throw new SyntaxError('a source in the body; headers are read by quota, usage and wait alone');
  return found;
});

/** The keys of `fields`, each the place of a card's field in an answer. */
const Fields = object({
  id: source,
  name: source,
  tcg: source.optional(),
  'set.id': source.optional(),
  'set.name': source.optional(),
  number: source.optional(),
  rarity: source.optional(),
  imageUrl: source.optional(),
  pageUrl: source.optional(),
});

/**
 * What an answer must be for something to be meant by it: its status, a path that is there, the text there, an empty
 * list.
 */
const Sign = { has: path.optional(), like: text.optional(), empty: path.optional() };
export type Sign = Partial<z.output<z.ZodObject<typeof Sign>>>;

function located<Of extends Sign>(sign: z.ZodType<Of>) {
  const error = 'expected `has` beside it, the path to this text';
  return sign.refine(({ has, like }) => has !== undefined || like === undefined, { path: ['like'], error });
}

const httpStatus = z.int(expecting('a status such as 404')).min(100, 'expected a status').max(599, 'expected a status');

const KeyHeader = { header: matching(/^[\w-]+$/, 'the name of a header'), optional: flag.optional() };
const prefix = z.string(expecting('a text')).regex(/^[ -~]*$/, 'expected letters of ASCII, found others');

const Key = z.union(
  [z.literal(false), z.strictObject({ ...KeyHeader, prefix: prefix.optional() })],
  expecting('false, or an object with `header`'),
);

/** Characters as `a-z0-9` lists them: the hyphen apart, each means itself. */
function charactersIn(listed: string): RegExp {
  try {
    if (listed !== '') return new RegExp(`^[${listed.replace(/[\\\]^[]/g, '\\$&')}]+$`, 'u');
  } catch {
    // a range that ends before it begins; the message would show it
  }
  throw new SyntaxError('characters such as a-z0-9, found another text');
}

const IdForm = z.union(
  [
    z.enum(['uuid', 'digits']),
    z.strictObject({
      chars: made(charactersIn),
      longest: whole.max(100, 'expected at most 100'),
      segments: whole.max(5, 'expected at most 5').default(1),
    }),
  ],
  expecting('uuid, digits, or an object with `chars` and `longest`'),
);

/** What a plan allows. A figure that lacks is no limit. */
const Plan = object({
  perHour: whole.optional(),
  perDay: whole.optional(),
  perMonth: whole.optional(),
  perMinute: positive.optional(),
  perSecond: positive.optional(),
  burst: whole.optional(),
  counts: z.literal('window', expecting('window')).optional(),
});

const windowName = z.enum(WINDOWS, expecting('hour, day or month'));

/** Where an answer states the figures of a window. */
const Window = object({
  per: windowName,
  limit: answerSource.optional(),
  remaining: answerSource.optional(),
  reset: answerSource.optional(),
});

/** Where each row of an index leads to a list of its own. */
const NEXT = 'then';

export type WindowSources = z.output<typeof Window>;

/** Where a row of an index leads: each value in it is one segment; or, alone in braces, the address itself. */
const next = matching(/^(?:\/|https:\/\/|\{[^{}]+\}$)/, 'a path, an https address, or {…} alone').transform(
  (written, context) => {
    const template = () => new Template(written, (inner) => new Path(inner));
    return { isAddress: written.startsWith('{'), template: orFault(template, context) };
  },
);
export type NextList = z.output<typeof next>;

/** Where a list of card names can be had, and how its rows are read, as `npm run catalog -- import` takes them. */
const Names = object({
  url: text,
  rows: text.optional(),
  map: object({
    id: text.optional(),
    name: text.optional(),
    set: text.optional(),
    number: text.optional(),
    game: text.optional(),
    released: text.optional(),
    also: z.union([text, list(text)], expecting('a text or a list of texts')).optional(),
  }).optional(),
  join: list(matching(/^[^=]+=./, 'FIELD=ADDRESS')).default([]),
  idTemplate: text.optional(),
  game: text.optional(),
  [NEXT]: z
    .union([next, list(next).min(1)], expecting('a path, an https address, {…} alone, or a list of those'))
    .transform((each) => [each].flat())
    .optional(),
  hosts: list(matching(/^[a-z\d.-]+$/, 'the name of a host')).default([]),
});

/** A base address: https, but on this machine, and nothing after its path. */
const baseUrl = text.refine(
  isBaseUrl,
  'expected an address that begins with https:// and has no user, password, ? and #, found another text',
);

function isBaseUrl(address: string): boolean {
  const url = URL.parse(address);
  if (!url || /[?#@\\\s]/.test(address)) return false;
  return (
    url.protocol === 'https:' || (url.protocol === 'http:' && /^(localhost|127(\.\d+){3}|\[::1\])$/.test(url.hostname))
  );
}

/** A card service as one JSON file describes it: see docs/services.md. */
export const DescriptionFile = object({
  name: text,
  documentation: text.optional(),
  url: baseUrl.transform((address) => address.replace(/\/+$/, '')).optional(),
  key: Key.default({ header: 'Authorization', prefix: 'Bearer ' }),
  // A value that begins with $ is a variable of ours, so that no description reads another secret.
  headers: byName(
    matching(/^(?!\$)[ -~]+$|^\$CARD_SERVICE_[A-Z_]+$/, 'a text, or a variable as $CARD_SERVICE_NAME'),
  ).default({}),
  game: text.optional(),
  currency: matching(/^[A-Z]{3}$/, 'a code of ISO 4217 such as USD').optional(),
  card: object({
    path: matching(/^\/[^#]*\{id\}[^#]*$/, 'a path that begins with / and holds {id}').default('/cards/{id}'),
    idSeparator: text.optional(),
    ids: IdForm.optional(),
    also: source.optional(),
    at: paths.default([new Path('')]),
  }).prefault({}),
  list: object({
    path: matching(/^(?:GET +)?\/[^#]*\{ids\}[^#]*$|^POST +\/[^#]*$/, 'a path with {ids} in it, or POST and a path'),
    each: text.default('{id}'),
    separator: text.default(','),
    body: z.json(expecting('JSON')).optional(),
    max: whole.max(1_000, 'expected at most 1000').default(20),
    at: path.default(new Path('')),
    missing: source.optional(),
    perSecond: positive.optional(),
  }).optional(),
  fields: Fields,
  prices: object({
    rows: paths,
    market: source,
    low: source.optional(),
    high: source.optional(),
    currency: source.optional(),
  }).optional(),
  none: list(text)
    .default([])
    .transform((each) => new Set(each)),
  absent: list(located(object({ status: httpStatus, ...Sign }))).default([{ status: 404 }]),
  refused: list(
    located(object({ status: httpStatus, ...Sign, means: z.enum(['key', 'plan'], expecting('key or plan')) })),
  ).default([{ status: 401, means: 'key' }]),
  plans: byName(Plan).optional(),
  quota: list(Window).default([]),
  spent: list(located(object({ per: windowName, ...Sign }))).default([]),
  wait: answerSource.optional(),
  shutOutSeconds: z.number(expecting('a number')).nonnegative('expected 0 or more').default(0),
  billed: flag.default(false),
  usage: object({
    path: matching(/^\/[^#]*$/, 'a path that begins with /'),
    plan: answerSource.optional(),
    limit: answerSource.optional(),
    remaining: answerSource.optional(),
    reset: answerSource.optional(),
  }).optional(),
  freshSeconds: positive.optional(),
  keepSeconds: positive.optional(),
  pictures: flag.default(true),
  notice: text.optional(),
  ends: z.iso.date('expected a day such as 2027-03-01').optional(),
  names: Names.optional(),
});
export type ServiceDescription = z.output<typeof DescriptionFile> & {
  /** The interface of a service that needs no description: what its file leaves out has a meaning. */
  isDefault: boolean;
};

/** What is wrong with a description, a line each: the place in it, what is expected there, which type was found. */
export function faultsOf({ issues }: z.ZodError): string[] {
  return issues.flatMap(withinUnion).flatMap((issue) => {
    const place = issue.path.join('.');
    if (issue.code !== 'unrecognized_keys') return [`${place || 'the file'}: ${issue.message}`];
    return issue.keys.map((key) => `${[place, key.slice(0, LONGEST_KEY)].filter(Boolean).join('.')}: unknown key`);
  });
}

/** Where several forms are allowed, only the faults of the one are told that has the type which was found. */
function withinUnion(issue: z.core.$ZodIssue): z.core.$ZodIssue[] {
  if (issue.code !== 'invalid_union') return [issue];
  const isWithin = ({ path, code }: z.core.$ZodIssue) => path.length > 0 || code === 'unrecognized_keys';
  const meant = issue.errors.find((issues) => issues.every(isWithin));
  return meant?.flatMap((each) => withinUnion({ ...each, path: [...issue.path, ...each.path] })) ?? [issue];
}

const LONGEST_KEY = 40;
