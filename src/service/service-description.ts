import { z } from 'zod';
import { idFault, type ReadCardId } from '../model/card-id.ts';
import { WINDOWS } from '../model/quota.ts';
import { Path, Source, Template } from './field-source.ts';

const text = z.string().min(1);
const optionalText = text.optional();
const whole = z.int().positive();
const optionalWhole = whole.optional();
const positive = z.number().positive();
const optionalPositive = positive.optional();
const no = z.boolean().default(false);
const like = (pattern: RegExp) => z.string().regex(pattern);

/** What `make` makes of something written; a SyntaxError of it says what is expected. */
function made<Written, Made>(of: z.ZodType<Written>, make: (written: Written) => Made) {
  return of.transform((written, context) => {
    try {
      return make(written);
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
      context.addIssue(`expected ${error.message}`);
      return z.NEVER;
    }
  });
}

const texts = z
  .union([z.string(), z.array(z.string()).min(1)], 'expected a path, a template, or a list of those')
  .transform((each) => [each].flat());
const path = made(z.string(), (written) => new Path(written));
const paths = made(texts, (each) => each.map((written) => new Path(written)));
const answerSource = made(texts, (each) => new Source(each));
const optionalAnswerSource = answerSource.optional();
/** Where no headers are read. */
const source = answerSource.refine(
  ({ namesHeader }) => !namesHeader,
  'expected a source in the body; headers are read by quota, usage and wait alone',
);

const optionalSource = source.optional();

const CODE = /^[A-Z]{3}$/;

/** A row of prices: where it is, and what it has otherwise than the others. */
const Row = z
  .union([z.string(), z.looseObject({})], 'expected a path, or an object with `at`')
  .transform((written) => (typeof written === 'string' ? { at: written } : written))
  .pipe(
    z.strictObject({
      at: path,
      label: optionalSource,
      currency: z
        .preprocess((text) => (CODE.test(String(text)) ? `=${text}` : text), source)
        .refine(
          ({ texts }) => !texts.some((text) => /^[a-z]{3}$/.test(text)),
          'expected a code such as EUR, or a source',
        )
        .optional(),
      market: optionalSource,
      low: optionalSource,
      high: optionalSource,
    }),
  );

/** The keys of `fields`, each the place of a card's field in an answer. */
const Fields = z.strictObject({
  id: source,
  name: source,
  tcg: optionalSource,
  'set.id': optionalSource,
  'set.name': optionalSource,
  number: optionalSource,
  rarity: optionalSource,
  imageUrl: optionalSource,
  backImageUrl: optionalSource,
  pageUrl: optionalSource,
});

/**
 * What an answer must be for something to be meant by it: its status, paths that are there, the text at the first, an
 * empty list.
 */
const Sign = { has: paths.optional(), like: optionalText, empty: path.optional() };
export type Sign = Partial<z.output<z.ZodObject<typeof Sign>>>;

function located<Of extends Sign>(sign: z.ZodType<Of>) {
  const error = 'expected `has` beside it, the path to this text';
  return z.array(sign.refine(({ has, like }) => has || !like, { path: ['like'], error }));
}

const status = z.int().min(100).max(599);

const Key = z.strictObject({
  header: like(/^[\w-]+$/),
  prefix: like(/^[ -~]*$/).optional(),
  optional: z.boolean().optional(),
});

/** Characters as `a-z0-9` lists them: the hyphen apart, each means itself. */
function charactersIn(listed: string): RegExp {
  try {
    if (listed !== '') return new RegExp(`^[${listed.replace(/[\\\]^[]/g, '\\$&')}]+$`, 'u');
  } catch {
    // a range that ends before it begins; the message would show it
  }
  throw new SyntaxError('characters such as a-z0-9, found another text');
}

const IdForm = z.strictObject({
  chars: made(z.string(), charactersIn),
  longest: whole.max(100),
  segments: whole.max(5).default(1),
});

/** What a plan allows. A figure that lacks is no limit. */
const Plan = z.strictObject({
  perHour: optionalWhole,
  perDay: optionalWhole,
  perMonth: optionalWhole,
  perMinute: optionalPositive,
  perSecond: optionalPositive,
  burst: optionalWhole,
  counts: z.literal('window').optional(),
  custom: no,
});

const windowName = z.enum(WINDOWS);

/** Where an answer states figures. */
const Figures = {
  limit: optionalAnswerSource,
  remaining: optionalAnswerSource,
  reset: optionalAnswerSource,
};
const Window = z.strictObject({ per: windowName, ...Figures });
export type WindowSources = z.output<typeof Window>;

/** Where each row of an index leads to a list of its own. */
const NEXT = 'then';

/** Where a row of an index leads: each value in it is one segment; or, alone in braces, the address itself. */
const next = made(like(/^(?:\/|https:\/\/|\{[^{}]+\}$)/), (written) => ({
  isAddress: written.startsWith('{'),
  template: new Template(written),
}));
export type NextList = z.output<typeof next>;

/** Where a list of card names can be had, and how its rows are read, as `npm run catalog -- import` takes them. */
const Names = z.strictObject({
  url: text,
  rows: optionalText,
  map: z
    .strictObject({ id: text, name: text, set: text, number: text, game: text, released: text, also: texts })
    .partial()
    .optional(),
  join: z.array(like(/^[^=]+=./)).default([]),
  idTemplate: optionalText,
  game: optionalText,
  [NEXT]: z
    .union([next, z.array(next).min(1)])
    .transform((each) => [each].flat())
    .optional(),
  hosts: z.array(like(/^[a-z\d.-]+$/)).default([]),
});

