/** Forms of the figures that real services use although the interface states another. */
export const ODD_FIGURES = [
  'none',
  'reset in milliseconds',
  'reset with decimals',
  'reset from now',
  'no reset',
  'limit 0',
  'retryAfter in milliseconds',
] as const;
export type OddFigures = (typeof ODD_FIGURES)[number];

/** The rate-limit headers in another form. */
export function oddHeaders(odd: OddFigures, usual: Record<string, string>, nowMs: number): Record<string, string> {
  const resetSeconds = Number(usual['x-ratelimit-reset']);
  switch (odd) {
    case 'reset in milliseconds':
      return { ...usual, 'x-ratelimit-reset': String(resetSeconds * 1000) };
    case 'reset with decimals':
      return { ...usual, 'x-ratelimit-reset': `${resetSeconds}.25` };
    case 'reset from now':
      return { ...usual, 'x-ratelimit-reset': String(Math.ceil(resetSeconds - nowMs / 1000)) };
    case 'no reset': {
      const { 'x-ratelimit-reset': _, ...others } = usual;
      return others;
    }
    case 'limit 0':
      return { ...usual, 'x-ratelimit-limit': '0', 'x-ratelimit-remaining': '0' };
    default:
      return usual;
  }
}
