/** More members than any answer or row has: what a path with several `*` leads to must not keep the process busy. */
const MOST_VISITED = 10_000;

type Step =
  | { kind: 'member'; name: string }
  | { kind: 'every'; filters: readonly (readonly [name: string, text: string])[] };

const STEP = /^(?!=|header:)(?<name>[^.[\]*{}]+)(?<filters>(?:\[[^[\]=]+=[^[\]]*\])*)$/i;
const FILTER = /\[([^[\]=]+)=([^[\]]*)\]/g;

/**
 * Where in a JSON value something stands: `set.name`, `data.0`, `variants.*`, `variants[condition=Near
 * Mint][language=English]` for the members for which all filters hold, and an empty text for the whole. Members are a
 * value's own properties.
 */
export class Path {
  readonly text: string;
  readonly #steps: readonly Step[];

  /** @throws SyntaxError, which says what is wrong with the path */
  constructor(text: string) {
    this.text = text;
    // Dots within filters separate nothing.
    this.#steps = text === '' ? [] : text.split(/\.(?![^[]*\])/).flatMap(stepsOf);
  }

  /** What it leads to, in order; nothing where it leads nowhere. `null` and an empty text are nothing. */
  *valuesIn(value: unknown): Generator<unknown, undefined> {
    for (const found of this.foundIn(value)) yield found.value;
  }

  /**
   * The same, each with the names of the members on the way.
   *
   * @param nameOf what a member of an array is called, which has no name of its own
   */
  *foundIn(value: unknown, nameOf: (member: unknown) => string = () => ''): Generator<Found, undefined> {
    const visits = { left: MOST_VISITED, nameOf };
    yield* follow({ value, names: [] }, this.#steps, visits);
  }

  /** The names of the members on the way, as far as they are the same in every answer. */
  get names(): string[] {
    const first = this.#steps.findIndex(({ kind }) => kind === 'every');
    return this.#steps
      .slice(0, first < 0 ? undefined : first)
      .flatMap((step) => (step.kind === 'member' ? step.name : []));
  }

  /** The names of the members that its filters compare. */
  get filterNames(): string[] {
    return this.#steps.flatMap((step) => (step.kind === 'every' ? step.filters.map(([name]) => name) : []));
  }

  /** The first value that it leads to. */
  valueIn(value: unknown): unknown {
    return this.valuesIn(value).next().value;
  }
}

function stepsOf(text: string): Step[] {
  if (text === '*') return [{ kind: 'every', filters: [] }];
  const { name, filters = '' } = STEP.exec(text)?.groups ?? {};
  if (name === undefined) throw new SyntaxError('a path of names, numbers, * and [name=text], with dots between them');
  const member: Step = { kind: 'member', name };
  if (filters === '') return [member];
  return [
    member,
    { kind: 'every', filters: [...filters.matchAll(FILTER)].map(([, key = '', wanted = '']) => [key, wanted]) },
  ];
}

/** A value that a path leads to. */
export interface Found {
  value: unknown;
  names: readonly string[];
}

interface Visits {
  left: number;
  nameOf(member: unknown): string;
}

function* follow(
  { value, names }: Found,
  [step, ...rest]: readonly Step[],
  visits: Visits,
): Generator<Found, undefined> {
  if (value === undefined || value === null || value === '' || visits.left-- <= 0) return;
  if (step === undefined) yield { value, names };
  else if (step.kind === 'member')
    yield* follow({ value: ownMember(value, step.name), names: [...names, step.name] }, rest, visits);
  else
    for (const [name, member] of membersOf(value, visits.nameOf))
      if (step.filters.every(([key, text]) => written(ownMember(member, key)) === text))
        yield* follow({ value: member, names: [...names, name] }, rest, visits);
}

/** A property that is the value's own, and none of a prototype. */
export function ownMember(value: unknown, name: string | undefined): unknown {
  if (name === undefined) return undefined;
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? Reflect.get(value, name)
    : undefined;
}

/** A value as text, for comparison; nothing for a list or an object, of which not each can be made into one. */
export function written(value: unknown): string | undefined {
  return typeof value === 'object' && value !== null ? undefined : String(value);
}

/** An array's members in their order, an object's in the order of their names. */
function membersOf(value: unknown, nameOf: Visits['nameOf']): [name: string, member: unknown][] {
  if (Array.isArray(value)) return value.map((member) => [nameOf(member), member]);
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
}

/** A path in braces; in brackets, a part that is left out when a path in it has no value. */
const PARTS = /(\[[^[\]]*\{[^[\]]*\]|\{[^{}]+\})/;

/**
 * A text with paths in braces, `{number}[/{set.total}]`, as far as it is filled by `Place`: what a path in it was made
 * into.
 */
export class Template<Place> {
  readonly #parts: readonly (string | { place: Place } | { optional: Template<Place> })[];

  constructor(text: string, placeOf: (path: string) => Place) {
    this.#parts = text.split(PARTS).map((part, at) => {
      if (at % 2 === 0) return part;
      const inner = part.slice(1, -1);
      return part.startsWith('{') ? { place: placeOf(inner) } : { optional: new Template(inner, placeOf) };
    });
  }

