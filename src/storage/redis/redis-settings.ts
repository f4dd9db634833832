import type { Logger } from '../../log.ts';
import type { RedisLink } from './redis-link.ts';

/** What is wrong with a Redis that has to keep what is owed, as sentences that say what to set. From `INFO`. */
export function settingProblems(info: string): string[] {
  const policy = field(info, 'maxmemory_policy');
  const evicts = policy !== undefined && policy !== 'noeviction';
  const forgets = field(info, 'aof_enabled') === '0';
  return [
    ...(evicts
      ? [
          `redis drops keys when its memory is full (maxmemory-policy ${policy}), replies that are owed among them: set maxmemory-policy noeviction`,
        ]
      : []),
    ...(forgets
      ? ['redis forgets what it holds when it is restarted, replies that are owed among it: set appendonly yes']
      : []),
  ];
}

/** Warns once, as soon as Redis can be asked; a Redis that does not tell its settings is believed to be right. */
export function warnOfSettings(link: RedisLink, log: Logger): void {
  let asked = false;
  const ask = async () => {
    if (asked || link.health !== 'usable') return;
    asked = true;
    const info = await link.read((client) => client.info()).catch(() => '');
    asked = link.health === 'usable'; // gone again meanwhile: asked when it is back
    for (const problem of settingProblems(info)) log.warn(problem);
  };
  link.onHealth(() => void ask());
  void ask();
}

function field(info: string, name: string): string | undefined {
  return new RegExp(`^${name}:(.*?)\\r?$`, 'm').exec(info)?.[1];
}
