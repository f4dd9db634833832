import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';

/** Resident size of a process in MB (10^6 bytes), as the system counts it. */
export function residentMegabytes(pid: number): number {
  const status = `/proc/${pid}/status`;
  const kibibytes = existsSync(status)
    ? /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(status, 'utf8'))?.[1]
    : ps('rss', pid);
  return (Number(kibibytes) * 1024) / 1e6;
}

/** CPU time of a process so far in milliseconds, in user and system mode. The system counts in steps of 10. */
export function cpuMs(pid: number): number {
  const stat = `/proc/${pid}/stat`;
  if (!existsSync(stat)) {
    const seconds = ps('time', pid)
      .split(':')
      .reduce((sum, part) => sum * 60 + Number(part), 0);
    return seconds * 1_000;
  }
  // utime and stime: https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html; the name before them may have spaces
  const [user = 0, system = 0] = readFileSync(stat, 'utf8').split(') ')[1]?.split(' ').slice(11, 13).map(Number) ?? [];
  return (user + system) * 10;
}

function ps(column: string, pid: number): string {
  return execFileSync('ps', ['-o', `${column}=`, '-p', String(pid)], { encoding: 'utf8' });
}