/** Whether nobody on the way reads what is sent there: https, but on this machine. */
export function isSafe({ protocol, hostname }: URL): boolean {
  return protocol === 'https:' || (protocol === 'http:' && /^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname));
}

/** A base address: nothing is after its path. */
const baseUrl = text
  .refine((address) => {
    const url = URL.parse(address);
    return url && isSafe(url) && !/[?#@\\\s]/.test(address);
  }, 'expected an address that begins with https:// and has no user, password, ? and #, found another text')
  .transform((address) => address.replace(/\/+$/, ''));

// A value that begins with $ is a variable of ours, so that no description reads another secret.
const headerValue = text.regex(
  /^(?!\$)[ -~]+$|^\$CARD_SERVICE_[A-Z_]+$/,
  'expected a text, or a variable as $CARD_SERVICE_NAME, found another text',
);

/** A card service as one JSON file describes it: see docs/services.md. */
export const DescriptionFile = z.strictObject({
  name: text,
  documentation: optionalText,
  url: baseUrl.optional(),
  key: z
    .union([z.literal(false), Key], 'expected false, or an object with `header`')
    .default({ header: 'Authorization', prefix: 'Bearer ' }),
  headers: z.record(z.string(), headerValue).default({}),
  game: optionalText,
  currency: like(CODE).optional(),
  card: z
    .strictObject({
      path: like(/^\/[^#]*\{id\}[^#]*$/).default('/cards/{id}'),
      idSeparator: optionalText,
      ids: z.union([z.enum(['uuid', 'digits']), IdForm], 'expected uuid, digits, or an object with `chars`').optional(),
      also: optionalSource,
      anySpelling: no,
      requires: paths.default([]),
      query: like(/^[\w-]+=[\w-]*$/).optional(),
      example: optionalText,
      at: paths.default([new Path('')]),
    })
    .prefault({}),
  list: z
    .strictObject({
      path: like(/^(?:GET +)?\/[^#]*\{ids\}[^#]*$|^POST +\/[^#]*$/),
      each: text.default('{id}'),
      separator: text.default(','),
      body: z.json().optional(),
      max: whole.max(1_000).default(20),
      at: path.optional(),
      missing: optionalSource,
      perSecond: optionalPositive,
    })
    .optional(),
  fields: Fields,
  prices: z
    .strictObject({
      rows: z
        .unknown()
        .transform((written) => [written].flat())
        .pipe(z.array(Row).min(1)),
      market: source,
      low: optionalSource,
      high: optionalSource,
      currency: optionalSource,
    })
    .optional(),
  // Without the empty one, every text is taken as it is sent.
  none: z
    .union([z.literal(false), z.array(text)], 'expected false, or a list of texts')
    .default([])
    .transform((each) => new Set(each ? ['', ...each] : [])),
  absent: located(z.strictObject({ status, ...Sign })).default([{ status: 404 }]),
  refused: located(z.strictObject({ status, ...Sign, means: z.enum(['key', 'plan']) })).default([
    { status: 401, means: 'key' },
  ]),
  plans: z.record(z.string(), Plan).default({ free: { custom: false } }),
  quota: z.array(Window).default([]),
  dayStated: no,
  spent: located(z.strictObject({ per: windowName, ...Sign })).default([]),
  wait: optionalAnswerSource,
  shutOutSeconds: z.number().nonnegative().default(0),
  billed: no,
  usage: z
    .strictObject({
      path: like(/^\/[^#]*$/),
      plan: optionalAnswerSource,
      start: optionalAnswerSource,
      used: optionalAnswerSource,
      ...Figures,
    })
    .optional(),
  freshSeconds: optionalPositive,
  keepSeconds: optionalPositive,
  pictures: z.boolean().default(true),
  notice: optionalText,
  ends: z.iso.date().optional(),
  names: Names.optional(),
});
export type ServiceDescription = z.output<typeof DescriptionFile>;

/** What is wrong with a description, a line each: the place in it, and what is expected there; never what was found. */
export function faultsOf({ issues }: z.ZodError): string[] {
  return issues.map(({ path, message }) => [path.join('.'), message].filter(Boolean).join(': '));
}

const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/;
/** Printed numbers have zeros in front that answers have not. */
const DIGITS = /^0*([1-9]\d*)$/;

/** By the form that a description states. Where it states none, every text is one that may be sent. */
export function cardIdReader({
  ids,
  idSeparator,
}: Pick<ServiceDescription['card'], 'ids' | 'idSeparator'>): ReadCardId {
  return (text) => {
    const id = text.trim();
    const parts = idSeparator ? id.split(idSeparator) : [id];
    if (idFault(id) || parts.some((part) => /^\.{0,2}$/.test(part))) return undefined;
    if (ids === 'uuid') return UUID.exec(id.toLowerCase())?.[0];
    if (ids === 'digits') return DIGITS.exec(id)?.[1];
    if (!ids) return id;
    const { chars, longest, segments } = ids;
    const fits = parts.length === segments && [...id].length <= longest && parts.every((part) => chars.test(part));
    return fits ? id : undefined;
  };
}
