import { isObject } from '../model/card.ts';

/** Texts that mean nothing. */
type None = ReadonlySet<string>;

/** Where nothing else is said. */
const NONE: None = new Set(['']);

/** More members than any answer or row has: what a path with several `*` leads to must not keep the process busy. */
const MOST_VISITED = 10_000;

/** What a member has by this name, or that it has none. */
type Filter = readonly [name: string, text: string | undefined];

/** The member of this name, or every member for which all filters hold. */
type Step = string | readonly Filter[];

const STEP = /^(?!=|header:)(?<name>[^.[\]*{}]+)(?<filters>(?:\[(?:[^[\]=]+=[^[\]]*|![^[\]=]+)\])*)$/i;
const FILTER = /\[(?:!([^[\]=]+)|([^[\]=]+)=([^[\]]*))\]/g;

/**
 * Where in a JSON value something stands: `set.name`, `data.0`, `variants.*`, `variants[condition=Near
 * Mint][!grading]` for the members for which all filters hold, here of that condition and without a grading, and an
 * empty text for the whole. Members are a value's own properties.
 */
export class Path {
  readonly text: string;
  readonly #steps: readonly Step[];
  /**
   * What it leads to, in order, each with the names of the members on the way; nothing where it leads nowhere. `null`
   * is nothing, and so is an empty text that is in `none`. `nameOf`: what a member of an array is called, which has no
   * name of its own.
   */
  readonly foundIn: ReturnType<typeof following>;

  /** @throws SyntaxError, which says what is wrong with the path */
  constructor(text: string) {
    this.text = text;
    // Dots within filters separate nothing.
    this.#steps = text === '' ? [] : text.split(/\.(?![^[]*\])/).flatMap(stepsOf);
    this.foundIn = following(this.#steps);
  }

  /** The names of the members on the way, as far as they are the same in every answer. */
  get names(): string[] {
    const names: string[] = [];
    for (const step of this.#steps) {
      if (typeof step !== 'string') break;
      names.push(step);
    }
    return names;
  }

  /** The names of the members that its filters compare. */
  get filterNames(): string[] {
    const filters = this.#steps.flatMap((step) => (typeof step === 'string' ? [] : step));
    return filters.flatMap(([name, text]) => (text === undefined ? [] : name));
  }

  /** The first value that it leads to. */
  valueIn(value: unknown, none?: None): unknown {
    return this.foundIn(value, undefined, none)[0]?.value;
  }
}

function stepsOf(text: string): Step[] {
  if (text === '*') return [[]];
  const { name, filters = '' } = STEP.exec(text)?.groups ?? {};
  if (!name) throw new SyntaxError('a path of names, numbers, * and [name=text], with dots between them');
  if (filters === '') return [name];
  return [name, [...filters.matchAll(FILTER)].map(([, absent, key = '', text]) => [absent ?? key, text] as const)];
}

/** A value that a path leads to. */
interface Found {
  value: unknown;
  names: readonly string[];
}

type NameOf = (member: unknown) => string;

function following(steps: readonly Step[]) {
  const ways = steps.map(membersBy);
  return (whole: unknown, nameOf: NameOf = () => '', none = NONE) => {
    let found: Found[] = [{ value: whole, names: [] }];
    for (const membersOf of ways) {
      const next: Found[] = [];
      for (const { value, names } of found)
        for (const [name, member] of membersOf(value, nameOf, none).slice(0, MOST_VISITED - next.length))
          next.push({ value: member, names: [...names, name] });
      found = next;
    }
    return found.filter(({ value }) => value !== undefined && value !== null && !(value === '' && none.has(value)));
  };
}

type Member = readonly [name: string, member: unknown];

/**
 * Where a step leads from a value: to its own properties, an array's in their order, an object's in that of their
 * names.
 */
function membersBy(step: Step): (value: unknown, nameOf: NameOf, none: None) => readonly Member[] {
  if (typeof step === 'string') {
    const memberOf = memberNamed(step);
    return (value) => [[step, memberOf(value)]];
  }
  return (value, nameOf, none) => {
    const isWanted = ([, member]: Member) =>
      step.every(([name, text]) => {
        const has = memberNamed(name)(member);
        return text === undefined ? isNothing(has, none) : written(has) === text;
      });
    if (Array.isArray(value)) return value.map((member): Member => [nameOf(member), member]).filter(isWanted);
    if (!isObject(value)) return [];
    return Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .filter(isWanted);
  };
}

/** Whether a member counts as absent: `false` and 0 do, and an empty text also where texts are taken as they are. */
function isNothing(value: unknown, none: None): boolean {
  const text = written(value || '')?.trim();
  return text === '' || (text !== undefined && none.has(text));
}

/** The property of this name of a value, if it is the value's own, and none of a prototype. */
export function memberNamed(name: string): (value: unknown) => unknown {
  return (value) =>
    typeof value === 'object' && value !== null && Object.hasOwn(value, name) ? Reflect.get(value, name) : undefined;
}

/** A value as text, for comparison; nothing for a list or an object, of which not each can be made into one. */
export function written(value: unknown): string | undefined {
  return typeof value === 'object' && value !== null ? undefined : String(value);
}

/** A path in braces; in brackets, a part that is left out when a path in it has no value. */
const PARTS = /(\[[^[\]]*\{[^[\]]*\]|\{[^{}]+\})/;

/** A text with paths in braces: `{number}[/{set.total}]`. */
export class Template {
  /** A template in it is a part that may be left out. */
  readonly #parts: readonly (string | Path | Template)[];

  /** @throws SyntaxError, which says what is wrong with a path */
  constructor(text: string) {
    this.#parts = text.split(PARTS).map((part, at) => {
      if (at % 2 === 0) return part;
      const inner = part.slice(1, -1);
      return part.startsWith('{') ? new Path(inner) : new Template(inner);
    });
  }

