import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { type AddressInfo, connect } from 'node:net';
import { createServer } from 'node:tls';
import { onFinished } from './on-finished.ts';

/** For tests alone: the key is as public as the certificate. */
const KEY_AND_CERTIFICATE = readFileSync(new URL('./localhost.pem', import.meta.url), 'utf8');

/** Terminates TLS in front of a server, with a certificate that no program trusts; closed when the test ends. */
export async function startTlsRelay(url: string) {
  const target = new URL(url);
  const server = createServer({ key: KEY_AND_CERTIFICATE, cert: KEY_AND_CERTIFICATE }, (near) => {
    const far = connect(Number(target.port), target.hostname);
    for (const socket of [near, far]) socket.on('error', () => {});
    near.pipe(far).pipe(near);
    near.on('close', () => far.destroy());
    onFinished(() => void near.destroy());
  }).listen(0, '127.0.0.1');
  onFinished(() => void server.close());
  await once(server, 'listening');
  const { username, password } = target;
  const login = username || password ? `${username}:${password}@` : '';
  const { port } = server.address() as AddressInfo;
  return { url: `rediss://${login}localhost:${port}`, certificate: KEY_AND_CERTIFICATE };
}
