import { pipeline } from 'node:stream/promises';
import { decodeHTMLStrict } from 'entities/decode';
import type { CliContext } from '../context.ts';
import { counted } from './import-report.ts';
import type { OpenCatalog } from './open-catalog.ts';

/** Writes every card that is offered to standard output, each as a line of JSON. @returns the exit code */
export async function exportCards(catalog: OpenCatalog, { stdout, stderr }: CliContext): Promise<number> {
  let count = 0;
  function* lines(): Generator<string> {
    for (const card of catalog.rows()) {
      count++;
      yield `${JSON.stringify(card, escaped)}\n`;
    }
  }
  try {
    await pipeline(lines(), stdout, { end: false });
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EPIPE') return 0; // `head` has read enough
    throw error;
  }
  stderr.write(`standard output: ${counted(count)} cards\n`);
  return 0;
}

/**
 * What looks like an HTML entity is written so that an import, which decodes it in all but ids, gives the same text.
 */
function escaped(field: string, value: unknown): unknown {
  const isText = typeof value === 'string' && field !== 'id';
  return isText && decodeHTMLStrict(value) !== value ? value.replaceAll('&', '&amp;') : value;
}
