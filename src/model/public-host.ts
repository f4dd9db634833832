/** Host names of private networks, and numeric addresses: as parsed, those of version 6 have no dot. */
const NOT_PUBLIC = /(?:^[^.]+|\.(?:\d+|localhost|local|internal|lan|home|corp|home\.arpa))\.?$/i;

/** Whether anybody on the internet may own this name. @param hostname as `URL` has parsed it */
export function isPublicHost(hostname: string): boolean {
  return !NOT_PUBLIC.test(hostname);
}
