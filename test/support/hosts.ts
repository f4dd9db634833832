import type { Host } from '../../sandbox/sandbox.ts';

/** Where servers without sockets answer in this process, by their addresses. */
export const hosts = new Map<string, Host>();
