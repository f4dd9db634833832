import { once } from 'node:events';
import { createServer } from 'node:net';
import { networkCode } from '../request.ts';
import { type Finding, right, wrong } from './finding.ts';

const CHECK = 'HTTP_PORT';
const PATIENCE_MS = 2_000;

/** Whether the bot can serve its metrics there: listens for a moment. A running bot that serves them is right, too. */
export async function checkPort({ host, port }: { host: string; port: number }): Promise<Finding[]> {
  if (port === 0) return [];
  const code = await listeningFails(host, port);
  const isOfBot = code === 'EADDRINUSE' && (await isServedByBot(host, port));
  return [portFinding(code, { host, port, isOfBot })];
}

/** @param code of the error, `undefined` when there was none */
export function portFinding(
  code: string | undefined,
  { host, port, isOfBot }: { host: string; port: number; isOfBot: boolean },
): Finding {
  if (code === undefined) return right(CHECK, `${host}:${port} is free`);
  if (isOfBot) return right(CHECK, `a running bot serves ${host}:${port}`);
  if (code === 'EADDRINUSE')
    return wrong(CHECK, `Another program uses ${host}:${port}. Set a free port, or stop that program.`);
  if (code === 'EACCES') return wrong(CHECK, `This user cannot use port ${port}. Set 1024 or higher.`);
  return wrong('HTTP_HOST', `${host} is not an address of this machine (${code}). Set 127.0.0.1, or 0.0.0.0 for all.`);
}

async function listeningFails(host: string, port: number): Promise<string | undefined> {
  const server = createServer();
  try {
    await once(server.listen(port, host), 'listening');
    return undefined;
  } catch (error) {
    return networkCode(error) ?? String(error);
  } finally {
    server.close();
  }
}

async function isServedByBot(host: string, port: number): Promise<boolean> {
  const local = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host;
  try {
    const address = local.includes(':') ? `[${local}]` : local;
    const response = await fetch(`http://${address}:${port}/readyz`, { signal: AbortSignal.timeout(PATIENCE_MS) });
    const answer = (await response.json()) as { ready?: unknown; gateway?: unknown } | null;
    return typeof answer?.ready === 'boolean' && typeof answer.gateway === 'boolean';
  } catch {
    return false;
  }
}
