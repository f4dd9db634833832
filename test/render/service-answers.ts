import fc from 'fast-check';
import { anyCharacter, printableCharacter } from '../support/any-character.ts';

const MARKUP = '* ** _ __ ~~ | || ` ``` > >>> # -# - + 1. 12. \\'.split(' ');
const INVISIBLE = ' ,\n,\r\n,\t,\u00a0,\u2028,\u200b,\u200d,\u202e,\u2066,\ufeff,\u00ad,\u3164'.split(',');
const MENTIONS = '@everyone @here <@123456789012345678> <@&123456789012345678> <#123456789012345678>'.split(' ');
const OTHER_MARKS = '</card:123456789012345678> <:smile:123456789012345678> :smile: <t:1700000000:R> <id:guide>'.split(
  ' ',
);
const LINKS =
  'https://evil.test/ [card](https://evil.test) <https://evil.test> <mailto:a@evil.test> www.evil.test'.split(' ');
const SCRIPTS = '🃏,👩‍👩‍👧,é,\u0301,שלום,مرحبا,四,\ud83c,\udccf,\0,\u007f,\u{e0041}'.split(',');

const AT_LINE_START = ['> ', '>>> ', '# ', '-# ', '- ', '+ ', '1. '];

const nastyPiece = fc.oneof(
  ...[[...MARKUP, ...AT_LINE_START], MENTIONS, OTHER_MARKS, LINKS, INVISIBLE, SCRIPTS].map((some) =>
    fc.constantFrom(...some),
  ),
  fc.string({ unit: printableCharacter, minLength: 1, maxLength: 5 }),
);

/** Texts that try to be something else: markup, mentions, half characters, or too much. */
export const nastyText = fc.oneof(
  { weight: 3, arbitrary: fc.array(nastyPiece, { maxLength: 12 }).map((pieces) => pieces.join('')) },
  { weight: 1, arbitrary: fc.string({ unit: anyCharacter, maxLength: 80 }) },
  { weight: 1, arbitrary: nastyPiece.map((piece) => piece.repeat(Math.ceil(5_000 / piece.length))) },
  {
    weight: 1,
    arbitrary: fc.constantFrom('__proto__', '', ' ', '\u200b', '\ud800', '\u202e\u202c', 'x'.repeat(5_000)),
  },
);

export const price = fc.oneof(
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.constantFrom(0, -0, -1, 0.004, 0.005, 4.2, 1e12, 1e300, -1e300, 1e-300, Number.MAX_VALUE, Number.MIN_VALUE),
);

const imageUrl = fc.oneof(
  fc.constantFrom(
    'javascript:alert(1)',
    '/card.png',
    '',
    ' https://cards.test/a b.png ',
    'http://[',
    'HTTPS://CARDS.TEST/A',
  ),
  fc.nat(3_000).map((length) => `https://cards.test/${'x'.repeat(length)}`),
  fc.nat(1_500).map((length) => `https://cards.test/${'四'.repeat(length)}`),
  nastyText,
);

const optional = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: null });

/** What a card may hold. */
export const serviceCard = fc.record(
  {
    id: nastyText,
    name: nastyText,
    game: nastyText,
    set: fc.record({ id: nastyText, name: nastyText }),
    number: optional(nastyText),
    rarity: optional(nastyText),
    imageUrl: optional(imageUrl),
    backImageUrl: optional(imageUrl),
    prices: optional(
      fc.record({ market: optional(price), low: optional(price), high: optional(price) }, { requiredKeys: [] }),
    ),
  },
  { requiredKeys: ['id', 'name', 'game', 'set'] },
);

const instantMs = optional(fc.integer({ min: 0, max: 253402300799999 }));
const whole = optional(fc.oneof(fc.maxSafeInteger(), fc.nat(2_000), fc.constantFrom(-1, 0)));

/** What the service may send for a usage report. */
export const serviceUsage = fc.record(
  {
    plan: optional(nastyText),
    period: optional(fc.record({ startMs: instantMs, endMs: instantMs }, { requiredKeys: [] })),
    requests: optional(fc.record({ used: whole, limit: whole, remaining: whole }, { requiredKeys: [] })),
  },
  { requiredKeys: [] },
);

const perhaps = (min: number, max: number) => fc.option(fc.integer({ min, max }), { nil: undefined });
export const momentMs = fc.integer({ min: 0, max: 4e12 });

export const quotaState = fc.option(
  fc.record({
    limit: perhaps(1, 999_999_999_999_999),
    remaining: perhaps(0, 999_999_999_999_999),
    resetsAtMs: perhaps(0, 4e12),
    receivedAtMs: momentMs,
  }),
  { nil: undefined },
);

export const locale = fc.constantFrom('en-US', 'de', 'ja', 'ar', 'hi', 'es-419', 'zh-TW', 'not a locale', '');
export const currency = fc.constantFrom('EUR', 'JPY', 'BHD', undefined);

/** What a ledger may have counted by hour. */
export const anyHours = fc.array(fc.record({ requests: fc.maxSafeNat(), saved: fc.maxSafeNat() }), { maxLength: 24 });
