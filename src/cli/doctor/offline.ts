import { readFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { parseEnv } from 'node:util';
import type { Config } from '../../config/config.ts';
import type { Environment } from '../../config/environment.ts';
import { checkDataDirectory } from './data-directory.ts';
import { type Finding, wrong } from './finding.ts';
import { checkSettings } from './settings.ts';

/** Everything that can be found out on this machine alone: sends nothing, changes nothing. */
export function checkOffline(environment: Environment): { findings: Finding[]; config: Config | undefined } {
  const { findings, config } = checkSettings(environment, envFile());
  return {
    findings: [...findings, ...checkSqlite(), ...(config ? checkDataDirectory(config.dataDir) : [])],
    config,
  };
}

/** The variables in `.env`, as Node has read them at the start; none without that file. */
export function envFile(file = '.env'): Environment {
  try {
    return parseEnv(readFileSync(file, 'utf8'));
  } catch {
    return {};
  }
}

/** Whether this Node's SQLite can search: one that is built by a distribution may lack it. In memory, in a millisecond. */
function checkSqlite(): Finding[] {
  const database = new DatabaseSync(':memory:');
  try {
    database.exec('CREATE VIRTUAL TABLE words USING fts5 (word)');
    return [];
  } catch {
    const cure = 'It lacks FTS5, so cards cannot be found by name. Run the bot by npm start, with the Node of npm ci.';
    return [wrong(`SQLite of Node ${process.version}`, cure)];
  } finally {
    database.close();
  }
}
