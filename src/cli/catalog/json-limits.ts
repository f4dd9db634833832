import { Unusable } from './source-row.ts';

/** No list is nested deeper than a dozen. */
const MOST_LEVELS = 100;
/**
 * All cards of a set together have half of it in the largest lists. A heap of 160 MB can hold no more than twice as
 * many names.
 */
const MOST_VALUES = 1_000_000;

const [QUOTE, BACKSLASH, COMMA] = Buffer.from('"\\,');
const OPENING = new Set(Buffer.from('[{'));
const CLOSING = new Set(Buffer.from(']}'));

/**
 * The same bytes, as long as what is made of them fits into memory: a process whose heap is full aborts without a
 * sentence.
 *
 * @param levels how deep a value lies that is in memory as a whole
 * @throws Unusable
 */
export async function* withinJsonLimits(bytes: AsyncIterable<Buffer>, levels: number): AsyncGenerator<Buffer> {
  const size = new JsonSize(levels);
  for await (const chunk of bytes) {
    for (let at = 0; at < chunk.length; at++) size.add(chunk[at] as number);
    yield chunk;
  }
}

class JsonSize {
  readonly #levels: number;
  #depth = 0;
  #values = 0;
  #isInText = false;
  #isEscaped = false;

  constructor(levels: number) {
    this.#levels = levels;
  }

  /** @throws Unusable */
  add(byte: number): void {
    if (this.#isEscaped) this.#isEscaped = false;
    else if (byte === QUOTE) this.#isInText = !this.#isInText;
    else if (this.#isInText) this.#isEscaped = byte === BACKSLASH;
    else if (byte === COMMA) this.#addValue();
    else if (OPENING.has(byte)) this.#open();
    else if (CLOSING.has(byte)) this.#depth--;
  }

  #open(): void {
    if (this.#depth === this.#levels) this.#values = 0;
    if (++this.#depth > MOST_LEVELS) throw new Unusable(`is nested more than ${MOST_LEVELS} deep`);
  }

  #addValue(): void {
    if (++this.#values <= MOST_VALUES) return;
    const most = MOST_VALUES.toLocaleString('en');
    throw new Unusable(`has more than ${most} values where one card or one set of them is expected`);
  }
}
