import type { Config, Environment } from '../../config/config.ts';
import { checkDataDirectory } from './data-directory.ts';
import { envFile } from './env-file.ts';
import type { Finding } from './finding.ts';
import { checkSettings } from './settings.ts';
import { checkSqlite } from './sqlite-check.ts';

/** Everything that can be found out on this machine alone: sends nothing, changes nothing. */
export function checkOffline(environment: Environment): { findings: Finding[]; config: Config | undefined } {
  const { findings, config } = checkSettings(environment, envFile());
  return {
    findings: [...findings, ...checkSqlite(), ...(config ? checkDataDirectory(config.dataDir) : [])],
    config,
  };
}
