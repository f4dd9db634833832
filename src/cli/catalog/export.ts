import { pipeline } from 'node:stream/promises';
import { decodeHTMLStrict } from 'entities/decode';
import type { CatalogCard } from '../../catalog/text.ts';
import type { CliContext } from '../context.ts';
import { counted } from './import.ts';

/** Writes cards to standard output, each as a line of JSON. @returns the exit code */
export async function exportCards(cards: Iterable<CatalogCard>, { stdout, stderr }: CliContext): Promise<number> {
  let count = 0;
  const lines = function* () {
    for (const card of cards) {
      count++;
      yield `${JSON.stringify(card, escaped)}\n`;
    }
  };
  try {
    await pipeline(lines, stdout, { end: false });
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EPIPE') return 0; // `head` has read enough
    throw error;
  }
  stderr.write(`standard output: ${counted(count, 'card')}\n`);
  return 0;
}

/**
 * What looks like an HTML entity is written so that an import, which decodes it in all but ids, gives the same text.
 */
function escaped(field: string, value: unknown): unknown {
  const isText = typeof value === 'string' && field !== 'id';
  return isText && decodeHTMLStrict(value) !== value ? value.replaceAll('&', '&amp;') : value;
}
