// `npm run check -- --release`: what only a release needs. Without the option there is nothing to do.

import { type Texts, textsOf } from '../src/render/languages.ts';
import { KEYS } from './render/translation-faults.ts';

/** A release has every text in these; another language may lack some, which are read in English. */
const WHOLE = ['de', 'fr', 'es', 'pt-BR', 'ja'];

/** The texts that a language does not have yet. */
export function lackingIn(language: string, texts: Texts): string[] {
  return KEYS.filter((key) => texts[key] === undefined).map((key) => `${language} lacks ${key}`);
}

if (import.meta.main && process.argv.includes('--release')) {
  const lacking = WHOLE.flatMap((language) => lackingIn(language, textsOf(language)));
  process.stdout.write(`${lacking.join('\n') || 'Every text is in every language.'}\n`);
  process.exitCode = lacking.length === 0 ? 0 : 1;
}