  static isOne(text: string): boolean {
    return PARTS.test(text);
  }

  /** The places without which it has no text. */
  get required(): Place[] {
    return this.#parts.flatMap((part) => (typeof part === 'object' && 'place' in part ? [part.place] : []));
  }

  /** @returns `undefined` when a place has no text that is not in an optional part */
  filled(textAt: (place: Place) => string | undefined): string | undefined {
    let text = '';
    for (const part of this.#parts) {
      const filled =
        typeof part === 'string' ? part : 'place' in part ? textAt(part.place) : (part.optional.filled(textAt) ?? '');
      if (filled === undefined) return undefined;
      text += filled;
    }
    return text;
  }
}

/** What sources are read from: a value, and the headers that it came with. */
export interface Answer {
  value?: unknown;
  headers?: Headers | undefined;
  /** Texts that mean nothing, such as `N/A`. */
  none?: ReadonlySet<string>;
}

/** Begins a source that is a header. */
const HEADER = 'header:';

type Way =
  | { kind: 'literal'; text: string }
  | { kind: 'header'; name: string }
  | { kind: 'path'; path: Path }
  | { kind: 'template'; template: Template<Path> };

/**
 * Where a field of a card service's answer comes from: a path, a template with paths in braces, `=text` for that text
 * itself, `header:NAME`, or several of them, of which the first counts that yields a text or a number.
 */
export class Source {
  readonly texts: readonly string[];
  readonly #ways: readonly Way[];

  /** @throws SyntaxError, which says what is wrong with it */
  constructor(texts: string | readonly string[]) {
    this.texts = [texts].flat();
    this.#ways = this.texts.map(wayOf);
  }

  /** Whether it needs an answer's headers. */
  get namesHeader(): boolean {
    return this.#ways.some(({ kind }) => kind === 'header');
  }

  /** Whether it needs no body. */
  get isOfHeaders(): boolean {
    return this.#ways.every(({ kind }) => kind === 'header' || kind === 'literal');
  }

  textIn(answer: Answer): string | undefined {
    for (const way of this.#ways) for (const text of textsOf(way, answer)) return text;
    return undefined;
  }

  /**
   * The same, but as it stands in the answer; where no way leads to a text or a number, whatever the first leads to.
   */
  valueIn(answer: Answer): unknown {
    const values = this.#ways.map((way) =>
      way.kind === 'path' ? way.path.valueIn(answer.value) : textsOf(way, answer).next().value,
    );
    return values.find((value) => shown(value, answer).length > 0) ?? values.find((value) => isOdd(value));
  }

  /** Every text and number that it leads to, of all its ways. */
  textsIn(answer: Answer): string[] {
    return this.#ways.flatMap((way) => [...textsOf(way, answer)]);
  }
}

function wayOf(text: string): Way {
  if (text.startsWith('=')) return { kind: 'literal', text: text.slice(1) };
  if (text.startsWith(HEADER)) return { kind: 'header', name: headerName(text.slice(HEADER.length)) };
  if (!Template.isOne(text)) return { kind: 'path', path: new Path(text) };
  const template = new Template(text, (path) => {
    if (/[[\]]/.test(path)) throw new SyntaxError('a template without filters');
    return new Path(path);
  });
  return { kind: 'template', template };
}

function headerName(name: string): string {
  if (!/^[\w-]+$/.test(name)) throw new SyntaxError('the name of a header after "header:"');
  return name;
}

/** A header that was sent several times with one value. */
const REPEATED = /^(.+?)(?:, *\1)+$/;

function* textsOf(way: Way, answer: Answer): Generator<string, undefined> {
  if (way.kind === 'literal') yield way.text;
  else if (way.kind === 'header') yield* shown(answer.headers?.get(way.name)?.trim().replace(REPEATED, '$1'), answer);
  else if (way.kind === 'path') for (const value of way.path.valuesIn(answer.value)) yield* shown(value, answer);
  else
    yield* shown(
      way.template.filled((path) => shown(path.valueIn(answer.value), answer)[0]),
      answer,
    );
}

/** Neither nothing nor a text: where a text or a number was expected, such a value is worth a word in the log. */
function isOdd(value: unknown): boolean {
  return value !== undefined && typeof value !== 'string';
}

/** @returns the value as text, or nothing for what is neither text nor a number, or means nothing */
function shown(value: unknown, { none }: Answer): [] | [string] {
  if (typeof value !== 'string' && !(typeof value === 'number' && Number.isFinite(value))) return [];
  const text = String(value).trim();
  return text === '' || none?.has(text) ? [] : [text];
}

export function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
