import { readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';
import type { Environment } from '../../config/config.ts';

/** The variables in `.env`, as Node has read them at the start; none without that file. */
export function envFile(file = '.env'): Environment {
  try {
    return parseEnv(readFileSync(file, 'utf8'));
  } catch {
    return {};
  }
}
