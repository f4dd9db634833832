import type { Logger } from '../../log.ts';
import type { RedisLink } from './redis-link.ts';

/** Settings with which Redis may lose deferred replies, as sentences that say what to set. @param info the answer to `INFO` */
export function settingProblems(info: string): string[] {
  const policy = field(info, 'maxmemory_policy');
  const evicts = policy !== undefined && policy !== 'noeviction';
  const isVolatile = field(info, 'aof_enabled') === '0';
  return [
    ...(evicts
      ? [
          `redis drops keys, deferred replies among them, when its memory is full (maxmemory-policy ${policy}): set maxmemory-policy noeviction`,
        ]
      : []),
    ...(isVolatile
      ? ['redis loses its data, deferred replies among it, when it is restarted: set appendonly yes']
      : []),
  ];
}

/** Warns once, as soon as Redis is usable. A Redis that does not report its settings causes no warning. */
export function warnOfSettings(link: RedisLink, log: Logger): void {
  let isChecked = false;
  const check = async () => {
    if (isChecked || link.health !== 'usable') return;
    isChecked = true;
    const info = await link.read((client) => client.info()).catch(() => '');
    isChecked = link.health === 'usable'; // otherwise checked when it is usable again
    for (const problem of settingProblems(info)) log.warn(problem);
  };
  link.onHealth(() => void check());
  void check();
}

function field(info: string, name: string): string | undefined {
  return new RegExp(`^${name}:(.*?)\\r?$`, 'm').exec(info)?.[1];
}