  static isOne(text: string): boolean {
    return PARTS.test(text);
  }

  /** @returns `undefined` when a path has no text that is not in an optional part */
  filled(textAt: (path: Path) => string | undefined): string | undefined {
    const texts = this.#parts.map((part) => {
      if (part instanceof Template) return part.filled(textAt) ?? '';
      return typeof part === 'string' ? part : textAt(part);
    });
    return texts.includes(undefined) ? undefined : texts.join('');
  }
}

/** What sources are read from: a value, and the headers that it came with. */
export interface Answer {
  value?: unknown;
  headers?: Headers | undefined;
  /** Texts that mean nothing, such as `N/A`; absent: an empty one alone. */
  none?: None;
}

/** Begins a source that is a header. */
const HEADER = 'header:';

/** What one of a source's texts leads to in an answer. */
type Way = (answer: Answer) => unknown[];

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
    return this.texts.some((text) => text.startsWith(HEADER));
  }

  /** Whether it needs no body. */
  get isOfHeaders(): boolean {
    return this.texts.every((text) => text.startsWith(HEADER) || text.startsWith('='));
  }

  textIn(answer: Answer): string | undefined {
    return this.textsIn(answer)[0];
  }

  /**
   * The same, but as it stands in the answer; where no way leads to a text or a number, whatever else the first leads
   * to.
   */
  valueIn(answer: Answer): unknown {
    const values = this.#ways.flatMap((way) => way(answer));
    const odd = values.find((value) => typeof value !== 'string');
    return values.find((value) => shown(value, answer) !== undefined) ?? odd;
  }

  /** Every text and number that it leads to, of all its ways. */
  textsIn(answer: Answer): string[] {
    return this.#ways.flatMap((way) => way(answer)).flatMap((value) => shown(value, answer) ?? []);
  }
}

/** A header that was sent several times with one value. */
const REPEATED = /^(.+?)(?:, *\1)+$/;

function wayOf(text: string): Way {
  if (text.startsWith('=')) return () => [text.slice(1)];
  if (text.startsWith(HEADER)) {
    const name = text.slice(HEADER.length);
    if (!/^[\w-]+$/.test(name)) throw new SyntaxError('the name of a header after "header:"');
    return ({ headers }) => [headers?.get(name)?.trim().replace(REPEATED, '$1')];
  }
  if (!Template.isOne(text)) {
    const path = new Path(text);
    return ({ value, none }) => path.foundIn(value, undefined, none).map((found) => found.value);
  }
  if (/\{[^{}]*[[\]][^{}]*\}/.test(text)) throw new SyntaxError('a template without filters');
  const template = new Template(text);
  return (answer) => [template.filled((path) => shown(path.valueIn(answer.value), answer))];
}

/** @returns the value as text; `undefined` for what is neither text nor a number, or means nothing */
function shown(value: unknown, { none = NONE }: Answer): string | undefined {
  if (typeof value !== 'string' && !(typeof value === 'number' && Number.isFinite(value))) return undefined;
  const text = String(value).trim();
  return none.has(text) ? undefined : text;
}
